"""A person at ``input()``: approvals (screen C2) and other questions, asked until there is a clear answer.

Only an answer that says so allows. Anything unclear asks again, and two words or more are a denial that is told to the
model. What was typed before the question stood there is no answer to it, nor is one line of a paste.
"""

import select
import sys
import time
from collections.abc import Callable, Iterable

from IPython.core.error import StdinNotImplementedError

from tah_jupyter.core.approvals import Allow, Answer, Deny
from tah_jupyter.core.errors import TahError
from tah_jupyter.core.questions import Choice, Question, Reply
from tah_jupyter.jupyter.printing import tell
from tah_jupyter.ui.cards import allowable
from tah_jupyter.ui.run_view import Approval
from tah_jupyter.ui.terminal_card import answers, answers_help, approval_card, named, numbered, question_card, titled
from tah_jupyter.ui.terminal_text import Line
from tah_jupyter.ui.visible import visible, visible_line
from tah_jupyter.ui.words import Words

__all__ = ["WIDTH", "ask_question", "ask_until_answered", "read_answer"]

WIDTH = 79
"""Columns of a question in a front end that does not say how wide it is."""

SETTLE_S = 0.4
"""How long a question stands before an answer counts: what comes sooner was meant for something else, as is the rest of
a paste (experience, section B3).
"""

PASTE_S = 0.02
"""How soon behind a line another key comes only when both were pasted."""

Read = Callable[[str], str]
Show = Callable[[Iterable[Line]], None]


def read_answer(text: str, *, can_grant: bool) -> Answer | None:
    """What a person typed, as an answer; None when it is none, so that it must be asked again.

    >>> read_answer("Y", can_grant=False), read_answer("", can_grant=True), read_answer("use %Y", can_grant=True)
    (Allow(scope='once'), None, Deny(reason='use %Y'))
    """
    match [word.casefold() for word in text.split()]:
        case ["y" | "yes"]:
            return Allow()
        case ["r"] if can_grant:
            return Allow("run")
        case ["n" | "no"]:
            return Deny()
        case [_, _, *_]:
            return Deny(text.strip())
        case _:
            return None


def ask_until_answered(
    approval: Approval, words: Words, read: Read, *, show: Show | None = None, width: int = WIDTH
) -> Answer | None:
    """Show the card and ask with ``read`` until there is an answer. None when nobody can be asked.

    Without ``show`` the card is printed, and said again in short beside the field: some front ends show only that.
    Raises TahError for what is too long to be shown whole: that is refused, never shortened.
    """
    if not allowable(approval, words):
        raise TahError(words.say("too_long"))
    keys = answers(approval, words, width)
    beside = [Line(titled(approval.headline, words)), *keys] if show is None else []
    show = show or _print
    show([*approval_card(approval, words, width), *([] if beside else keys)])
    while True:
        text = _read(_prompt(beside, words.say("allow_prompt")), read)
        if text is None:
            return None
        answer = read_answer(text, can_grant=approval.grant is not None)
        if isinstance(answer, Deny) and answer.reason:
            show([Line(words.say("denied_told", reason=visible_line(answer.reason).text))])
        if answer is not None:
            return answer
        if text.strip() == "?":
            show(answers_help(approval, words, width))


def ask_question(
    question: Question, words: Words, read: Read, *, show: Show | None = None, width: int = WIDTH
) -> Reply | None:
    """Show the question with numbered answers and ask with ``read`` until one is taken; then, where the question has a
    box to tick, whether it is. None when nobody can be asked. ``show`` as in :func:`ask_until_answered`.
    """
    card = question_card(question, words, width)
    beside = card if show is None else []
    show = show or _print
    show([] if beside else card)
    while True:
        text = _read(_prompt(beside, words.say("choose_prompt")), read)
        if text is None:
            return None
        choice = named(text, question)
        if choice is not None and choice.enabled:
            break
        show(_why_not(text, choice, question, words))
    if not question.remember or choice.key == "cancel":
        return Reply(choice.key)
    ticked = _ticked(question, words, read)
    return None if ticked is None else Reply(choice.key, remember=ticked)


def _why_not(text: str, choice: Choice | None, question: Question, words: Words) -> list[Line]:
    """What is said to an answer that is none: why, or how to answer. The harmless way out is named."""
    if text.strip() == "?" and question.detail:
        return [Line(line) for line in visible(question.detail).text.split("\n")]
    if choice is not None:
        return [Line(words.say("cannot_choose", what=visible_line(choice.label).text, why=choice.about))]
    for number, each in numbered(question).items():
        if each.key == "cancel":
            return [Line(words.say("choose_again_or", n=number, what=visible_line(each.label).text))]
    return [Line(words.say("choose_again"))]


def _ticked(question: Question, words: Words, read: Read) -> bool | None:
    """Whether to tick the box; Enter leaves it as it is. None when nobody can be asked any more."""
    keys = words.say("yes_or_no" if question.remembers else "no_or_yes")
    while True:
        text = _read(f"{visible_line(question.remember).text} {keys} ", read)
        if text is None:
            return None
        match text.strip().casefold():
            case "":
                return question.remembers
            case "y" | "yes":
                return True
            case "n" | "no":
                return False
            case _:
                continue


def _prompt(beside: list[Line], prompt: str) -> str:
    return "".join(f"{line.text}\n" for line in beside) + prompt


def _read(prompt: str, read: Read) -> str | None:
    """One answer; None when there is nobody. Bytes that are no text are an answer nobody understands, and so is the
    first line of a paste: it was meant for something else.
    """
    _drop_typed_ahead()
    try:
        text = read(prompt).encode("utf-8", "replace").decode()
        return "" if _more_comes() else text
    except UnicodeDecodeError:
        return ""
    except (EOFError, StdinNotImplementedError):
        return None


def _more_comes() -> bool:
    """Whether more stands behind the line that was read just now."""
    return _at_terminal() and bool(select.select([sys.stdin.fileno()], [], [], PASTE_S)[0])


def _at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _drop_typed_ahead() -> None:
    """Throw away what was typed before the question, and what still comes while it appears."""
    if not _at_terminal():
        return
    import termios  # noqa: PLC0415 - exists only where terminals are of this kind

    terminal = sys.stdin.fileno()
    end = time.monotonic() + SETTLE_S
    while (left := end - time.monotonic()) > 0:
        termios.tcflush(terminal, termios.TCIFLUSH)
        select.select([terminal], [], [], left)
    termios.tcflush(terminal, termios.TCIFLUSH)


def _print(lines: Iterable[Line]) -> None:
    for line in lines:
        tell(line.text)
