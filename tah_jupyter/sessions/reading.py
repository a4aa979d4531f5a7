"""From the bytes of a log to events. A line that cannot be read is reported and never stops the others."""

import os
from itertools import pairwise
from pathlib import Path
from typing import Literal

import msgspec

from tah_jupyter._version import __version__
from tah_jupyter.core.errors import LogError
from tah_jupyter.core.events import FORMAT, Event, SessionOpened, decode

__all__ = [
    "HEADER",
    "Problem",
    "Reading",
    "check_header",
    "is_record",
    "parse_log",
    "read_head",
    "read_log",
    "read_tail",
]

HEADER = b'{"format":%d}\n' % FORMAT
"""Line 1 of every log."""

_HEAD_BYTES = 65_536
_TAIL_BYTES = 262_144
_TURN = b'\n{"type":"turn.started"'


class Problem(msgspec.Struct, frozen=True):
    """Something in the log that is not an event of ours. ``line`` counts from 1, 0 for the log as a whole; ``text``
    says what and what follows.
    """

    kind: Literal["torn", "unreadable", "unknown_type", "newer_version", "disorder"]
    line: int
    text: str


class Reading(msgspec.Struct, frozen=True):
    """What a log holds, in order, and what could not be read of it."""

    events: list[Event]
    problems: list[Problem]


class _Format(msgspec.Struct, frozen=True):
    format: int


class _Tag(msgspec.Struct, frozen=True):
    type: str


_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What a line that is none of ours raises; the last by nesting deeper than anything that we write."""

_decode_format = msgspec.json.Decoder(_Format).decode
_decode_tag = msgspec.json.Decoder(_Tag).decode


def read_log(path: Path) -> Reading:
    """Read the whole log at ``path`` without the lease, also while another process writes it.

    Raises LogError when it is no log, or one of a newer format.
    """
    return parse_log(_bytes_of(path), path)


def parse_log(data: bytes, path: Path) -> Reading:
    """As :func:`read_log`, of bytes; ``path`` is for messages."""
    if b"\n" not in data:  # a crash while line 1 was written
        torn = Problem("torn", 1, f"Line 1 is cut off; its {len(data)} bytes are not used.")
        return Reading([], [torn] if data else [])
    start = check_header(data, path)
    whole = data.rfind(b"\n") + 1
    body = memoryview(data)[start:whole]
    problems: list[Problem] = []
    try:
        events = decode.decode_lines(body)
    except _UNREADABLE:
        events = _line_by_line(bytes(body), problems)
    if whole < len(data):
        _read_line(data[whole:], data.count(b"\n") + 1, events, problems, torn=True)
    problems += _newer_writers(events)
    return Reading(_in_order(events, problems), problems)


def check_header(data: bytes, path: Path) -> int:
    """The length of line 1 when it says a format that this version reads. Raises LogError otherwise."""
    line, newline, _ = data.partition(b"\n")
    try:
        version = _decode_format(line).format
    except _UNREADABLE:
        version = 0
    if version < 1:
        raise LogError(
            f'{path} is not a session log: its first line is not {{"format":{FORMAT}}}.',
            next_step="Move it away, or start a new session.",
        )
    if version > FORMAT:
        raise LogError(
            f"{path} was written by a newer tah_jupyter (format {version}; this version reads {FORMAT}).",
            next_step="Upgrade tah-jupyter, or start a new session.",
        )
    return len(line) + len(newline)


def is_record(line: bytes) -> bool:
    """Whether ``line`` is the whole JSON of a record, also of a type that this version does not know."""
    try:
        _decode_tag(line)
    except _UNREADABLE:
        return False
    return True


def read_head(path: Path, *, limit: int = 8) -> list[Event]:
    """The first ``limit`` events, from the first 64 kB; lines that cannot be read are left out."""
    data = _bytes_of(path, length=_HEAD_BYTES)
    start = check_header(data, path) if b"\n" in data else len(data)
    events: list[Event] = []
    for line in data[start:].split(b"\n", limit)[:limit]:
        _read_line(line, 0, events, [])
    return events


def read_tail(path: Path) -> list[Event]:
    """The events from the start of the last turn on, read from the end; all events when there was no turn."""
    size, length = path.stat().st_size, _TAIL_BYTES
    while length < size:
        data = _bytes_of(path, offset=size - length)
        if (found := data.rfind(_TURN)) >= 0:
            return _tail_events(data[found + 1 :])
        length *= 4
    data = _bytes_of(path)
    start = check_header(data, path) if b"\n" in data else len(data)
    return _tail_events(data[max(start, data.rfind(_TURN) + 1) :])


def _tail_events(data: bytes) -> list[Event]:
    try:
        return decode.decode_lines(data)
    except _UNREADABLE:
        return _line_by_line(data, [])


def _line_by_line(body: bytes, problems: list[Problem]) -> list[Event]:
    events: list[Event] = []
    for number, line in enumerate(body.split(b"\n"), start=2):
        if line:
            _read_line(line, number, events, problems)
    return events


def _in_order(events: list[Event], problems: list[Problem]) -> list[Event]:
    """The events by their numbers, each once. A log is in order as it is written; a copy that was merged with another,
    or put together by hand, may not be.
    """
    if all(later.seq > earlier.seq or not later.seq for earlier, later in pairwise(events)):
        return events
    first: dict[int, Event] = {}
    for place, event in enumerate(events):
        first.setdefault(event.seq or -place, event)
    again = len(events) - len(first)
    text = f"Records stand out of order, and {again} of them more than once; each is used once, in its own order."
    problems.append(Problem("disorder", 0, text))
    return sorted(first.values(), key=lambda event: event.seq)


def _read_line(line: bytes, number: int, events: list[Event], problems: list[Problem], *, torn: bool = False) -> None:
    try:
        events.append(decode.decode(line))
    except _UNREADABLE as error:
        if torn:
            problems.append(Problem("torn", number, f"Line {number} is cut off; its {len(line)} bytes are not used."))
        elif (kind := _foreign_type(line)) is not None:
            text = f"Line {number} is of a type that this version does not know: {kind}. It is kept, and not shown."
            problems.append(Problem("unknown_type", number, text))
        else:
            text = f"Line {number} cannot be read ({error}). It is kept, and not used."
            problems.append(Problem("unreadable", number, text))


def _foreign_type(line: bytes) -> str | None:
    """The type of a record that is whole but not one of ours."""
    try:
        kind = _decode_tag(line).type
    except _UNREADABLE:
        return None
    return None if kind in _KNOWN_TYPES else kind


_KNOWN_TYPES = {kind.__struct_config__.tag for kind in Event.__args__}


def _newer_writers(events: list[Event]) -> list[Problem]:
    """One notice when a newer version wrote into the log: fields that it added are read over."""
    versions = {event.version for event in events if type(event) is SessionOpened}
    newer = sorted((version for version in versions if _parts(version) > _parts(__version__)), key=_parts)
    text = "Written by tah-jupyter {}, newer than this {}: what it added to records is not shown."
    return [Problem("newer_version", 0, text.format(newer[-1], __version__))] if newer else []


def _parts(version: str) -> tuple[int, ...]:
    parts = version.split("+")[0].split(".")[:3]
    return tuple(int(part) if part.isdigit() else 0 for part in parts)


def _bytes_of(path: Path, *, offset: int = 0, length: int = -1) -> bytes:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb", buffering=0) as file:
            file.seek(offset)
            return file.read(length)
    except OSError as error:
        raise LogError(f"The session log {path} cannot be read ({error.strerror}).") from error
