"""What a block of a run is and counts as, whatever the language."""

from tah_jupyter.core.views import Command, Diff, Output, Plan, Stack, View
from tah_jupyter.ui.run_view import Block, CallState, Note, RunView, Said, Step

__all__ = ["CALL_MARKS", "is_step", "kind_of", "mark", "may_have_changed", "parts_of", "unanswered"]

CALL_MARKS: dict[CallState, str] = {
    "queued": "○",
    "waiting": "◆",
    "running": "◐",
    "done": "✓",
    "failed": "✕",
    "denied": "✕",
    "interrupted": "■",
    "not_run": "–",
}
"""Shapes of the states of a call."""


def mark(step: Step) -> str:
    """The shape of a call; a command that ran and said no is marked as such."""
    failed = step.state == "done" and any(isinstance(part, Output) and part.failed for part in parts_of(step.view))
    return CALL_MARKS["failed" if failed else step.state]


def parts_of(view: View | None) -> tuple[View, ...]:
    """A view, or the views stacked in it."""
    if isinstance(view, Stack):
        return tuple(part for each in view.views for part in parts_of(each))
    return (view,) if view is not None else ()


def is_step(block: Block) -> bool:
    """Whether a block counts as a step: a call or words of the model. The plan has its own place."""
    match block:
        case Said():
            return bool(block.text.strip())
        case Step():
            return not isinstance(block.view, Plan)
        case Note():
            return False


def kind_of(block: Block) -> str:
    """The kind of a step, as a key of the words that count it."""
    if not isinstance(block, Step):
        return "notes"
    if block.folds:
        return "looked_at"
    parts = (*parts_of(block.view), *parts_of(block.asked))
    if block.changes or any(isinstance(part, Diff) for part in parts):
        return "edits"
    return "commands" if any(isinstance(part, Output | Command) for part in parts) else "other_calls"


def may_have_changed(step: Step) -> bool:
    """Whether a call ran that does more than look."""
    began = step.state in ("running", "done", "failed") or (
        step.state == "interrupted" and (step.asked is None or step.permission is not None)
    )
    return began and not step.folds and not isinstance(step.view, Plan)


def unanswered(view: RunView) -> list[Step]:
    """The calls that were denied because nobody could answer."""
    return [step for step in view.steps if _nobody(step)]


def _nobody(step: Step) -> bool:
    return step.state == "denied" and step.permission is not None and step.permission.source == "nobody"
