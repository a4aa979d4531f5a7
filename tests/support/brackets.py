"""Law 3 as a check over records: what was opened is closed exactly once, and every call has exactly one end."""

from collections import Counter
from collections.abc import Iterable

from tah_jupyter.core.events import (
    ApprovalAnswered,
    ApprovalRequested,
    CallSealed,
    Event,
    MessageFinished,
    MessageStarted,
    NoteQueued,
    NoteWithdrawn,
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


def check_brackets(records: Iterable[Event]) -> None:
    """Raise AssertionError naming what is not closed, closed twice, or closed before it began."""
    opened: Counter[tuple[str, object]] = Counter()
    closed: Counter[tuple[str, object]] = Counter()
    for record in records:
        match record:
            case RunStarted():
                opened["run", record.run] += 1
            case RunEnded():
                _close(("run", record.run), opened, closed)
            case TurnStarted():
                opened["turn", (record.run, record.turn)] += 1
            case TurnEnded():
                _close(("turn", (record.run, record.turn)), opened, closed)
            case MessageStarted(message=id):
                opened["message", id] += 1
            case MessageFinished(message=id):
                _close(("message", id), opened, closed)
            case ApprovalRequested(approval=id):
                opened["approval", id] += 1
            case ApprovalAnswered(approval=id):
                _close(("approval", id), opened, closed)
            case QuestionAsked():
                opened["question", record.question.question_id] += 1
            case QuestionAnswered(question=id):
                _close(("question", id), opened, closed)
            case NoteQueued(note=id):
                opened["note", id] += 1
            case NoteWithdrawn(note=id):
                _close(("note", id), opened, closed)
            case PromptAdded(note=id) if id:
                _close(("note", id), opened, closed)
            case CallSealed(call=id):
                opened["call", id] += 1
            case ToolStarted(call=id):
                opened["start", id] += 1
                assert opened["call", id] == 1, f"{id} started without being sealed"
                assert closed["call", id] == 0, f"{id} started after its end"
            case ToolFinished(call=id) | ToolFailed(call=id):
                _close(("call", id), opened, closed)
    for key, count in opened.items():
        assert count == 1, f"{key} opened {count} times"
        if key[0] != "start":
            assert closed[key] == 1, f"{key} closed {closed[key]} times"


def _close(key: tuple[str, object], opened: Counter[tuple[str, object]], closed: Counter[tuple[str, object]]) -> None:
    closed[key] += 1
    assert opened[key] == 1, f"{key} closed but opened {opened[key]} times"
    assert closed[key] == 1, f"{key} closed twice"
