"""The cards: what is approved, the thing itself, why; or a question and its choices.

Nothing of an approval is ever shortened above a button that allows it.
"""

from typing import Any

from tah_jupyter.core.questions import Choice, Question
from tah_jupyter.core.views import Code, Command, Diff
from tah_jupyter.ui.nodes import plain, text_of
from tah_jupyter.ui.paint import Painter
from tah_jupyter.ui.phrases import parts_of
from tah_jupyter.ui.run_view import Approval, Ask
from tah_jupyter.ui.visible import visible, visible_line
from tah_jupyter.ui.words import Words

__all__ = [
    "MAX_CHARS",
    "allowable",
    "card_body",
    "card_head",
    "question_body",
    "question_card",
    "question_head",
    "question_settled",
    "settled",
    "spoken_what",
]

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
        "kind": "approval",
        "count": words.say("approval_of", **where) if approval.total > 1 else words.say("approval"),
        "spoken": words.say("approval_spoken", what=spoken_what(approval, words), **where),
    }


def card_body(approval: Approval, words: Words) -> dict[str, Any]:
    """The part of a card that never changes."""
    painter = Painter(words, live=True)
    body = painter.paint(approval.view)
    title = painter.line(words.headline(approval.headline))
    why = words.say("semicolon").join(painter.line(words.told(reason)) for reason in approval.asks_because)
    fits = allowable(approval, words)
    grant = words.grant(approval.grant) if approval.grant is not None and fits else ""
    return {
        "title": title,
        "what": _what(approval, words),
        "region": _region(approval, words),
        "body": plain(body) if fits else [words.say("too_long")],
        "because": words.say("asks_because", why=why) if why else "",
        "warning": words.say("hidden_characters", escapes=", ".join(painter.hidden)) if painter.hidden else "",
        "allow_run": grant,
        "allowable": fits,
    }


def settled(approval: Approval, words: Words) -> dict[str, Any]:
    """How an approval was answered, for pages that still show it."""
    known = {"allowed": "allowed", "denied": "denied_settled"}
    outcome = approval.outcome or ""
    return {
        "outcome": outcome,
        "scope": approval.scope or "",
        "by_person": outcome in known,
        "text": words.say(known.get(outcome, "not_answered")),
    }


def question_card(question: Question) -> str:
    """The name of a question's card, which no approval has."""
    return f"question:{question.question_id}"


def question_head(question: Question) -> dict[str, Any]:
    """What a question's card is called."""
    title = visible_line(question.title).text
    return {"id": question_card(question), "kind": "question", "count": "", "spoken": title}


def question_body(question: Question) -> dict[str, Any]:
    """A question's card. Whoever asks may quote a model or a provider, so all of it is made visible."""
    return {
        "question": question.question_id,
        "title": visible_line(question.title).text,
        "about": [visible_line(line).text for line in question.about],
        "detail": visible(question.detail).text,
        "layout": question.layout,
        "confirm": visible_line(question.confirm).text,
        "remember": visible_line(question.remember).text,
        "remembers": question.remembers,
        "choices": [_choice(choice) for choice in question.choices],
    }


def question_settled(ask: Ask, words: Words) -> dict[str, Any]:
    """How a question was answered, for pages that still show it."""
    key = ask.key or ""
    label = ask.label or next((choice.label for choice in ask.question.choices if choice.key == key), "")
    return {"key": key, "by_person": bool(key), "text": visible_line(label).text or words.say("not_answered")}


def _choice(choice: Choice) -> dict[str, Any]:
    return {
        "key": choice.key,
        "label": visible_line(choice.label).text,
        "about": visible_line(choice.about).text,
        "group": visible_line(choice.group).text,
        "enabled": choice.enabled,
    }


def spoken_what(approval: Approval, words: Words) -> str:
    """The card's first line for the ear: a diff says its lines in words."""
    headline = approval.headline
    parts = [_what(approval, words)]
    diff = next((part for part in parts_of(approval.view) if isinstance(part, Diff)), None)
    if diff is not None:
        parts += [words.count("lines_added", diff.added)] if diff.added else []
        key = "also_removed" if diff.added else "lines_removed"
        parts += [words.count(key, diff.removed)] if diff.removed else []
    elif headline.detail:
        parts.append(visible_line(words.told(headline.detail)).text)
    return ", ".join(parts)


def _what(approval: Approval, words: Words) -> str:
    headline = approval.headline
    return visible_line(f"{words.told(headline.verb)} {headline.target}".strip()).text


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
