"""A run as a mimebundle: what the saved notebook holds once the frame is gone."""

from datetime import datetime

from tah_jupyter.ui import html, text
from tah_jupyter.ui.nodes import Element, shield_plain, to_html
from tah_jupyter.ui.run_view import RunView
from tah_jupyter.ui.words import Words

__all__ = ["checkpoint", "record"]


def record(view: RunView, *, language: str = "en") -> dict[str, str]:
    """The static record of a run: ``text/html``, ``text/plain`` and ``text/markdown``, none of which needs a kernel, a
    widget or trust. Raises ValueError for a language without words.
    """
    words = Words(language)
    return _bundle(view, words, html.record(view, words))


def checkpoint(view: RunView, *, saved_ts: float, language: str = "en") -> dict[str, str]:
    """The folded record of a run that still goes on, kept beside the frame: all that is left when its kernel ends.
    ``saved_ts`` is seconds since the epoch, shown as local time of day.
    """
    words = Words(language)
    saved_at = datetime.fromtimestamp(saved_ts).strftime("%H:%M:%S")
    return _bundle(view, words, html.checkpoint(view, words, saved_at=saved_at))


def _bundle(view: RunView, words: Words, element: Element) -> dict[str, str]:
    return {
        "text/html": to_html([element]),
        "text/plain": shield_plain(text.plain_record(view, words)),
        "text/markdown": shield_plain(text.markdown_record(view, words)),
    }
