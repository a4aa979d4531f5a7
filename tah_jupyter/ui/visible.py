"""Characters that hide or reorder text are shown as escapes, so that what is read is what is there.

Covers the twelve bidirectional controls of Unicode (UAX #9: ALM, LRM, RLM, the embeddings, overrides and isolates),
zero-width and other invisible characters, tag and variation characters that can smuggle text, control characters, line
and paragraph separators, and lone surrogates. Nothing is ever dropped.
"""

import re
import unicodedata
from functools import cache
from typing import NamedTuple

__all__ = ["BIDI_CONTROLS", "Visible", "visible", "visible_line"]

BIDI_CONTROLS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""The twelve characters that change the direction of what follows."""

_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2028\u2029\u2060-\u2065\u206a-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"
_ODD_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"


@cache
def _hiding(prose: bool) -> re.Pattern[str]:
    """What is shown as an escape; made at first use, because it takes a millisecond and this is imported at load."""
    return re.compile(f"[{_CONTROLS}{_INVISIBLE}{BIDI_CONTROLS}{'' if prose else _ODD_SPACES}]")


_SHORT = {"\r": "\\r", "\n": "\\n", "\t": "\\t"}


class Visible(NamedTuple):
    """Text that is safe to read; ``hidden`` names each kind of character that was made visible, in order of first
    appearance.
    """

    text: str
    hidden: tuple[str, ...]


def visible(text: str, *, prose: bool = False) -> Visible:
    r"""Show what hides in ``text``; newlines and tabs stay.

    In ``prose`` the joiners and selectors inside an emoji, odd spaces and the ``\r`` of a line end stay as they are;
    in anything that will run, or names a file, they do not.

    >>> visible("x\u202egnp.elif")
    Visible(text='x\\u202egnp.elif', hidden=('\\u202e',))
    """
    if prose and "\r" in text:
        text = text.replace("\r\n", "\n")
    pattern = _hiding(prose)
    if pattern.search(text) is None:
        return Visible(text, ())
    hidden: dict[str, None] = {}

    def show(match: re.Match[str]) -> str:
        if _draws_an_emoji(text, match.start(), prose):
            return match[0]
        escape = _escape(match[0])
        hidden[escape] = None
        return escape

    return Visible(pattern.sub(show, text), tuple(hidden))


def visible_line(text: str) -> Visible:
    """The same for text that must stay on one line: newlines and tabs are shown as well, so that nobody can add a
    line of their own. They do not count as hidden.
    """
    shown = visible(text)
    return Visible(shown.text.replace("\n", "\\n").replace("\t", "\\t"), shown.hidden)


def _escape(character: str) -> str:
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _draws_an_emoji(text: str, at: int, prose: bool) -> bool:
    """Whether the joiner or selector at ``at`` only chooses how the symbol before it is drawn."""
    before = text[at - 1] if at else ""
    if text[at] in "\ufe0e\ufe0f":
        return bool(before) and (unicodedata.category(before) in ("So", "Sm", "Sk", "Po") or before in "0123456789#*↔↕")
    if text[at] != "\u200d" or not prose:
        return False
    after = text[at + 1 : at + 2]
    return bool(before and after) and _pictured(before) and _pictured(after)


def _pictured(character: str) -> bool:
    return unicodedata.category(character) in ("So", "Sk") or character == "\ufe0f"
