"""A line diff as a neutral view: hunks of changed lines with some lines around them, counts, and notes.

What differs is found by :mod:`tah_jupyter.core.line_matching`.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from tah_jupyter.core.line_matching import Range, changed_ranges
from tah_jupyter.core.lines import line_ends
from tah_jupyter.core.views import Diff, DiffLine, Hunk

__all__ = ["CONTEXT_LINES", "diff_texts"]

CONTEXT_LINES = 3
"""How many unchanged lines are shown around a change."""


def diff_texts(
    path: str, old: str | None, new: str | None, *, context: int = CONTEXT_LINES, notes: Sequence[str] = ()
) -> Diff:
    """The change from ``old`` to ``new``; None stands for a file that does not exist.

    Lines end at ``\\n``; a line that differs in its end alone counts as changed. Notes on line ends and on a missing
    final newline are added to ``notes``.
    """
    before, after = _lines(old or ""), _lines(new or "")
    changes = changed_ranges(before, after)
    return Diff(
        path=path,
        hunks=tuple(
            Hunk(tuple(_hunk_lines(before, after, group, context))) for group in _grouped(changes, 2 * context)
        ),
        added=sum(d - c for _, _, c, d in changes),
        removed=sum(b - a for a, b, _, _ in changes),
        action=_action(old, new),
        notes=(*notes, *_notes(old, new)),
    )


def _action(old: str | None, new: str | None) -> Literal["created", "modified", "deleted"]:
    if old is None:
        return "created"
    return "deleted" if new is None else "modified"


_OPEN = "\n"
"""Marks a last line without a newline, so that it differs from the same line with one."""


def _lines(text: str) -> list[str]:
    """Lines without their ``\\n``; a ``\\r`` before it stays, so lines that differ in their ends do differ."""
    *lines, last = text.split("\n")
    if last:
        lines.append(last + _OPEN)
    return lines


def _grouped(changes: list[Range], gap: int) -> Iterator[list[Range]]:
    """Changes that are at most ``gap`` unchanged lines apart share a hunk."""
    group: list[Range] = []
    for change in changes:
        if group and change[0] - group[-1][1] > gap:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk_lines(before: list[str], after: list[str], group: list[Range], context: int) -> Iterator[DiffLine]:
    start = max(0, group[0][0] - context)
    shift = group[0][2] - group[0][0]
    for a, b, c, d in group:
        yield from _kept(before, start, a, shift)
        for i in range(a, b):
            yield DiffLine("-", i + 1, 0, _bare(before[i]))
        for j in range(c, d):
            yield DiffLine("+", 0, j + 1, _bare(after[j]))
        start, shift = b, d - b
    yield from _kept(before, start, min(len(before), start + context), shift)


def _kept(before: list[str], start: int, end: int, shift: int) -> Iterator[DiffLine]:
    for i in range(start, end):
        yield DiffLine(" ", i + 1, i + 1 + shift, _bare(before[i]))


def _bare(line: str) -> str:
    return line.removesuffix(_OPEN).removesuffix("\r")


def _notes(old: str | None, new: str | None) -> Iterator[str]:
    ends_before, ends_after = line_ends(old or ""), line_ends(new or "")
    if ends_before and ends_after and ends_before != ends_after:
        yield f"line ends change from {ends_before} to {ends_after}"
    elif (ends_after or ends_before) not in ("", "LF"):
        yield f"{ends_after or ends_before} line ends"
    yield from _notes_on_the_end(old, new)


def _notes_on_the_end(old: str | None, new: str | None) -> Iterator[str]:
    open_before, open_after = (bool(text) and not text.endswith(("\n", "\r")) for text in (old or "", new or ""))
    if open_after and old and not open_before:
        yield "takes away the newline at the end of the file"
    elif open_after:
        yield "no newline at the end of the file"
    elif open_before and new:
        yield "adds the missing newline at the end of the file"
