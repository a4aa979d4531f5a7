"""What ``%tah show`` and ``%tah sessions show`` print: looks at a session, changes nothing.

The session is the open one, or, before the first request after a restart, the one this notebook would go on with, read
from its log; an empty one where there is none.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from IPython.core.error import UsageError

from tah_jupyter.agent.tally import Tally
from tah_jupyter.app import built_in_tools
from tah_jupyter.core.calls import Usage
from tah_jupyter.host.files.workspace import Workspace
from tah_jupyter.host.secrets.redact import Redactor
from tah_jupyter.jupyter.columns import aligned
from tah_jupyter.jupyter.conversation import Conversation
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.sessions.reading import read_log
from tah_jupyter.sessions.store import Store
from tah_jupyter.toolkit.registry import TOOLS
from tah_jupyter.toolkit.tool import Tool
from tah_jupyter.ui.figures import money, tokens
from tah_jupyter.ui.paint import MARKS
from tah_jupyter.ui.record import record
from tah_jupyter.ui.transcript import Transcript
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = ["SUBJECTS", "Look", "look", "run"]


class Look(NamedTuple):
    """A session as it stands."""

    transcript: Transcript
    tally: Tally
    words: Words
    tools: tuple[Tool[Any, Any], ...]


def look(loaded: Loaded) -> Look:
    """The open session, else what the log tells of this notebook's. Blocks. Raises LogError."""
    talk = loaded.agent.conversation
    return (_open_now(talk, loaded.words) if talk is not None else None) or _not_open(loaded)


def _open_now(talk: Conversation, words: Words) -> Look | None:
    """The open session, or None."""
    if talk.session is None:
        return None
    tools = tuple(talk.session.runtime.get(TOOLS).list())
    return Look(talk.transcript, talk.session.tally, words, tools)


def _not_open(loaded: Loaded) -> Look:
    """The session this notebook would go on with, from its log, and the built-in tools."""
    place, config = loaded.place, loaded.config()
    store = Store(place.root, config.session_dir, redactor=Redactor())
    kept = store.find(place.notebook) if place.notebook else None
    records = read_log(kept.log_path).events if kept is not None else ()
    tools = built_in_tools(Workspace(place.root), config)
    return Look(Transcript.of(records), Tally.of(records), loaded.words, tuple(tools))


def run(look: Look, number: int) -> dict[str, str]:
    """The record of one run, as it was left when it ended. Raises UsageError when there is no such run."""
    if number not in look.transcript.runs:
        known = ", ".join(map(str, look.transcript.runs)) or look.words.say("none")
        raise UsageError(look.words.say("no_run", n=number, known=known))
    return record(look.transcript.run(number), language=look.words.language, whole=True)


def _todos(look: Look) -> Iterable[str]:
    lines = [f"{MARKS[todo.status]} {visible_line(todo.content).text}" for todo in look.tally.todos]
    return lines or [look.words.say("no_plan")]


def _tools(look: Look) -> Iterable[str]:
    return aligned([(tool.name, visible_line(tool.description()).text) for tool in look.tools])


def _cost(look: Look) -> Iterable[str]:
    """A line a run, and the sum. A sum with an unknown part is unknown."""
    words = look.words
    if not look.transcript.runs:
        return [words.say("no_runs")]
    total, cost = Usage(), 0.0
    unknown, host = False, ""
    rows: list[tuple[str, str]] = []
    for number in look.transcript.runs:
        view = look.transcript.run(number)
        total, host = total + view.usage, view.host
        unknown = unknown or view.cost_usd is None
        cost += view.cost_usd or 0.0
        rows.append((words.say("run", n=number), _spent(view.usage, money(view.cost_usd, view.host, words), words)))
    return aligned(
        [*rows, (words.say("all_runs"), _spent(total, money(None if unknown else cost, host, words), words))]
    )


def _spent(usage: Usage, price: str, words: Words) -> str:
    spent = words.say("tokens", tokens=tokens(usage.input_tokens), out=tokens(usage.output_tokens))
    return f"{spent} · {price}"


SUBJECTS: dict[str, Callable[[Look], Iterable[str]]] = {"todos": _todos, "tools": _tools, "cost": _cost}
