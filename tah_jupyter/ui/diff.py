"""A change of a file, line by line, the same for every renderer: it must be readable from ``+`` and ``-`` alone."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from tah_jupyter.core.views import Diff

__all__ = ["Row", "as_text", "rows"]


class Row(NamedTuple):
    """One line: ``kind`` is ``+``, ``-``, a space, or ``~`` for lines left out; ``number`` is that of the side it is
    on.
    """

    kind: Literal[" ", "+", "-", "~"]
    number: int
    text: str


def rows(diff: Diff) -> Iterator[Row]:
    """All lines of ``diff``, with one ``~`` between hunks."""
    for index, hunk in enumerate(diff.hunks):
        if index:
            yield Row("~", 0, "")
        for line in hunk.lines:
            yield Row(line.kind, line.old if line.kind == "-" else line.new, line.text)


def as_text(row: Row, width: int) -> str:
    """A row in fixed type, its number in ``width`` columns: ``+  43  text``.

    >>> as_text(Row("+", 43, "x = 1"), 4)
    '+   43  x = 1'
    """
    if row.kind == "~":
        return f"  {'⋮':>{width}}"
    return f"{row.kind} {row.number or '':>{width}}  {row.text}".rstrip()
