"""``%tah jobs``: the run in the background, what it waits for, and answers to it from any cell."""

import time
from collections.abc import Iterator

from IPython.core.error import UsageError

from tah_jupyter.core.approvals import Allow, Answer, Deny
from tah_jupyter.jupyter.conversation import Conversation
from tah_jupyter.jupyter.grammar import whole_number
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.printing import tell
from tah_jupyter.ui.cards import allowable
from tah_jupyter.ui.figures import clock
from tah_jupyter.ui.phrases import Phrases
from tah_jupyter.ui.run_view import Approval, RunView
from tah_jupyter.ui.terminal_card import approval_card
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = ["run"]

ANSWER_S = 2.0
"""How long the agent's thread may take to hear of an answer; it takes milliseconds."""


COLUMNS = 80
"""Of a printed card: a page shows such lines whole."""


def run(loaded: Loaded, argument: str) -> None:
    """List what runs in the background with the cards that wait, or answer the oldest of them. A card that no page
    draws is allowed only after it was printed: the first ``approve`` does that. Raises UsageError for anything else.
    """
    talk = loaded.agent.conversation
    view = talk.in_background if talk is not None else None
    words = Words(talk.language if talk is not None else "en")
    verb, *rest = argument.split(maxsplit=2) if argument else [""]
    if not verb:
        tell("\n".join(_listed(talk, view, words)) if talk is not None and view is not None else words.say("jobs_none"))
        return
    number = whole_number(rest[0]) if rest else None
    if verb not in _VERBS or number is None or (len(rest) > 1 and verb not in _MORE_WORDS):
        raise UsageError(words.say("jobs_usage"))
    if talk is None or view is None or view.run != number:
        raise UsageError(words.say("jobs_no_run", n=number))
    tell(_VERBS[verb](loaded, talk, view, words, rest[1] if len(rest) > 1 else ""))


def _listed(talk: Conversation, view: RunView, words: Words) -> Iterator[str]:
    phrases = Phrases(words)
    yield " · ".join([words.say("run", n=view.run), phrases.state(view), clock(view.clock_s(time.time()))])
    for approval in view.pending:
        talk.shown.add(approval.id)
        yield from _card(approval, words)
    for question in view.asked:
        yield visible_line(question.title).text
        yield from (f"  {n}  {visible_line(choice.label).text}" for n, choice in enumerate(question.choices, start=1))
    if view.pending:
        yield words.say("jobs_answer", n=view.run)
    elif view.asked:
        yield words.say("jobs_choose", n=view.run)
    else:
        yield words.say("jobs_stop", n=view.run)


def _card(approval: Approval, words: Words) -> list[str]:
    return [line.text for line in approval_card(approval, words, COLUMNS)]


def _approve(loaded: Loaded, talk: Conversation, view: RunView, words: Words, reason: str) -> str:
    if not view.pending:
        return words.say("jobs_nothing_waits", n=view.run)
    approval = view.pending[0]
    if not allowable(approval, words):
        return words.say("too_long")
    if approval.id not in talk.shown and not talk.drawn:
        talk.shown.add(approval.id)
        return "\n".join([*_card(approval, words), words.say("jobs_again", n=view.run)])
    return _answer(loaded, view, words, Allow())


def _deny(loaded: Loaded, talk: Conversation, view: RunView, words: Words, reason: str) -> str:
    return _answer(loaded, view, words, Deny(reason)) if view.pending else words.say("jobs_nothing_waits", n=view.run)


def _answer(loaded: Loaded, view: RunView, words: Words, answer: Answer) -> str:
    approval = view.pending[0]

    async def hand_over(talk: Conversation) -> bool:
        return talk.answer(approval.id, answer)

    counted = loaded.agent.submit(hand_over).result(ANSWER_S)
    if not counted:
        return words.say("elsewhere")
    said = words.say("allowed" if isinstance(answer, Allow) else "denied_settled")
    return f"{said} · {visible_line(str(approval.headline)).text}"


def _choose(loaded: Loaded, talk: Conversation, view: RunView, words: Words, choice: str) -> str:
    if not view.asked:
        return words.say("jobs_nothing_waits", n=view.run)
    question = view.asked[0]
    number = whole_number(choice)
    if number is None or not 1 <= number <= len(question.choices) or not question.choices[number - 1].enabled:
        raise UsageError(words.say("jobs_usage"))
    chosen = question.choices[number - 1]

    async def hand_over(talk: Conversation) -> bool:
        return talk.reply(question.question_id, chosen.key)

    counted = loaded.agent.submit(hand_over).result(ANSWER_S)
    return visible_line(chosen.label).text if counted else words.say("elsewhere")


def _stop(loaded: Loaded, talk: Conversation, view: RunView, words: Words, reason: str) -> str:
    talk.stop(view.run)
    return words.say("jobs_stopping", n=view.run)


_VERBS = {"approve": _approve, "deny": _deny, "answer": _choose, "stop": _stop}

_MORE_WORDS = ("deny", "answer")
"""Words after the run's number mean something only there; `approve 4 but not the last` allows nothing."""
