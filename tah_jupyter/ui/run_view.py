"""What one run looks like: frozen values that the fold makes, any thread may read and every renderer draws.

Nothing here depends on the order in which ends arrive (law 4) or on deltas: a picture made from the log alone equals
the one that was live.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Literal, TypeAlias

import msgspec

from tah_jupyter.core.approvals import Grant, Outcome, Scope
from tah_jupyter.core.calls import Change, Headline, Todo, Usage
from tah_jupyter.core.events import StopReason
from tah_jupyter.core.questions import Question
from tah_jupyter.core.views import View

__all__ = [
    "Approval",
    "Ask",
    "Block",
    "CallState",
    "Group",
    "Note",
    "Permission",
    "Queued",
    "RunState",
    "RunView",
    "Said",
    "Step",
    "Tail",
]

RunState = Literal["working", "waiting", "done", "stopped", "limit", "failed"]
CallState = Literal["queued", "waiting", "running", "done", "failed", "denied", "interrupted", "not_run"]


class Permission(msgspec.Struct, frozen=True):
    """How the gate decided. ``source`` as in the event; ``scope`` is set when a person said yes."""

    allowed: bool
    source: str
    rule: str = ""
    scope: Scope | None = None
    reason: str = ""


class Tail(msgspec.Struct, frozen=True):
    """The end of a running call's output; ``total_lines`` counts all of it."""

    text: str
    total_lines: int


class Said(msgspec.Struct, frozen=True):
    """The text of a model message. ``item`` is the plan item it came under; ``finish`` is empty while it streams."""

    id: str
    item: str
    text: str
    thinking: str
    finish: str
    has_calls: bool


class Step(msgspec.Struct, frozen=True):
    """One call. ``asked`` is what a card showed of it, ``view`` its result; ``timeout_s`` is 0 when there is none."""

    id: str
    item: str
    tool: str
    headline: Headline
    state: CallState
    folds: bool
    permission: Permission | None
    asked: View | None
    view: View | None
    tail: Tail | None
    fraction: float | None
    error: str
    text: str
    changes: tuple[Change, ...]
    duration_ms: float
    started_ts: float
    spilled: str

    def made(self, change: Change) -> bool:
        """Whether this call changed the target of ``change``."""
        return any((each.kind, each.target) == (change.kind, change.target) for each in self.changes)


class Note(msgspec.Struct, frozen=True):
    """Something the person should know. ``code`` says what: "prompt" is text that joined the conversation, "note" one
    of the person's, "model" that ``model`` answers from now on. ``until`` is when what it speaks of is over.
    """

    id: str
    item: str
    text: str
    level: Literal["info", "warning", "error"]
    code: str
    until: float = 0.0
    model: str = ""


Block: TypeAlias = Said | Step | Note


class Approval(msgspec.Struct, frozen=True):
    """A question in the queue: ``number`` of ``total`` since the queue was last empty; ``outcome`` is None while it
    waits.
    """

    id: str
    call: str
    tool: str
    headline: Headline
    view: View
    asks_because: tuple[str, ...]
    grant: Grant | None
    number: int
    total: int
    outcome: Outcome | None
    scope: Scope | None
    reason: str


class Ask(msgspec.Struct, frozen=True):
    """A question that is no approval; ``key`` is the choice taken, None while it waits, empty when nobody answered."""

    question: Question
    key: str | None = None
    label: str = ""


class Queued(msgspec.Struct, frozen=True):
    """A note of the person that the agent has not read yet."""

    id: str
    text: str


class Group(msgspec.Struct, frozen=True):
    """Neighbouring blocks under one plan item; ``item`` is empty for what came before or without a plan."""

    item: str
    blocks: tuple[Block, ...]
    finished: bool

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(block for block in self.blocks if isinstance(block, Step))

    @property
    def duration_s(self) -> float:
        """Seconds its calls ran, added up."""
        return sum(step.duration_ms for step in self.steps) / 1000


class RunView(msgspec.Struct, frozen=True):
    """One run. Times are seconds since the epoch; ``waited_s`` is what the person took, which no clock counts.

    ``answer`` is the id of the message that ends the run with words, ``during`` what ran when it was ended from
    outside. ``cost_usd`` is None when it is unknown. ``context`` is the part of the model's window (0 to 1) that the
    last turn took, None when the window is unknown. ``kind`` and ``detail`` say more of an ``error``. ``quiet_since``
    is the last moment the model was heard of, None while it is not its turn; ``background`` says that no cell waits.
    ``sent_tokens`` is about what the last request was.
    """

    run: int
    prompt: str
    model: str
    host: str
    mode: str
    state: RunState
    blocks: tuple[Block, ...]
    todos: tuple[Todo, ...]
    approvals: tuple[Approval, ...]
    usage: Usage
    turns: int
    started_ts: float
    waited_s: float
    waiting_since: float | None
    ended_ts: float | None
    reason: StopReason | None
    error: str
    next_step: str
    cost_usd: float | None
    during: Headline | None
    context: float | None
    answer: str
    kind: str = ""
    detail: str = ""
    background: bool = False
    questions: tuple[Ask, ...] = ()
    queued: tuple[Queued, ...] = ()
    quiet_since: float | None = None
    sent_tokens: int = 0

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions that wait and are no approvals, oldest first."""
        return tuple(ask.question for ask in self.questions if ask.key is None)

    @property
    def pending(self) -> tuple[Approval, ...]:
        """The questions that wait, oldest first."""
        return tuple(approval for approval in self.approvals if approval.outcome is None)

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(block for block in self.blocks if isinstance(block, Step))

    @property
    def answer_text(self) -> str:
        return next((b.text for b in self.blocks if isinstance(b, Said) and b.id == self.answer), "")

    @property
    def now(self) -> Todo | None:
        """The plan item in progress."""
        return next((todo for todo in self.todos if todo.status == "in_progress"), None)

    @property
    def changes(self) -> tuple[Change, ...]:
        """What the run changed, one entry a target, lines added up, in order of first change."""
        merged: dict[tuple[str, str], Change] = {}
        for change in (change for step in self.steps for change in step.changes):
            key = (change.kind, change.target)
            before = merged.get(key)
            merged[key] = change if before is None else _joined(before, change)
        return tuple(merged.values())

    @property
    def groups(self) -> tuple[Group, ...]:
        """The blocks, the answer left out, folded under the plan item they belong to."""
        return tuple(self._groups())

    def _groups(self) -> Iterator[Group]:
        completed = {todo.content for todo in self.todos if todo.status == "completed"}
        shown = (block for block in self.blocks if block.id != self.answer)
        for item, blocks in groupby(shown, key=lambda block: block.item):
            yield Group(item, tuple(blocks), item in completed)

    def clock_s(self, now: float) -> float:
        """Seconds the run has worked at ``now`` (since the epoch), without the time it waited for a person."""
        end = now if self.ended_ts is None else self.ended_ts
        waiting = max(0.0, end - self.waiting_since) if self.waiting_since is not None else 0.0
        return max(0.0, end - self.started_ts - self.waited_s - waiting)


def _joined(before: Change, after: Change) -> Change:
    """Two changes of one target as one: made and then edited is still created."""
    created = before.action == "created" and after.action == "modified"
    return Change(
        after.target,
        after.kind,
        "created" if created else after.action,
        before.added + after.added,
        before.removed + after.removed,
    )
