"""An approval at ``input()``: which answers there are, and how one is read (screen C2).

Only an answer that says so allows. Anything unclear asks again, and two words or more are a denial that is told to the
model.
"""

import sys
from collections.abc import Callable

from IPython.core.error import StdinNotImplementedError

from tah_jupyter.core.approvals import Allow, Answer, Deny
from tah_jupyter.core.errors import TahError
from tah_jupyter.ui.cards import allowable
from tah_jupyter.ui.run_view import Approval
from tah_jupyter.ui.text import card
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = ["ask_until_answered", "choices", "read_answer"]

_MORE = """\
y, yes  allow this call, once
r       allow what the line above says, until this run ends
n, no   deny; the agent goes on without it
Two words or more deny, and are told to the agent. Nothing else is an answer."""


def choices(approval: Approval) -> str:
    """The line of answers. It names the call again, because some front ends show only this beside the field."""
    covers = f" | r allow {visible_line(approval.grant.label).text} for this run" if approval.grant is not None else ""
    return (
        f"{visible_line(str(approval.headline)).text}\n"
        f"y allow once{covers} | n deny | ? more\n"
        "or type what it should do instead\n"
        "allow? "
    )


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


def ask_until_answered(approval: Approval, words: Words, read: Callable[[str], str]) -> Answer | None:
    """Show the card and ask with ``read`` until there is an answer. None when nobody can be asked.

    Raises TahError for what is too long to be shown whole: that is refused, never shortened.
    """
    if not allowable(approval, words):
        raise TahError(words.say("too_long"))
    print(card(approval, words), flush=True)
    while True:
        _drop_typed_ahead()
        try:
            text = read(choices(approval))
        except (EOFError, StdinNotImplementedError):
            return None
        answer = read_answer(text, can_grant=approval.grant is not None)
        if isinstance(answer, Deny) and answer.reason:
            print(f"denied, told the agent: {answer.reason}", flush=True)
        if answer is not None:
            return answer
        if text.strip() == "?":
            print(_MORE, flush=True)


def _drop_typed_ahead() -> None:
    """What was typed before the question appeared is no answer to it."""
    if sys.stdin is None or not sys.stdin.isatty():
        return
    import termios  # noqa: PLC0415 - exists only where terminals are of this kind

    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
