"""The fold of one run. Blocks stand where their first durable record put them; deltas change a block only while it is
open; the durable record that ends it says everything again.
"""

from typing import TypeVar

from tah_jupyter.core.calls import Headline, Todo, Usage
from tah_jupyter.core.events import (
    ApprovalAnswered,
    ApprovalRequested,
    CallSealed,
    Event,
    MessageFinished,
    MessageStarted,
    ModeChanged,
    ModelChanged,
    NoteQueued,
    NoteWithdrawn,
    Notice,
    PermissionDenied,
    PermissionGranted,
    PromptAdded,
    QuestionAnswered,
    QuestionAsked,
    RunEnded,
    RunReleased,
    RunStarted,
    TextDelta,
    ThinkingDelta,
    TodosUpdated,
    ToolFailed,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from tah_jupyter.ui.blocks import ApprovalBuilder, CallBuilder, MessageBuilder, NoteBuilder
from tah_jupyter.ui.run_view import Ask, Block, Queued, RunState, RunView, Said, Step

__all__ = ["HEADER", "PLAN", "RunFold"]

HEADER = "header"
"""The id under which state, clock, usage and endings of a run are touched."""

PLAN = "plan"
"""The id under which the to-do list is touched."""

B = TypeVar("B", MessageBuilder, CallBuilder, NoteBuilder)

_ENDINGS: dict[str, RunState] = {
    "end_turn": "done",
    "interrupted": "stopped",
    "denied_stop": "stopped",
    "max_turns": "limit",
}


class RunFold:
    """One run while it is being told."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._messages: dict[str, MessageBuilder] = {}
        self._calls: dict[str, CallBuilder] = {}
        self._approvals: dict[str, ApprovalBuilder] = {}
        self._blocks: list[MessageBuilder | CallBuilder | NoteBuilder] = []
        self._queue: list[ApprovalBuilder] = []
        self._start = RunStarted(prompt="")
        self._end: RunEnded | None = None
        self._mode = self._model = self._host = ""
        self._background = False
        self._todos: tuple[Todo, ...] = ()
        self._item = ""
        self._usage = Usage()
        self._turns = 0
        self._context: float | None = None
        self._questions: dict[str, Ask] = {}
        self._queued: dict[str, Queued] = {}
        self._quiet: dict[str, float] = {}
        self._sent_tokens = 0
        self._waiting_since: float | None = None
        self._waited_s = 0.0

    def apply(self, record: Event) -> frozenset[str]:
        match record:
            case TextDelta() | ThinkingDelta():
                self._heard(record.message, record.ts)
                return self._message(record.message).delta(record)
            case ToolProgress():
                return self._call(record.call).progress(record)
            case CallSealed() | PermissionGranted() | PermissionDenied() | ToolFinished() | ToolFailed():
                return self._placed(self._call(record.call)).tell(record)
            case ToolStarted():  # asked ahead, it may run under a later item of the plan
                self._placed(self._call(record.call)).place(self._item)
                return self._call(record.call).tell(record)
            case MessageStarted():
                self._quiet[record.message] = record.ts
                self._sent_tokens = record.sent_tokens
                return self._placed(self._message(record.message)).touched | {HEADER}
            case MessageFinished():
                self._usage += record.usage
                self._quiet.pop(record.message, None)
                return self._placed(self._message(record.message)).finish(record) | {HEADER}
            case ApprovalRequested():
                return self._ask(record)
            case ApprovalAnswered():
                return self._answer(record)
            case TodosUpdated():
                self._todos = record.todos
                self._item = next((todo.content for todo in record.todos if todo.status == "in_progress"), "")
                return frozenset({PLAN, HEADER})
            case QuestionAsked():
                self._wait(record.ts)
                self._questions[record.question.question_id] = Ask(record.question)
                return frozenset({HEADER})
            case QuestionAnswered():
                return self._reply(record)
            case Notice() | PromptAdded() | ModelChanged():
                return self._note(record)
            case NoteQueued():
                self._queued[record.note] = Queued(record.note, record.text)
                return frozenset({HEADER})
            case NoteWithdrawn():
                self._queued.pop(record.note, None)
                return frozenset({HEADER})
            case _:
                return self._apply_to_run(record)

    def _apply_to_run(self, record: Event) -> frozenset[str]:
        """What says something of the run as a whole, or nothing that is shown."""
        match record:
            case RunStarted():
                self._start = record
                self._mode, self._model, self._host = record.mode, record.model, record.host
                self._background = record.background
                return frozenset({HEADER})
            case RunReleased():
                self._background = True
                return frozenset({HEADER})
            case RunEnded():
                return self._finish(record)
            case TurnStarted():
                self._turns = max(self._turns, record.turn)
                return frozenset({HEADER})
            case ModeChanged():
                self._mode = record.mode
                return frozenset({HEADER})
            case TurnEnded():
                return self._turn_ended(record)
            case _:
                return frozenset()

    def _turn_ended(self, record: TurnEnded) -> frozenset[str]:
        if record.context_window and record.usage.input_tokens:
            self._context = (record.usage.input_tokens + record.usage.output_tokens) / record.context_window
        return frozenset({HEADER})

    def _message(self, id: str) -> MessageBuilder:
        if id not in self._messages:
            self._messages[id] = MessageBuilder(id)
        return self._messages[id]

    def _call(self, id: str) -> CallBuilder:
        if id not in self._calls:
            self._calls[id] = CallBuilder(id)
        return self._calls[id]

    def _placed(self, block: B) -> B:
        """Give the block its place and plan item at its first durable record; deltas alone give none."""
        if not block.placed:
            block.place(self._item)
            self._blocks.append(block)
        return block

    def _heard(self, message: str, ts: float) -> None:
        """The model was heard of; what comes after the end of its message says nothing any more."""
        if message in self._quiet:
            self._quiet[message] = ts

    def _note(self, record: Notice | PromptAdded | ModelChanged) -> frozenset[str]:
        if isinstance(record, ModelChanged):
            self._model, self._host = record.model, record.host
        elif isinstance(record, PromptAdded):
            self._queued.pop(record.note, None)
        return self._placed(NoteBuilder(f"note-{record.seq}", record)).touched | {HEADER}

    def _wait(self, ts: float) -> None:
        """The clock stands still while a person is asked."""
        if self._waiting_since is None:
            self._waiting_since = ts
            self._queue = []

    def _reply(self, record: QuestionAnswered) -> frozenset[str]:
        ask = self._questions.get(record.question)
        if ask is not None and ask.key is None:
            self._questions[record.question] = Ask(ask.question, record.key, record.label)
            self._rest(record.ts)
        return frozenset({HEADER})

    def _ask(self, record: ApprovalRequested) -> frozenset[str]:
        self._wait(record.ts)
        approval = ApprovalBuilder(record, number=len(self._queue) + 1)
        self._queue.append(approval)
        for each in self._queue:
            each.total = len(self._queue)
        self._approvals[record.approval] = approval
        call = self._placed(self._call(record.call))
        return call.asked(record) | {each.record.approval for each in self._queue} | {HEADER}

    def _answer(self, record: ApprovalAnswered) -> frozenset[str]:
        approval = self._approvals.get(record.approval)
        if approval is None or approval.answer is not None:
            return frozenset()
        approval.answer = record
        self._rest(record.ts)
        return self._call(record.call).answered(record) | {record.approval, HEADER}

    def _rest(self, ts: float) -> None:
        """Let the clock go on when nothing waits any more."""
        waits = any(each.answer is None for each in self._queue) or any(
            ask.key is None for ask in self._questions.values()
        )
        if self._waiting_since is not None and not waits:
            self._waited_s += max(0.0, ts - self._waiting_since)
            self._waiting_since = None

    def _finish(self, record: RunEnded) -> frozenset[str]:
        self._end = record
        touched: frozenset[str] = frozenset({HEADER})
        for approval in self._approvals.values():
            if approval.answer is None:
                touched |= self._answer(approval.unanswered(record))
        for ask in tuple(self._questions.values()):
            touched |= self._reply(QuestionAnswered(ts=record.ts, question=ask.question.question_id))
        self._queued.clear()
        self._quiet.clear()
        return touched

    def view(self) -> RunView:
        blocks = tuple(block.view() for block in self._blocks)
        end = self._end
        return RunView(
            run=self._number,
            prompt=self._start.prompt,
            model=self._model,
            host=self._host,
            mode=self._mode,
            state=self._state(),
            blocks=blocks,
            todos=self._todos,
            approvals=tuple(approval.view() for approval in self._approvals.values()),
            usage=end.usage if end is not None and end.usage != Usage() else self._usage,
            turns=self._turns,
            started_ts=self._start.ts,
            waited_s=self._waited_s,
            waiting_since=self._waiting_since,
            ended_ts=end.ts if end is not None else None,
            reason=end.reason if end is not None else None,
            error=end.error if end is not None else "",
            next_step=end.next_step if end is not None else "",
            cost_usd=end.cost_usd if end is not None else None,
            during=self._during(blocks),
            context=self._context,
            answer=self._answer_id(blocks),
            kind=end.kind if end is not None else "",
            detail=end.detail if end is not None else "",
            background=self._background,
            questions=tuple(self._questions.values()),
            queued=tuple(self._queued.values()),
            quiet_since=min(self._quiet.values(), default=None),
            sent_tokens=self._sent_tokens,
        )

    def _state(self) -> RunState:
        if self._end is not None:
            return _ENDINGS.get(self._end.reason, "failed")
        return "working" if self._waiting_since is None else "waiting"

    def _during(self, blocks: tuple[Block, ...]) -> Headline | None:
        """What ran, or waited for its answer, when the run was ended from outside: the last such call."""
        if self._end is None or self._end.reason == "end_turn":
            return None
        cut = [block for block in blocks if isinstance(block, Step) and block.state == "interrupted"]
        return cut[-1].headline if cut else None

    def _answer_id(self, blocks: tuple[Block, ...]) -> str:
        """The last message, when the run is over and that message has words and no calls."""
        last = next((block for block in reversed(blocks) if isinstance(block, Said)), None)
        answers = self._end is not None and last is not None and not last.has_calls and last.text.strip()
        return last.id if last is not None and answers else ""
