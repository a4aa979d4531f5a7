"""Lines of two columns that stand straight in every script: a Chinese character takes two cells of a screen."""

import unicodedata
from collections.abc import Sequence

__all__ = ["aligned"]


def aligned(rows: Sequence[tuple[str, str]], *, widest: int = 120) -> list[str]:
    """A line for each row, its second part two cells behind the longest first part; a first part of more cells than
    ``widest`` has a line for itself.

    >>> aligned([("模式", "ask"), ("model", "gpt"), ("something else", "x")], widest=6)
    ['模式   ask', 'model  gpt', 'something else\\n       x']
    """
    width = max((_cells(first) for first, _ in rows if _cells(first) <= widest), default=0) + 2
    return [f"{first}{_gap(_cells(first), width)}{second}" for first, second in rows]


def _gap(taken: int, width: int) -> str:
    return " " * (width - taken) if taken < width else "\n" + " " * width


def _cells(text: str) -> int:
    """How many cells of a screen ``text`` takes: wide and full-width characters two (Unicode, UAX #11)."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
