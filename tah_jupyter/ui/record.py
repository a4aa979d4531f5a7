"""A run as a mimebundle: what the saved notebook holds once the frame is gone."""

from datetime import datetime

from tah_jupyter.ui import html, text
from tah_jupyter.ui.durable import durable
from tah_jupyter.ui.nodes import Element, shield_plain, to_html
from tah_jupyter.ui.run_view import RunView
from tah_jupyter.ui.words import Words

__all__ = ["checkpoint", "record"]


def record(view: RunView, *, language: str = "en", whole: bool = False) -> dict[str, str]:
    """The static record of a run: ``text/html``, ``text/plain`` and ``text/markdown``, none of which needs a kernel, a
    widget or trust. What is long is shortened and says so, but not in the ``whole`` record. Raises ValueError for a
    language without words.
    """
    words = Words(language)
    max_lines = None if whole else text.MAX_LINES
    return _bundle(
        html.record(view, words, whole=whole),
        text.plain_record(view, words, max_lines=max_lines),
        text.markdown_record(view, words),
    )


def checkpoint(view: RunView, *, saved_ts: float, language: str = "en") -> dict[str, str]:
    """The folded record of a run that still goes on, kept beside the frame: all that is left when its kernel ends.
    ``saved_ts`` is seconds since the epoch, shown as local time of day.
    """
    words = Words(language)
    saved_at = datetime.fromtimestamp(saved_ts).strftime("%H:%M:%S")
    about = words.say("checkpoint", time=saved_at)
    return _bundle(
        html.checkpoint(view, words, saved_at=saved_at),
        text.plain_record(view, words, about=about),
        text.markdown_record(view, words, about=about),
    )


def _bundle(element: Element, plain: str, markdown: str) -> dict[str, str]:
    return {
        "text/html": to_html(durable([element])),
        "text/plain": shield_plain(plain),
        "text/markdown": shield_plain(markdown),
    }
