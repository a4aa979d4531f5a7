"""What ``%tah show`` and ``%tah sessions show`` print: looks at the open session, changes nothing."""

from collections.abc import Callable, Iterable

from IPython.core.error import UsageError

from tah_jupyter.core.calls import Usage
from tah_jupyter.jupyter.conversation import Conversation
from tah_jupyter.toolkit.registry import TOOLS
from tah_jupyter.ui.figures import money, tokens
from tah_jupyter.ui.paint import MARKS
from tah_jupyter.ui.record import record
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = ["SUBJECTS", "run"]


def run(talk: Conversation, number: int) -> dict[str, str]:
    """The record of one run, as it was left when it ended. Raises UsageError when there is no such run."""
    if number not in talk.transcript.runs:
        known = ", ".join(map(str, talk.transcript.runs)) or "none"
        raise UsageError(f"No run {number} in this session. Runs: {known}.")
    return record(talk.transcript.run(number), language=talk.language)


def _todos(talk: Conversation) -> Iterable[str]:
    todos = talk.session.tally.todos if talk.session is not None else ()
    return [f"{MARKS[todo.status]} {visible_line(todo.content).text}" for todo in todos] or ["No plan yet."]


def _tools(talk: Conversation) -> Iterable[str]:
    tools = talk.session.runtime.get(TOOLS).list() if talk.session is not None else []
    width = max((len(tool.name) for tool in tools), default=0)
    return [f"{tool.name:<{width}}  {visible_line(tool.description()).text}" for tool in tools]


def _cost(talk: Conversation) -> Iterable[str]:
    """A line a run, and the sum. A sum with an unknown part is unknown."""
    words = Words(talk.language)
    total, cost = Usage(), 0.0
    unknown = False
    for number in talk.transcript.runs:
        view = talk.transcript.run(number)
        total += view.usage
        unknown = unknown or view.cost_usd is None
        cost += view.cost_usd or 0.0
        yield _line(f"run {number}", view.usage, money(view.cost_usd, view.host, words))
    host = talk.session.model.host if talk.session is not None else ""
    yield _line("all", total, money(None if unknown else cost, host, words))


def _line(what: str, usage: Usage, price: str) -> str:
    return f"{what:<7} {tokens(usage.input_tokens)} in · {tokens(usage.output_tokens)} out · {price}"


SUBJECTS: dict[str, Callable[[Conversation], Iterable[str]]] = {"todos": _todos, "tools": _tools, "cost": _cost}
