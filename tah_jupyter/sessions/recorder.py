"""From event to record: masked, then appended, then shown. Nothing unmasked goes further than this (law 1)."""

from collections.abc import Callable
from functools import cache
from types import UnionType
from typing import Any, Literal, Protocol, TypeAlias, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import replace

from tah_jupyter.core.events import (
    DELTAS,
    Event,
    MessageFinished,
    TextDelta,
    ThinkingDelta,
    ToolFailed,
    ToolFinished,
    ToolProgress,
    encode,
)
from tah_jupyter.core.messages import CallPart
from tah_jupyter.host.secrets.redact import Redactor
from tah_jupyter.host.secrets.stream import StreamRedactor

__all__ = ["Appendable", "SessionRecorder"]

Delta: TypeAlias = TextDelta | ThinkingDelta | ToolProgress


class Appendable(Protocol):
    """Where lines go; a SessionLog."""

    def append(self, line: bytes) -> None: ...


class SessionRecorder:
    """The bus's recorder of a session. Appends durable events to ``log``; returns each event as it may be shown.

    Most events hold no secret: they are encoded once, scanned once and returned as they are. Deltas are never logged;
    the pieces of one message or call are masked as one text, so a piece may come out shorter than it went in and the
    rest with a later one. The end of the message or call carries its whole text and drops what was held back.
    """

    def __init__(self, log: Appendable, redactor: Redactor) -> None:
        self._log = log
        self._redactor = redactor
        self._streams: dict[tuple[type[Event], str], StreamRedactor] = {}

    def record(self, event: Event, *, durable: bool) -> Event:
        """Mask ``event``, append it when ``durable``, return what may be shown. Raises LogError when it cannot be
        written.
        """
        if isinstance(event, DELTAS):
            return self._next_piece(event)
        if isinstance(event, (MessageFinished, ToolFinished, ToolFailed)) and self._streams:
            self._forget(event)
        shown, line = self._masked(event)
        if durable:
            self._log.append(line)
        return shown

    def _masked(self, event: Event) -> tuple[Event, bytes]:
        try:
            line = encode(event)
        except UnicodeEncodeError:  # half a character, as in the name of a file that is not UTF-8
            event = _map_text(event, _whole_characters)
            line = encode(event)
        if not self._redactor.suspects(line):
            return event, line
        shown = _map_text(event, self._redactor.redact)
        return shown, line if shown is event else encode(shown)

    def _next_piece(self, event: Delta) -> Event:
        """``event`` with as much text as is decided."""
        key = (type(event), event.call if isinstance(event, ToolProgress) else event.message)
        stream = self._streams.get(key)
        if stream is None:
            stream = self._streams[key] = StreamRedactor(self._redactor)
        piece = stream.feed(event.text if event.text.isascii() else _whole_characters(event.text))
        if isinstance(event, ToolProgress) and event.view is not None:
            return replace(self._masked(event)[0], text=piece)
        return event if piece == event.text else replace(event, text=piece)

    def _forget(self, end: MessageFinished | ToolFinished | ToolFailed) -> None:
        if isinstance(end, MessageFinished):
            self._streams.pop((TextDelta, end.message), None)
            self._streams.pop((ThinkingDelta, end.message), None)
        else:
            self._streams.pop((ToolProgress, end.call), None)


def _map_text(value: Any, change: Callable[[str], str]) -> Any:
    """``value`` with every text in it changed, the same object where nothing did. Fields that hold a number or a
    Literal are ours and stay; the arguments of a call are changed inside their JSON, which so stays valid.
    """
    if isinstance(value, str):
        return change(value)
    if type(value) in (int, float):  # among arguments only; a password may be a number
        return value if change(str(value)) == str(value) else change(str(value))
    if isinstance(value, CallPart):
        return _changed_call(value, change)
    if isinstance(value, msgspec.Struct):
        changes = {
            name: new
            for name in _open_fields(type(value))
            if (new := _map_text(old := getattr(value, name), change)) is not old
        }
        return replace(value, **changes) if changes else value
    if isinstance(value, (tuple, list)):
        items = [_map_text(item, change) for item in value]
        return value if all(a is b for a, b in zip(items, value, strict=True)) else type(value)(items)
    if isinstance(value, dict):
        pairs = {_map_text(key, change): _map_text(item, change) for key, item in value.items()}
        return value if all(pairs.get(key, pairs) is item for key, item in value.items()) else pairs
    return value


def _changed_call(call: CallPart, change: Callable[[str], str]) -> CallPart:
    try:
        arguments = msgspec.json.decode(call.arguments)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return replace(call, arguments=change(call.arguments))
    changed = _map_text(arguments, change)
    return call if changed is arguments else replace(call, arguments=msgspec.json.encode(changed).decode())


@cache
def _open_fields(struct: type[msgspec.Struct]) -> tuple[str, ...]:
    hints = get_type_hints(struct)
    return tuple(name for name in struct.__struct_fields__ if not _is_fixed(hints[name]))


def _is_fixed(hint: Any) -> bool:
    """Whether only values that we wrote ourselves fit in: a Literal, a number, a truth value."""
    if get_origin(hint) in (Union, UnionType):
        return all(map(_is_fixed, get_args(hint)))
    return get_origin(hint) is Literal or hint in (int, float, bool, type(None))


def _whole_characters(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
