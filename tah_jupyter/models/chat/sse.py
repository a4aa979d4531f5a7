"""Server-sent events from bytes, as they come (WHATWG HTML, section 9.2.6 "Interpreting an event stream")."""

from tah_jupyter.core.errors import ModelError

__all__ = ["MAX_EVENT_BYTES", "EventStream"]

MAX_EVENT_BYTES = 8 * 1024 * 1024
"""No provider sends so large an event; a longer one is a broken or hostile server."""

_BOM = b"\xef\xbb\xbf"


class EventStream:
    """Splits a stream into events. Each byte is looked at a fixed number of times, however the network cuts it.

    An event is ``(name, data)``; ``name`` is empty unless an ``event:`` line gave it. Comments, ``id:`` and ``retry:``
    are ignored. A bare line that starts with ``{`` is taken for an event of its own: some gateways write an error so.
    """

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_event_bytes = max_event_bytes
        self._partial: list[bytes] = []
        self._data: list[bytes] = []
        self._name = b""
        self._held = 0
        self._started = False
        self._after_cr = False

    def feed(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """The events that ``data`` completes. Raises ModelError (``protocol``) for one over the limit."""
        if not self._started:
            data = self._without_bom(data)
        if self._after_cr or b"\r" in data:
            data = self._with_newlines(data)
        lines = data.split(b"\n")
        tail = lines.pop()
        events: list[tuple[bytes, bytes]] = []
        if lines and self._partial:
            self._partial.append(lines[0])
            lines[0] = b"".join(self._partial)
            self._partial = []
        for line in lines:
            self._take(line, events)
        if tail:
            self._partial.append(tail)
        self._held = self._held + len(data) if not events else len(tail)
        if self._held > self._max_event_bytes:
            raise ModelError(
                f"The provider sent one event of more than {self._max_event_bytes:,} bytes.", kind="protocol"
            )
        return events

    def close(self) -> list[tuple[bytes, bytes]]:
        """What the end of the stream completes: the last event when the blank line after it is missing."""
        events: list[tuple[bytes, bytes]] = []
        self._take(b"".join(self._partial), events)
        self._take(b"", events)
        self._partial = []
        return events

    def _take(self, line: bytes, events: list[tuple[bytes, bytes]]) -> None:
        if line.startswith(b"data:"):
            self._data.append(line[6:] if line[5:6] == b" " else line[5:])
        elif not line:
            if self._data:
                events.append((self._name, b"\n".join(self._data)))
                self._data = []
            self._name = b""
        elif line.startswith(b"event:"):
            self._name = line[6:].strip()
        elif line.startswith(b"{"):
            events.append((b"", line))

    def _without_bom(self, data: bytes) -> bytes:
        """Drop a byte order mark at the very start, also one that the network cut."""
        data = b"".join(self._partial) + data
        self._partial = []
        if len(data) < len(_BOM) and _BOM.startswith(data):
            self._partial = [data] if data else []
            return b""
        self._started = True
        return data.removeprefix(_BOM)

    def _with_newlines(self, data: bytes) -> bytes:
        """CRLF and CR as LF; a CR at the end of one read and an LF at the start of the next are one line end."""
        if self._after_cr and data.startswith(b"\n"):
            data = data[1:]
            self._after_cr = False
        if data:
            self._after_cr = data.endswith(b"\r")
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
