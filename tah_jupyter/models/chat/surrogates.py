"""Characters beyond U+FFFF that a server sent as two halves, some of them in two pieces.

JSON may write such a character as two escapes (RFC 8259, section 7). A server that cuts its text without looking cuts
between them, and no terminal, page or file can take a half.
"""

import re

__all__ = ["TextMender", "mend"]

_HALF = re.compile("[\ud800-\udfff]")
_FIRST_HALF = re.compile("[\ud800-\udbff]\\Z")


def mend(text: str) -> str:
    """``text`` with its halves joined; a half that is alone becomes U+FFFD.

    >>> mend("a\\ud83d\\ude00b") == "a\\U0001f600b", mend("a\\ud83d") == "a\\ufffd"
    (True, True)
    """
    if not _HALF.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class TextMender:
    """Mends a text that comes in pieces: a first half at the end of one waits for the next."""

    def __init__(self) -> None:
        self._held = ""

    def add(self, piece: str) -> str:
        """What is whole after ``piece``."""
        text = self._held + piece
        self._held = text[-1:] if _FIRST_HALF.search(text) else ""
        return mend(text[: len(text) - len(self._held)])

    def end(self) -> str:
        """What was held back, once nothing follows."""
        held, self._held = self._held, ""
        return mend(held)
