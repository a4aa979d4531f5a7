"""What a session is made of, and what a run comes to."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from tah_jupyter.agent.recovery import OpenModel
from tah_jupyter.core.calls import Change, Todo, Usage
from tah_jupyter.core.commands import AnswerApproval, AnswerQuestion
from tah_jupyter.core.events import Event, StopReason
from tah_jupyter.core.ports import Model, Person

__all__ = ["Result", "Setup"]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came to. ``cost`` is in USD, None when a price is unknown; ``events`` are the run's records."""

    text: str
    stop_reason: StopReason
    changes: tuple[Change, ...]
    usage: Usage
    cost: float | None
    todos: tuple[Todo, ...]
    events: tuple[Event, ...]
    session_id: str
    run: int
    error: str = ""
    next_step: str = ""


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """What a session is made of; ``app`` puts it together.

    ``records`` are those of earlier openings, ``answer`` takes a person's answer to an approval or question, ``person``
    is whom a run may turn to, ``open_model`` opens another model by name and ``fallbacks`` are names to try when one
    fails. ``set_mode`` (which raises TahError for a mode that does not exist) and ``end_run`` tell the gate, ``redact``
    masks secrets in what a caller is given, and ``look_again`` is called before each turn, as a secret may be new by
    then. ``results_dir`` is where whole outputs may be kept. ``vision`` goes before what the model says of itself,
    where config settles it.
    """

    session_id: str
    model: Model
    system: str
    records: tuple[Event, ...]
    answer: Callable[[AnswerApproval | AnswerQuestion], bool]
    set_mode: Callable[[str], None]
    end_run: Callable[[], None]
    mode: Callable[[], str]
    redact: Callable[[str], str] = str
    look_again: Callable[[], None] = lambda: None
    max_turns: int = 50
    pass_env: tuple[str, ...] = ()
    vision: bool | None = None
    results_dir: Path | None = None
    person: Person | None = None
    open_model: OpenModel | None = None
    fallbacks: tuple[str, ...] = ()
