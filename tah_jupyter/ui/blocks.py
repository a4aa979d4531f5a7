"""The parts of a run while they grow. Each keeps its frozen snapshot until a record touches it again."""

import re
from collections import deque
from typing import Any, Generic, TypeAlias, TypeVar

from msgspec.structs import replace

from tah_jupyter.core.approvals import Scope
from tah_jupyter.core.calls import Change, Headline
from tah_jupyter.core.events import (
    ApprovalAnswered,
    ApprovalRequested,
    CallSealed,
    MessageFinished,
    ModelChanged,
    Notice,
    PermissionDenied,
    PermissionGranted,
    PromptAdded,
    RunEnded,
    TextDelta,
    ThinkingDelta,
    ToolFailed,
    ToolFinished,
    ToolProgress,
    ToolStarted,
)
from tah_jupyter.core.views import Text, View
from tah_jupyter.ui.run_view import Approval, CallState, Note, Permission, Said, Step, Tail

__all__ = ["ApprovalBuilder", "CallBuilder", "CallRecord", "MessageBuilder", "NoteBuilder"]

TAIL_CHARS = 64_000
"""How much of a running call's output is kept for people; the whole of it is the tool's to keep."""

CallRecord: TypeAlias = CallSealed | PermissionGranted | PermissionDenied | ToolStarted | ToolFinished | ToolFailed

_CUT_SHORT = frozenset({"Interrupted", "Cancelled", "unknown_after_crash"})
_NEVER_BEGAN = frozenset({"NotRun", "not_run"})

Snapshot = TypeVar("Snapshot", Said, Step, Note)


class _Builder(Generic[Snapshot]):
    """A block: its id, its place in the run, and the last snapshot made of it."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.item = ""
        self.placed = False
        self.touched = frozenset({id})
        self._snapshot: Snapshot | None = None

    def place(self, item: str) -> None:
        self.placed = True
        self.item = item
        self._snapshot = None

    def view(self) -> Snapshot:
        if self._snapshot is None:
            self._snapshot = self._build()
        return self._snapshot

    def _changed(self) -> frozenset[str]:
        self._snapshot = None
        return self.touched if self.placed else frozenset()

    def _build(self) -> Snapshot:
        raise NotImplementedError


class _Growing:
    """Text that is appended to often and read seldom: joined when somebody looks."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[str] = []

    def append(self, text: str) -> None:
        self._parts.append(text)

    def value(self) -> str:
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""


class MessageBuilder(_Builder[Said]):
    """A model message: deltas until its end, which brings the whole text."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._text = _Growing()
        self._thinking = _Growing()
        self._end: MessageFinished | None = None

    def delta(self, record: TextDelta | ThinkingDelta) -> frozenset[str]:
        if self._end is not None:
            return frozenset()
        (self._text if isinstance(record, TextDelta) else self._thinking).append(record.text)
        return self._changed()

    def finish(self, record: MessageFinished) -> frozenset[str]:
        if self._end is None:
            self._end = record
        return self._changed()

    def _build(self) -> Said:
        end = self._end
        if end is None:
            return Said(self.id, self.item, self._text.value(), self._thinking.value(), "", False)
        return Said(self.id, self.item, end.text, end.thinking, end.finish, bool(end.calls))


class CallBuilder(_Builder[Step]):
    """A call from its arguments to its one end."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._sealed: CallSealed | None = None
        self._request: ApprovalRequested | None = None
        self._answer: ApprovalAnswered | None = None
        self._permission: Permission | None = None
        self._start: ToolStarted | None = None
        self._end: ToolFinished | ToolFailed | None = None
        self._output: deque[str] = deque()
        self._kept = 0
        self._newlines = 0
        self._open_line = False
        self._live: View | None = None
        self._fraction: float | None = None

    def tell(self, record: CallRecord) -> frozenset[str]:
        match record:
            case CallSealed():
                self._sealed = record
            case PermissionGranted():
                self._permission = Permission(True, record.source, record.rule, record.scope)
            case PermissionDenied():
                self._permission = Permission(False, record.source, record.rule, None, record.reason)
            case ToolStarted():
                self._start = record
            case ToolFinished() | ToolFailed():
                self._end = self._end or record
                self._output.clear()
        return self._changed()

    def asked(self, record: ApprovalRequested) -> frozenset[str]:
        self._request, self._answer = record, None
        return self._changed()

    def answered(self, record: ApprovalAnswered) -> frozenset[str]:
        self._answer = record
        return self._changed()

    def progress(self, record: ToolProgress) -> frozenset[str]:
        if self._end is not None:
            return frozenset()
        if record.text:
            self._keep(record.text)
        self._live = record.view or self._live
        self._fraction = self._fraction if record.fraction is None else record.fraction
        return self._changed()

    def _keep(self, text: str) -> None:
        """Add output and let go of what is too far back; every line stays counted."""
        self._newlines += text.count("\n")
        self._open_line = not text.endswith("\n")
        self._output.append(text)
        self._kept += len(text)
        while len(self._output) > 1 and self._kept - len(self._output[0]) >= TAIL_CHARS:
            self._kept -= len(self._output.popleft())

    @property
    def _state(self) -> CallState:
        if isinstance(self._end, ToolFinished):
            return "done"
        if isinstance(self._end, ToolFailed):
            return self._failure(self._end)
        if self._start is not None:
            return "running"
        return "waiting" if self._request is not None and self._answer is None else "queued"

    def _failure(self, end: ToolFailed) -> CallState:
        if self._answer is not None and self._answer.outcome == "interrupted":
            return "interrupted"
        if end.error in _CUT_SHORT:
            return "interrupted" if self._start is not None else "not_run"
        if self._permission is not None and not self._permission.allowed:
            return "denied"
        return "not_run" if end.error in _NEVER_BEGAN else "failed"

    @property
    def _headline(self) -> Headline:
        for told in (self._start, self._request):
            if told is not None:
                return told.headline
        if self._sealed is not None:
            first = next((value for value in self._sealed.args.values() if isinstance(value, str)), "")
            return Headline(self._sealed.tool, first[:120])
        return Headline(self._tool)

    @property
    def _tool(self) -> str:
        told = self._sealed or self._start or self._end or self._request
        return told.tool if told is not None else ""

    def _build(self) -> Step:
        end: Any = self._end
        failed = isinstance(end, ToolFailed)
        return Step(
            id=self.id,
            item=self.item,
            tool=self._tool,
            headline=self._headline,
            state=self._state,
            folds=self._start is not None and self._start.folds,
            permission=self._decided(),
            asked=self._request.view if self._request is not None else None,
            view=self._view(),
            tail=self._tail(),
            fraction=None if end is not None else self._fraction,
            error=end.error if failed else "",
            text=end.text if failed else "",
            changes=self._changes(),
            duration_ms=end.duration_ms if end is not None else 0.0,
            started_ts=self._start.ts if self._start is not None else 0.0,
            spilled=end.spilled if isinstance(end, ToolFinished) else "",
        )

    def _decided(self) -> Permission | None:
        """The gate's word; of a person's no only what the person said, not what the model was told of it."""
        permission = self._permission
        if permission is None or permission.allowed or permission.source != "person":
            return permission
        return replace(permission, reason=self._answer.reason if self._answer is not None else "")

    def _view(self) -> View | None:
        if self._end is None:
            return self._live
        if isinstance(self._end, ToolFinished) and self._end.view is None and self._end.text:
            return Text(self._end.text)
        return self._end.view

    def _tail(self) -> Tail | None:
        if self._end is not None or not self._output:
            return None
        text = "".join(self._output)
        self._output = deque([text])
        return Tail(text[-TAIL_CHARS:], self._newlines + self._open_line)

    def _changes(self) -> tuple[Change, ...]:
        return self._end.changes if self._end is not None else ()


_MARK = re.compile(r"^\[tah notice \w+\] ")
"""How our words to the model begin; it tells them from content there, and a person nothing."""


class NoteBuilder(_Builder[Note]):
    """A notice, text that joined the conversation (code ``prompt``, or ``note`` when the person wrote it meanwhile), or
    another model that answers from now on (code ``model``).
    """

    def __init__(self, id: str, record: Notice | PromptAdded | ModelChanged) -> None:
        super().__init__(id)
        self._record = record

    def _build(self) -> Note:
        record = self._record
        if isinstance(record, PromptAdded):
            code = "note" if record.note else "prompt"
            return Note(self.id, self.item, _MARK.sub("", record.text), "info", code)
        if isinstance(record, ModelChanged):
            return Note(self.id, self.item, record.because, "warning", "model", model=record.model)
        return Note(self.id, self.item, record.text, record.level, record.code, record.until)


class ApprovalBuilder:
    """A question and its one answer. ``total`` grows while others join the queue."""

    def __init__(self, record: ApprovalRequested, *, number: int) -> None:
        self.record = record
        self.number = number
        self.total = number
        self.answer: ApprovalAnswered | None = None

    def unanswered(self, end: RunEnded) -> ApprovalAnswered:
        """The answer a run's end gives to a question that is still open."""
        return ApprovalAnswered(
            approval=self.record.approval, call=self.record.call, outcome="unanswered", ts=end.ts, run=end.run
        )

    def view(self) -> Approval:
        record, answer = self.record, self.answer
        scope: Scope | None = answer.scope if answer is not None else None
        return Approval(
            id=record.approval,
            call=record.call,
            tool=record.tool,
            headline=record.headline,
            view=record.view,
            asks_because=record.asks_because,
            grant=record.grant,
            number=self.number,
            total=self.total,
            outcome=answer.outcome if answer is not None else None,
            scope=scope,
            reason=answer.reason if answer is not None else "",
        )
