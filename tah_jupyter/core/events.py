"""Everything that happens, as one tagged union. The same types are the schema of the session log.

A record is an event with its stamp: ``{type, seq, ts, session, run, turn, parent?, …}``. Deltas (:data:`DELTAS`) may be
merged for a slow subscriber and are not logged; all others are durable and end up in the log in order of ``seq``.
"""

from typing import Any, Literal, TypeAlias

import msgspec

from tah_jupyter.core.approvals import Grant, Outcome, Scope
from tah_jupyter.core.calls import Change, Headline, Todo, Usage
from tah_jupyter.core.messages import CallPart
from tah_jupyter.core.questions import Question
from tah_jupyter.core.views import View

__all__ = [
    "DELTAS",
    "FORMAT",
    "ApprovalAnswered",
    "ApprovalRequested",
    "CallSealed",
    "Event",
    "MessageFinished",
    "MessageStarted",
    "ModeChanged",
    "ModelChanged",
    "NoteQueued",
    "NoteWithdrawn",
    "Notice",
    "PermissionDenied",
    "PermissionGranted",
    "ProcessStarted",
    "PromptAdded",
    "QuestionAnswered",
    "QuestionAsked",
    "RunEnded",
    "RunReleased",
    "RunStarted",
    "SessionOpened",
    "Stamp",
    "StopReason",
    "TextDelta",
    "ThinkingDelta",
    "TodosUpdated",
    "ToolFailed",
    "ToolFinished",
    "ToolProgress",
    "ToolStarted",
    "TurnEnded",
    "TurnStarted",
    "decode",
    "encode",
]

FORMAT = 1
"""Version of the log's format; line 1 of a log is ``{"format": 1}``."""

StopReason = Literal[
    "end_turn", "interrupted", "max_turns", "denied_stop", "model_error", "log_error", "error", "crashed"
]


class Stamp(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type"):
    """The part every event has; the emitter fills it in."""

    seq: int = 0
    ts: float = 0.0
    session: str = ""
    run: int = 0
    turn: int = 0
    parent: str = ""


class SessionOpened(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="session.opened"):
    """A process opened the session: once when it is new, once for each later opening."""

    root: str
    notebook: str = ""
    version: str = ""
    resumed: bool = False


class RunStarted(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="run.started"):
    """A prompt begins. ``model`` and ``host`` are shown: they say where the data goes. In the ``background`` no cell
    waits for it.
    """

    prompt: str
    model: str = ""
    host: str = ""
    mode: str = "default"
    background: bool = False


class RunEnded(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="run.ended"):
    """The one end of a run. ``cost_usd`` is absent when a price is unknown, never 0 for that reason.

    ``kind`` is the stable name of what went wrong, ``detail`` a provider's own words, which people may unfold.
    """

    reason: StopReason
    error: str = ""
    next_step: str = ""
    kind: str = ""
    detail: str = ""
    usage: Usage = Usage()
    cost_usd: float | None = None
    duration_ms: float = 0.0


class RunReleased(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="run.released"):
    """The person took the cell back; the run goes on in the background."""


class ModelChanged(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="model.changed"):
    """Another model answers from now on, and why; never without a word."""

    model: str
    host: str = ""
    because: str = ""


class TurnStarted(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="turn.started"):
    """A turn: one model message and the calls it makes."""


class TurnEnded(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="turn.ended"):
    """Every call of the turn has its result. ``context_window`` is the model's, in tokens, absent when unknown."""

    usage: Usage = Usage()
    context_window: int | None = None


class MessageStarted(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="message.started"):
    """The model was asked; its message will be called ``message``. ``sent_tokens`` is about how much it was sent, by
    four characters a token: what it really was is known when it has answered.
    """

    message: str
    sent_tokens: int = 0


class TextDelta(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="text.delta"):
    """More text of a message."""

    message: str
    text: str


class ThinkingDelta(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="thinking.delta"):
    """More reasoning of a message."""

    message: str
    text: str


class MessageFinished(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="message.finished"):
    """The one end of a message, with all its text. A ``finish`` other than stop or calls says it is not complete."""

    message: str
    text: str = ""
    thinking: str = ""
    calls: tuple[CallPart, ...] = ()
    finish: Literal["stop", "calls", "length", "filter", "cut", "interrupted", "failed"] = "stop"
    usage: Usage = Usage()


class CallSealed(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="call.sealed"):
    """A call's arguments are complete. ``raw`` is kept only where it differs from the JSON of ``args``; ``problem``
    says why it cannot run.
    """

    call: str
    message: str
    tool: str
    args: dict[str, Any] = {}
    raw: str = ""
    problem: str = ""
    provider_id: str = ""


class PermissionGranted(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="permission.granted"):
    """The gate let the call pass. ``source`` is rule, grant, person, mode or tool; ``rule`` the very text; ``digest``
    of the frozen input.
    """

    call: str
    tool: str
    source: str
    rule: str = ""
    scope: Scope | None = None
    digest: str = ""


class PermissionDenied(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="permission.denied"):
    """The gate refused the call."""

    call: str
    tool: str
    source: str
    reason: str
    rule: str = ""


class ApprovalRequested(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="approval.requested"):
    """A person is asked. It waits until it is answered, interrupted, or its kernel ends."""

    approval: str
    call: str
    tool: str
    headline: Headline
    view: View
    asks_because: tuple[str, ...] = ()
    grant: Grant | None = None
    digest: str = ""


class ApprovalAnswered(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="approval.answered"):
    """The one end of an approval."""

    approval: str
    call: str
    outcome: Outcome
    scope: Scope | None = None
    reason: str = ""


class QuestionAsked(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="question.asked"):
    """A person is asked what is no approval. It waits as an approval does."""

    question: Question


class QuestionAnswered(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="question.answered"):
    """The one end of a question. ``key`` is the choice taken, empty when nobody answered; ``label`` its words."""

    question: str
    key: str = ""
    label: str = ""


class NoteQueued(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="note.queued"):
    """The person wrote to the agent while it works; a PromptAdded with the same ``note`` says that it was read."""

    note: str
    text: str


class NoteWithdrawn(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="note.withdrawn"):
    """The person took a note back, or the run ended before it was read."""

    note: str


class ToolStarted(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="tool.started"):
    """A call runs. ``folds`` says that people need not look at it (search and read)."""

    call: str
    tool: str
    headline: Headline
    folds: bool = False
    digest: str = ""


class ToolProgress(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="tool.progress"):
    """News of a running call: more output, a new live view, or how far it is (0 to 1)."""

    call: str
    text: str = ""
    view: View | None = None
    fraction: float | None = None


class ToolFinished(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="tool.finished"):
    """The one good end of a call. ``text`` is what the model is told; ``spilled`` the file that holds the whole of a
    long result.
    """

    call: str
    tool: str
    text: str
    view: View | None = None
    duration_ms: float = 0.0
    changes: tuple[Change, ...] = ()
    spilled: str = ""


class ToolFailed(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="tool.failed"):
    """The one bad end of a call: unknown, invalid, denied, raised, cancelled, or unknown after a crash."""

    call: str
    tool: str
    error: str
    text: str
    view: View | None = None
    duration_ms: float = 0.0
    changes: tuple[Change, ...] = ()


class ProcessStarted(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="process.started"):
    """A child process; ``created`` is its start time as the system reports it, so that a survivor can be told from a
    reused pid.
    """

    call: str
    pid: int
    created: float


class PromptAdded(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="prompt.added"):
    """Text that joins the conversation as the user's, after the results of the turn: from a tool, a notice of ours, or
    the person's ``note`` of that id.
    """

    text: str
    source: str = ""
    note: str = ""


class TodosUpdated(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="todos.updated"):
    """The plan, whole."""

    todos: tuple[Todo, ...]


class ModeChanged(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="mode.changed"):
    """The permission mode from now on."""

    mode: str


class Notice(Stamp, frozen=True, kw_only=True, omit_defaults=True, tag="notice"):
    """Something the person should know; never the place for what the model must know. ``until`` (seconds since the
    epoch) is when what it speaks of is over, for a countdown; 0 when it says no time.
    """

    text: str
    level: Literal["info", "warning", "error"] = "info"
    code: str = ""
    until: float = 0.0


Event: TypeAlias = (
    SessionOpened | RunStarted | RunReleased | RunEnded | ModelChanged | TurnStarted | TurnEnded | MessageStarted |
    TextDelta | ThinkingDelta | MessageFinished | CallSealed | PermissionGranted | PermissionDenied |
    ApprovalRequested | ApprovalAnswered | QuestionAsked | QuestionAnswered | NoteQueued | NoteWithdrawn |
    ToolStarted | ToolProgress | ToolFinished | ToolFailed | ProcessStarted | PromptAdded | TodosUpdated | ModeChanged |
    Notice
)  # fmt: skip

DELTAS = (TextDelta, ThinkingDelta, ToolProgress)

encode = msgspec.json.Encoder().encode
"""An event as one line of JSON, without the newline."""

decode: "msgspec.json.Decoder[Event]" = msgspec.json.Decoder(Event)
"""``decode.decode(line)`` gives the event of one line of the log."""
