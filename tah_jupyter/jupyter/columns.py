"""Lines of two columns that stand straight in every script: a Chinese character takes two cells of a screen."""

import unicodedata
from collections.abc import Sequence

__all__ = ["aligned"]


def aligned(rows: Sequence[tuple[str, str]]) -> list[str]:
    """A line for each row, its second part two cells behind the longest first part.

    >>> aligned([("模式", "ask"), ("model", "gpt")])
    ['模式   ask', 'model  gpt']
    """
    width = max((_cells(first) for first, _ in rows), default=0) + 2
    return [f"{first}{' ' * (width - _cells(first))}{second}" for first, second in rows]


def _cells(text: str) -> int:
    """How many cells of a screen ``text`` takes: wide and full-width characters two (Unicode, UAX #11)."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
