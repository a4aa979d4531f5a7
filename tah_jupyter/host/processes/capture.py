"""What a command prints: its beginning and end in memory, all of it in a file when it is long."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

import msgspec

from tah_jupyter.core.lines import whole_lines
from tah_jupyter.host.commands.terminal_text import PlainStream, decode, plain

__all__ = ["MAX_KEPT_BYTES", "Capture", "Shown", "WholeOutput"]

MAX_KEPT_BYTES = 50_000_000
"""The most of one output that is kept in a file, in bytes; ``read_file`` still opens a file of this size."""

_END_BYTES = 131_072  # of each end; 15,000 characters of 4 bytes, and twice as much again for escape sequences


class Shown(msgspec.Struct, frozen=True):
    """An output as plain text: ``head`` is all of it, or ``is_cut`` and ``tail`` is its end, with ``left_out_lines``
    between them.
    """

    head: str
    tail: str = ""
    is_cut: bool = False
    left_out_lines: int = 0


class WholeOutput:
    """A file that takes an output from its first byte on, as plain text, once there is something worth keeping.

    ``mask`` gets each piece of text and returns what may be stored, ``""`` for now if it must see more; it is called
    once more with None at the end. A disk that is full is noted in ``problem``; the command goes on.
    """

    def __init__(self, path: Path, mask: Callable[[str | None], str]) -> None:
        self.path = path
        self.problem = ""
        self.truncated = False
        self._mask = mask
        self._stream = PlainStream()
        self._file: IO[bytes] | None = None
        self._room = MAX_KEPT_BYTES

    @property
    def begun(self) -> bool:
        """Whether the file was made."""
        return self._file is not None

    def write(self, chunk: bytes) -> None:
        """Add ``chunk``. Blocking."""
        if not self.problem and not self.truncated:
            self._put(self._mask(self._stream.feed(chunk)))

    def close(self, *, keep: bool) -> None:
        """Finish the file, or remove it. Blocking."""
        if keep and not self.problem and not self.truncated:
            self._put(self._mask(self._stream.feed(b"", final=True)) + self._mask(None))
        if self._file is not None:
            self._file.close()
            if not keep or self.problem:
                self.path.unlink(missing_ok=True)

    def _put(self, text: str) -> None:
        data = text.encode("utf-8", "backslashreplace")
        if len(data) > self._room:
            self.truncated = True
            data = data[: self._room].decode("utf-8", "ignore").encode()
        try:
            if self._file is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                self._file = os.fdopen(handle, "wb", buffering=0)
            self._file.write(data)
        except OSError as error:
            self.problem = error.strerror or type(error).__name__
        self._room -= len(data)


class Capture:
    """A sink that keeps both ends of an output and counts all of it. Memory stays flat however much comes.

    What passes ``max_chars`` is no longer shown whole; then ``whole``, if given, takes everything from the start.
    """

    def __init__(self, max_chars: int, whole: WholeOutput | None = None) -> None:
        self.total_bytes = 0
        self._newlines = 0
        self._max_chars = max_chars
        self._whole = whole
        self._head = bytearray()
        self._tail = bytearray()
        self._told = 0
        self._live = PlainStream()
        self._lock = threading.Lock()

    def __call__(self, chunk: bytes) -> None:
        with self._lock:
            if self._whole is not None and self.total_bytes + len(chunk) > self._max_chars:
                if self.total_bytes <= self._max_chars and self._head:
                    self._whole.write(bytes(self._head))
                self._whole.write(chunk)
            self.total_bytes += len(chunk)
            self._newlines += chunk.count(b"\n")
            room = max(0, _END_BYTES - len(self._head))
            self._head += chunk[:room]
            self._tail += chunk[room:]
            if len(self._tail) > 2 * _END_BYTES:
                del self._tail[:-_END_BYTES]

    @property
    def total_lines(self) -> int:
        """How many lines there are, an unfinished last one too."""
        last = (self._tail or self._head)[-1:]
        return self._newlines + (1 if last and last != b"\n" else 0)

    def news(self, max_bytes: int = 8192) -> str:
        """What came since the last call as plain text, of a flood its end only."""
        with self._lock:
            new, self._told = self.total_bytes - self._told, self.total_bytes
            data = bytes((self._tail if len(self._tail) >= new else self._head + self._tail)[-new:]) if new else b""
        if new <= max_bytes:
            return self._live.feed(data)
        self._live = PlainStream()
        return f"\n[… {new - max_bytes:,} bytes not shown …]\n{self._live.feed(data[-max_bytes:])}"

    def shown(self) -> Shown:
        """Both ends, ``max_chars`` at most, cut at line ends where there are any."""
        half = self._max_chars // 2
        if self.total_bytes <= len(self._head) + len(self._tail):
            text = plain(decode(bytes(self._head + self._tail)))
            if len(text) <= self._max_chars:
                return Shown(text)
            head, tail = text[:half], text[-half:]
        else:
            head = plain(decode(bytes(self._head), ends=False))[:half]
            tail = plain(decode(bytes(self._tail), begins=False))[-half:]
        head, tail = whole_lines(head, tail)
        return Shown(head, tail, True, max(0, self.total_lines - head.count("\n") - _line_count(tail)))


def _line_count(text: str) -> int:
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)
