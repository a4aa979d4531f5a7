"""The approval card: what, the thing itself, why. Nothing of it is ever shortened above a button that allows it."""

from typing import Any

from tah_jupyter.core.views import Code, Command, Diff
from tah_jupyter.ui.nodes import plain, text_of
from tah_jupyter.ui.paint import Painter
from tah_jupyter.ui.phrases import parts_of
from tah_jupyter.ui.run_view import Approval
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = ["MAX_CHARS", "allowable", "card_body", "card_head", "settled", "spoken_what"]

MAX_CHARS = 1_000_000
"""Characters a card may show. A longer one cannot be allowed: a page is slow from about here on, and a card is never
shortened.
"""


def allowable(approval: Approval, words: Words) -> bool:
    """Whether the whole of it fits a card; what does not may only be denied."""
    return len(text_of(Painter(words, live=False).paint(approval.view))) <= MAX_CHARS


def card_head(approval: Approval, words: Words) -> dict[str, Any]:
    """The part of a card that changes while others join the queue."""
    where = {"n": approval.number, "total": approval.total}
    return {
        "id": approval.id,
        "count": words.say("approval_of", **where) if approval.total > 1 else words.say("approval"),
        "spoken": words.say("approval_spoken", what=spoken_what(approval, words), **where),
    }


def card_body(approval: Approval, words: Words) -> dict[str, Any]:
    """The part of a card that never changes."""
    painter = Painter(words, live=True)
    body = painter.paint(approval.view)
    title = painter.line(str(approval.headline))
    why = "; ".join(painter.line(reason) for reason in approval.asks_because)
    fits = allowable(approval, words)
    grant = words.grant(approval.grant) if approval.grant is not None and fits else ""
    return {
        "title": title,
        "what": visible_line(f"{approval.headline.verb} {approval.headline.target}".strip()).text,
        "region": _region(approval, words),
        "body": plain(body) if fits else [words.say("too_long")],
        "because": words.say("asks_because", why=why) if why else "",
        "warning": words.say("hidden_characters", escapes=", ".join(painter.hidden)) if painter.hidden else "",
        "allow_run": grant,
        "allowable": fits,
    }


def settled(approval: Approval, words: Words) -> dict[str, str]:
    """How a question was answered, for pages that still show it."""
    known = {"allowed": "allowed", "denied": "denied_settled"}
    return {
        "outcome": approval.outcome or "",
        "scope": approval.scope or "",
        "text": words.say(known.get(approval.outcome or "", "not_answered")),
    }


def spoken_what(approval: Approval, words: Words) -> str:
    """The card's first line for the ear: a diff says its lines in words."""
    headline = approval.headline
    parts = [visible_line(f"{headline.verb} {headline.target}".strip()).text]
    diff = next((part for part in parts_of(approval.view) if isinstance(part, Diff)), None)
    if diff is not None:
        parts += [words.count("lines_added", diff.added)] if diff.added else []
        key = "also_removed" if diff.added else "lines_removed"
        parts += [words.count(key, diff.removed)] if diff.removed else []
    elif headline.detail:
        parts.append(visible_line(headline.detail).text)
    return ", ".join(parts)


def _region(approval: Approval, words: Words) -> str:
    """The name of the scroll region by the kind of thing in it."""
    for part in parts_of(approval.view):
        match part:
            case Diff():
                return words.say("changes_to", path=visible_line(part.path).text)
            case Command():
                return words.say("command_to_run")
            case Code():
                return words.say("code_to_run")
            case _:
                continue
    return words.say("details")
