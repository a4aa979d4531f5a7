"""Redaction of text that comes in pieces: a secret cut in two is never shown, and benign text comes out whole."""

from tah_jupyter.host.secrets.redact import Redactor, masked

__all__ = ["StreamRedactor"]

_MAX_HELD_CHARS = 16_384
"""Longer than any key; what could still become one after that is masked as it stands."""

_CONTEXT_CHARS = 16
"""What was already let go and still decides whether a token begins here."""


class StreamRedactor:
    """Feed it the pieces in order; each answer may lag behind by what could still become a secret."""

    __slots__ = ("_before", "_held", "_redactor")

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._before = ""
        self._held = ""

    def feed(self, piece: str) -> str:
        """What can be shown now."""
        text = self._before + self._held + piece
        return self._release(text, len(text) - min(self._undecided(text), len(self._held) + len(piece)))

    def close(self) -> str:
        """The rest."""
        text = self._before + self._held
        return self._release(text, len(text))

    def _undecided(self, text: str) -> int:
        """How many characters at the end must wait for what follows."""
        count = self._redactor.undecided(text)
        return count if count <= _MAX_HELD_CHARS else 0

    def _release(self, text: str, cut: int) -> str:
        start = len(self._before)
        spans = self._redactor.spans(text)
        for first, last, _ in spans:
            if first < cut < last:  # a whole secret whose end could begin another waits with it
                cut = max(first, start)
        shown = [(max(first, start) - start, last - start, name) for first, last, name in spans if start < last <= cut]
        self._held = text[cut:]
        before = text[:cut]
        # the line in front keeps a cut-off word from looking like the start of one, and begins no token itself
        self._before = before if len(before) <= _CONTEXT_CHARS else "_" + before[-_CONTEXT_CHARS:]
        return masked(text[start:cut], shown)
