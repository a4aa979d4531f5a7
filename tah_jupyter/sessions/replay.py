"""What a crash left open in a log, and the records that close it (law 3). Nothing here runs anything again."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from tah_jupyter.core.calls import Usage
from tah_jupyter.core.events import (
    ApprovalAnswered,
    ApprovalRequested,
    CallSealed,
    Event,
    MessageFinished,
    MessageStarted,
    NoteQueued,
    NoteWithdrawn,
    Notice,
    ProcessStarted,
    PromptAdded,
    QuestionAnswered,
    QuestionAsked,
    RunEnded,
    RunStarted,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from tah_jupyter.core.messages import CallPart
from tah_jupyter.toolkit.schema import sendable_name

__all__ = ["close_brackets", "survivors"]

UNKNOWN_TEXT = (
    "The kernel ended while this call was running. It may or may not have happened, wholly or in part, and it was not "
    "run again. Check the present state before you go on; do not simply repeat the call."
)
NOT_RUN_TEXT = "Not run: the kernel ended before this call began, so it changed nothing."

E = TypeVar("E", bound=Event)
Place = tuple[str, int]  # parent and run
Step = tuple[str, int, int]  # parent, run and turn


@dataclass(slots=True)
class _Call:
    opened: Event
    call: str
    tool: str
    message: str = ""
    arguments: str = "{}"
    started: bool = False


@dataclass(slots=True)
class _Open:
    """The brackets that are open, each in order of its start."""

    runs: dict[Place, RunStarted] = field(default_factory=dict)
    turns: dict[Step, TurnStarted] = field(default_factory=dict)
    messages: dict[str, MessageStarted] = field(default_factory=dict)
    calls: dict[str, _Call] = field(default_factory=dict)
    approvals: dict[str, ApprovalRequested] = field(default_factory=dict)
    questions: dict[str, QuestionAsked] = field(default_factory=dict)
    notes: dict[str, NoteQueued] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)  # calls
    parts: dict[str, list[CallPart]] = field(default_factory=dict)  # sealed calls of open messages
    run_usage: dict[Place, Usage] = field(default_factory=dict)
    turn_usage: dict[Step, Usage] = field(default_factory=dict)

    def apply(self, event: Event) -> None:
        match event:
            case RunStarted():
                self.runs[event.parent, event.run] = event
                self.run_usage[event.parent, event.run] = Usage()
            case RunEnded():
                self.runs.pop((event.parent, event.run), None)
            case TurnStarted():
                self.turns[event.parent, event.run, event.turn] = event
                self.turn_usage[event.parent, event.run, event.turn] = Usage()
            case TurnEnded():
                self.turns.pop((event.parent, event.run, event.turn), None)
            case MessageStarted():
                self.messages[event.message] = event
            case MessageFinished():
                self._finish_message(event)
            case ApprovalRequested():
                self.approvals[event.approval] = event
            case ApprovalAnswered():
                self.approvals.pop(event.approval, None)
            case QuestionAsked():
                self.questions[event.question.question_id] = event
            case QuestionAnswered():
                self.questions.pop(event.question, None)
            case NoteQueued():
                self.notes[event.note] = event
            case NoteWithdrawn() | PromptAdded():
                self.notes.pop(event.note, None)
            case _:
                self._apply_to_call(event)

    def _apply_to_call(self, event: Event) -> None:
        match event:
            case CallSealed():
                self._seal(event)
            case ToolStarted() if event.call not in self.ended:
                self.calls.setdefault(event.call, _Call(event, event.call, event.tool)).started = True
            case ToolFinished() | ToolFailed():
                self.calls.pop(event.call, None)
                self.ended.add(event.call)
            case _:
                pass

    def _seal(self, event: CallSealed) -> None:
        arguments = msgspec.json.encode(event.args).decode()
        part = CallPart(event.call, sendable_name(event.tool), arguments)
        self.parts.setdefault(event.message, []).append(part)
        if event.call not in self.ended:
            self.calls[event.call] = _Call(event, event.call, event.tool, event.message, arguments)

    def _finish_message(self, event: MessageFinished) -> None:
        self.messages.pop(event.message, None)
        self.parts.pop(event.message, None)
        for part in event.calls:
            if part.call_id not in self.ended:
                self.calls.setdefault(part.call_id, _Call(event, part.call_id, part.tool, event.message))
        place, step = (event.parent, event.run), (event.parent, event.run, event.turn)
        self.run_usage[place] = self.run_usage.get(place, Usage()) + event.usage
        self.turn_usage[step] = self.turn_usage.get(step, Usage()) + event.usage


def close_brackets(events: Iterable[Event]) -> list[Event]:
    """The records to append so that everything that ``events`` leave open is closed; empty when nothing is.

    An approval that waited is ``unanswered``, a question has no answer, an unread note is withdrawn and its words are
    shown. A call that ran fails as ``unknown_after_crash``, one that had not begun as ``not_run``; each call of an open
    message so gets exactly one result, in the order of the calls. The message ends as ``cut``, the run as ``crashed``.
    What belongs to sub-agents closes first.

    The records carry the place (session, run, turn, parent) of what they close, go on counting ``seq``, and have the
    time of the last event: when the crash was, nobody knows. The function is pure, and closing twice adds nothing.
    """
    state, last = _Open(), None
    for last in events:
        state.apply(last)
    if last is None:
        return []
    ends = [*_approval_ends(state), *_question_ends(state), *_note_ends(state), *_message_ends(state)]
    ends += [*_call_ends(state), *_turn_ends(state), *_run_ends(state, last.ts)]
    inner_first = sorted(ends, key=lambda end: end.parent == "")
    return [replace(end, seq=last.seq + number, ts=last.ts) for number, end in enumerate(inner_first, start=1)]


def survivors(events: Iterable[Event]) -> list[tuple[int, float]]:
    """Processes, as (pid, start time), of calls that have no end in ``events``: they may still run.

    Ask before the records of :func:`close_brackets` are appended: those end the calls.
    """
    started: dict[str, list[tuple[int, float]]] = {}
    for event in events:
        if isinstance(event, ProcessStarted):
            started.setdefault(event.call, []).append((event.pid, event.created))
        elif isinstance(event, (ToolFinished, ToolFailed)):
            started.pop(event.call, None)
    return [process for processes in started.values() for process in processes]


def _at(opened: Event, end: E) -> E:
    return replace(end, session=opened.session, run=opened.run, turn=opened.turn, parent=opened.parent)


def _approval_ends(state: _Open) -> list[Event]:
    return [
        _at(asked, ApprovalAnswered(approval=asked.approval, call=asked.call, outcome="unanswered"))
        for asked in state.approvals.values()
    ]


def _question_ends(state: _Open) -> list[Event]:
    return [_at(asked, QuestionAnswered(question=question)) for question, asked in state.questions.items()]


def _note_ends(state: _Open) -> list[Event]:
    return [
        _at(queued, end)
        for note, queued in state.notes.items()
        for end in (NoteWithdrawn(note=note), Notice(text=queued.text, code="unread"))
    ]


def _message_ends(state: _Open) -> list[Event]:
    return [
        _at(opened, MessageFinished(message=message, calls=tuple(state.parts.get(message, ())), finish="cut"))
        for message, opened in state.messages.items()
    ]


def _call_ends(state: _Open) -> list[Event]:
    return [
        _at(
            call.opened,
            ToolFailed(call=call.call, tool=call.tool, error="unknown_after_crash", text=UNKNOWN_TEXT)
            if call.started
            else ToolFailed(call=call.call, tool=call.tool, error="not_run", text=NOT_RUN_TEXT),
        )
        for call in state.calls.values()
    ]


def _turn_ends(state: _Open) -> list[Event]:
    return [_at(opened, TurnEnded(usage=state.turn_usage[step])) for step, opened in state.turns.items()]


def _run_ends(state: _Open, now: float) -> list[Event]:
    return [
        _at(
            opened,
            RunEnded(
                reason="crashed",
                error="The kernel ended during this run.",
                next_step="Ask again to go on; what was running is not repeated by itself.",
                usage=state.run_usage[place],
                duration_ms=round(max(0.0, now - opened.ts) * 1000, 3),
            ),
        )
        for place, opened in state.runs.items()
    ]
