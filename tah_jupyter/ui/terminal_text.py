"""Text in the columns of a terminal: how wide it is, where it may break, and prose that arrives in pieces.

A row of prose is settled when the next word did not fit, so what was printed never changes. Chinese and Japanese break
between characters, but never before closing punctuation or after what opens.
"""

import re
from collections import deque
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from wcwidth import wcswidth, wcwidth

from tah_jupyter.ui.visible import visible

__all__ = ["Ink", "Line", "Prose", "columns", "folded", "joined", "padded", "shortened", "wrapped"]

Ink: TypeAlias = Literal["plain", "faint", "strong", "added", "removed", "asks", "bad"]

TAB = 4

_WIDE = "\u2e80-\u303e\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003fffd"
_OPENING = "（「『【《〈"
_CLOSING = "、。，．：；！？）」』】》〉”’…"
_WORDS = re.compile(f"[ \t]+|[{_OPENING}]*[{_WIDE}][{_CLOSING}]*|[^ \t{_WIDE}]+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LEAD = re.compile(r"[ \t]*(?:>[ \t]?|(?:[-*+]|\d{1,9}[.)])[ \t]+)?")
_LEAD_CHARS = 40


class Line(NamedTuple):
    """One line for a terminal. The ink never says what the text does not."""

    text: str
    ink: Ink = "plain"


def columns(text: str) -> int:
    """How many columns ``text`` takes.

    >>> columns("src"), columns("审批")
    (3, 4)
    """
    wide = wcswidth(text)
    return wide if wide >= 0 else len(text)


def padded(text: str, width: int) -> str:
    """``text`` with spaces after it, up to ``width`` columns."""
    return text + " " * (width - columns(text))


def shortened(text: str, width: int) -> str:
    """``text`` in at most ``width`` columns; what was cut is shown as ``…``."""
    if columns(text) <= width:
        return text
    return text[: _fitting(text, max(0, width - 1))].rstrip() + "…"


def folded(text: str, width: int, *, hang: str = "") -> list[str]:
    """``text``, every character of it, in rows of ``width`` columns; later rows begin with ``hang``, so that no text
    can pass for a line of its own.
    """
    found, at, lead, room = [], 0, "", max(1, width)
    while (end := _fitting(text, room, at)) < len(text):
        end = max(end, at + 1)
        found.append(lead + text[at:end])
        at, lead, room = end, hang, max(1, width - columns(hang))
    return [*found, lead + text[at:]] if at < len(text) or not found else found


def wrapped(text: str, width: int, *, hang: str = "") -> list[str]:
    """``text`` in rows of whole words; later rows begin with ``hang``.

    >>> wrapped("keep every word whole", 10, hang="  ")
    ['keep every', '  word', '  whole']
    """
    return [row for row, _ in _rows(text, width, None, hang)]


def joined(parts: list[str], separator: str, width: int, *, hang: str = "") -> list[str]:
    """``parts`` with ``separator`` between them; a part that does not fit begins a new row, after ``hang``."""
    rows = parts[:1]
    for part in parts[1:]:
        longer = rows[-1] + separator + part
        if columns(longer) <= width:
            rows[-1] = longer
        else:
            rows.append(hang + part)
    return rows


def _fitting(text: str, width: int, start: int = 0) -> int:
    """Up to where the characters from ``start`` on fit ``width`` columns; a mark stays with the character it is on."""
    used = 0
    for index in range(start, len(text)):
        used += max(0, wcwidth(text[index]))
        if used > width:
            return index
    return len(text)


def _rows(text: str, width: int, lead: str | None, hang: str) -> Iterator[tuple[str, int]]:
    """Rows of one line of prose, each with how much of ``text`` is in it and the rows before; -1 where a row ends in
    a word whose hidden characters are shown, so that nothing can go on from there. The line goes on after ``lead``, or
    begins, with its own spaces, when that is None.
    """
    row, gap, end, empty = lead or "", "", 0, True
    used, indent = columns(row), columns(hang)
    for match in _WORDS.finditer(text):
        if match[0].isspace():
            gap = match[0].expandtabs(TAB) if not empty or lead is None else ""
            continue
        word = visible(match[0], prose=True).text
        wide = columns(word)
        if not empty and used + len(gap) + wide > width:
            yield row, end
            row, gap, used = hang, "", indent
        row, used, end, empty, gap = row + gap + word, used + len(gap) + wide, match.end(), False, ""
        if used <= width:
            continue
        line, row, at, room = row, "", 0, width  # a word that is longer than a row
        while at < (cut := _fitting(line, room, at)) < len(line):
            yield row + line[at:cut], end - (len(line) - cut) if word == match[0] else -1
            at, row, room = cut, hang, width - indent
        row += line[at:]
        used = columns(row)
    if not empty or not text.strip():
        yield row, len(text)


class Prose:
    """Markdown as plain text, while it arrives. ``open`` is the row that still grows."""

    def __init__(self) -> None:
        self.open = ""
        self._text = ""
        self._line = 0
        self._at = 0
        self._fence = ""
        self._begun = False
        self._gap = False

    def feed(self, text: str, width: int, *, ends: bool) -> list[Line]:
        """Take the whole text so far; returns the rows that are settled since. With ``ends`` the open row is settled
        too, and what comes later goes on below it. A text that does not begin as before is told anew.
        """
        if not text.startswith(self._text[: self._at]):
            self._line = self._at = 0
            self._fence = ""
        self._text = text
        found: list[Line] = []
        while (end := text.find("\n", self._at)) >= 0:
            found += self._settle(end, width)
            self._end_line(text[self._line : end])
            self._line = self._at = end + 1
        if ends and self._at < len(text):
            found += self._settle(len(text), width)
            self._at = len(text)
        found += self._grow(width)
        return found

    def _settle(self, end: int, width: int) -> list[Line]:
        """The rows of the source line up to ``end``, blank ones held back until something follows."""
        rest = self._text[self._at : end].removesuffix("\r")
        if not rest.strip():
            self._gap = self._gap or (self._begun and self._at == self._line)
            return []
        return self._shown([rest_row for rest_row, _ in self._wrap(rest, width)])

    def _grow(self, width: int) -> list[Line]:
        """Settle the full rows of a line that is not complete; whole words of the rest stay open."""
        rest = self._text[self._at :]
        for last in deque(_WORDS.finditer(rest), maxlen=1):
            if not last[0].isspace() and columns(last[0]) < width:
                rest = rest[: last.start()]  # a word that may still grow
        rows = self._wrap(rest, width) if rest.strip() else []
        final = [(row, end) for row, end in rows[:-1] if end >= 0]
        self.open = shortened(rows[-1][0], width) if rows else ""
        if not final:
            return []
        settled = rows[: rows.index(final[-1]) + 1]
        self._at += final[-1][1]
        return self._shown([row for row, _ in settled])

    def _wrap(self, rest: str, width: int) -> list[tuple[str, int]]:
        start = self._text[self._line : self._line + _LEAD_CHARS]
        if self._fence or start.lstrip().startswith(("```", "~~~", "|")):
            return [(visible(rest, prose=True).text.expandtabs(TAB), len(rest))]
        lead = _LEAD.match(start)
        hang = lead[0].expandtabs(TAB) if lead is not None else ""
        hang = hang if hang.lstrip().startswith(">") else " " * len(hang)
        return list(_rows(rest, width, hang if self._at > self._line else None, hang))

    def _shown(self, rows: list[str]) -> list[Line]:
        heading = not self._fence and self._text.startswith("#", self._line)
        gap = [Line("")] if self._gap else []
        self._gap, self._begun = False, True
        return [*gap, *(Line(row.rstrip(), "strong" if heading else "plain") for row in rows)]

    def _end_line(self, line: str) -> None:
        """A fence begins or ends with this source line (CommonMark 0.31, section 4.5)."""
        match = _FENCE.match(line)
        if match is not None and not self._fence:
            self._fence = match[1]
        elif match is not None and match[1].startswith(self._fence) and not line[match.end() :].strip():
            self._fence = ""
