"""What a program wrote for a terminal, as plain text.

Escape sequences follow ECMA-48: CSI ``ESC [ … final``, strings (OSC, DCS, SOS, PM, APC) up to BEL or ``ESC \\``, and
two-character escapes. Bytes that are not UTF-8 are written as ``\\xNN``, so that none is lost.
"""

import codecs
import re

__all__ = ["PlainStream", "decode", "plain"]

_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI
    # strings; their text excludes whatever begins one, so that hostile output costs linear time
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"  # the others
)
_CONTROL = re.compile(r"[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_UNFINISHED = re.compile(
    r"(?:(?:\x1b\[|\x9b)[0-?]*[ -/]*"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*\x1b?"
    r"|\x1b[ -/]*"
    r"|\r)\Z"
)
_MAX_HELD_CHARS = 4096


def decode(data: bytes, *, begins: bool = True, ends: bool = True) -> str:
    """UTF-8 as text, other bytes as ``\\xNN``. Where the data does not begin or end at a character, the part of one
    that is left is dropped.
    """
    if not begins:
        cut = next((at for at, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), 0)
        data = data[cut:]
    return codecs.getincrementaldecoder("utf-8")("backslashreplace").decode(data, final=ends)


def plain(text: str) -> str:
    """``text`` without escape sequences and control characters, as a terminal would leave it standing: a carriage
    return starts its line again, a backspace takes one character back.

    >>> plain("\\x1b[31mred\\x1b[0m\\r\\n10 %\\r99 %\\n")
    'red\\n99 %\\n'
    """
    if text.isprintable():
        return text
    text = _ESCAPE.sub("", text).replace("\r\n", "\n")
    if "\b" in text:
        text = "".join(_without_backspaces(text))
    if "\r" in text:
        text = "\n".join(_last_written(line) for line in text.split("\n"))
    return _CONTROL.sub("", text)


class PlainStream:
    """Output that comes in pieces, as plain text. A carriage return begins a new line here, so nothing is lost."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._held = ""

    def feed(self, data: bytes, *, final: bool = False) -> str:
        """The text so far; what may be the beginning of an escape sequence waits for the next piece."""
        text = self._held + self._decoder.decode(data, final=final)
        unfinished = None if final else _UNFINISHED.search(text, max(0, len(text) - _MAX_HELD_CHARS))
        cut = unfinished.start() if unfinished else len(text)
        self._held = text[cut:]
        return plain(text[:cut].replace("\r\n", "\n").replace("\r", "\n"))


def _without_backspaces(text: str) -> list[str]:
    kept: list[str] = []
    for char in text:
        if char != "\b":
            kept.append(char)
        elif kept and kept[-1] != "\n":
            kept.pop()
    return kept


def _last_written(line: str) -> str:
    return next((part for part in reversed(line.split("\r")) if part), "")
