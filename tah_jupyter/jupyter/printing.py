"""Printing for a person, in a cell's output or a terminal, whatever its encoding can say.

A terminal of Latin-1 or GBK knows no ``…`` or ``✕``; Python would raise there, and a command would end in a traceback
for want of a character. What cannot be said is written as an escape.
"""

import sys

__all__ = ["sayable", "tell"]


def tell(text: str) -> None:
    """Print ``text`` at once."""
    print(sayable(text), flush=True)


def sayable(text: str, encoding: str | None = None) -> str:
    """``text`` with escapes for what ``encoding`` (that of the standard output) cannot say.

    >>> sayable("done ✕", "latin-1")
    'done \\\\u2715'
    """
    encoding = encoding or getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
