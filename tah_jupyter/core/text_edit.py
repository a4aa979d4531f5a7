"""Replacing a passage of a text, whatever its line ends, and touching nothing else.

A passage is looked for with every line end read as ``\\n``, for a model sees none of them. What is replaced is only
what differs between the passage and its replacement, so line ends inside the passage stay as well; new line ends are
those of the nearest line.
"""

from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["MAX_COUNTED", "Passages", "Replacement", "apply"]

MAX_COUNTED = 100
"""Occurrences are counted so far, overlapping ones too; then there are simply too many."""


class Replacement(NamedTuple):
    """Characters ``[start, end)`` of the text become ``new``."""

    start: int
    end: int
    new: str


class Passages:
    """The occurrences of ``old`` in ``text``, as what may become ``new``."""

    def __init__(self, text: str, old: str, new: str) -> None:
        self.text = text
        old_mac = "\r" in text and "\n" not in text
        self._plain = _plain(text, old_mac)
        self._old, self._new = _plain(old, old_mac), _plain(new, old_mac)
        self._shifts = _crlf_places(text)
        starts = _occurrences(self._plain, self._old)
        exact = [start for start in starts if self._original(start) == old] if len(starts) > 1 else []
        self.starts = exact if len(exact) == 1 and len(starts) < MAX_COUNTED else starts
        """Where it occurs, in characters of the text with plain line ends; one that is alike to the last ``\\r`` wins
        when it is the only such one."""

    @property
    def same(self) -> bool:
        """Whether old and new differ in nothing but line ends."""
        return self._old == self._new

    def lines(self) -> list[int]:
        """The 1-based numbers of the lines on which the occurrences begin."""
        numbers, line, at = [], 1, 0
        for start in self.starts:
            line += self._plain.count("\n", at, start)
            at = start
            numbers.append(line)
        return numbers

    def replace_first(self) -> list[Replacement]:
        """The one occurrence replaced."""
        return [self._replacement(self.starts[0])]

    def replace_all(self) -> list[Replacement]:
        """Every occurrence replaced, from left to right; one that overlaps the one before it is gone by then."""
        found, at = [], self._plain.find(self._old)
        while at >= 0:
            found.append(self._replacement(at))
            at = self._plain.find(self._old, at + len(self._old))
        return found

    def _original(self, start: int) -> str:
        return self.text[self._at(start) : self._at(start + len(self._old))]

    def _at(self, place: int) -> int:
        """The place in the text of a place in the text with plain line ends."""
        return place + bisect_left(self._shifts, place)

    def _replacement(self, start: int) -> Replacement:
        old, new = self._old, self._new
        before = _shared(old, new)
        after = _shared(old[before:][::-1], new[before:][::-1])
        first, last = self._at(start + before), self._at(start + len(old) - after)
        middle = new[before : len(new) - after]
        return Replacement(first, last, middle.replace("\n", _line_end_near(self.text, first, last)))


def apply(text: str, replacements: Iterable[Replacement]) -> str:
    """``text`` with the replacements, which come in order and do not overlap.

    >>> apply("one two", [Replacement(0, 3, "1"), Replacement(4, 7, "2")])
    '1 2'
    """
    pieces: list[str] = []
    at = 0
    for start, end, new in replacements:
        pieces += text[at:start], new
        at = end
    return "".join((*pieces, text[at:]))


def _shared(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _plain(text: str, old_mac: bool) -> str:
    """``text`` with plain line ends; ``\\r`` alone is one only in a file that has no other."""
    text = text.replace("\r\n", "\n")
    return text.replace("\r", "\n") if old_mac else text


def _crlf_places(text: str) -> list[int]:
    """Where, in the text with plain line ends, each newline is that takes two characters in ``text``."""
    places: list[int] = []
    at = text.find("\r\n")
    while at >= 0:
        places.append(at - len(places))
        at = text.find("\r\n", at + 2)
    return places


def _occurrences(text: str, part: str) -> list[int]:
    found: list[int] = []
    at = text.find(part)
    while at >= 0 and len(found) < MAX_COUNTED:
        found.append(at)
        at = text.find(part, at + 1)
    return found


def _line_end_near(text: str, start: int, end: int) -> str:
    at = text.find("\n", start, end)
    if at < 0:
        at = text.rfind("\n", 0, start)
    if at < 0:
        at = text.find("\n", end)
    if at < 0:
        return "\r" if "\r" in text else "\n"
    return "\r\n" if text[at - 1 : at] == "\r" else "\n"
