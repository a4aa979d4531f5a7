"""Did it really happen? Looked at from outside of the agent: the project's tests, its files, and the session log."""

import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from tah_jupyter.core.calls import Todo
from tah_jupyter.core.events import (
    ApprovalAnswered,
    ApprovalRequested,
    CallSealed,
    Event,
    RunEnded,
    TodosUpdated,
    ToolFailed,
    ToolFinished,
    ToolStarted,
)
from tah_jupyter.core.views import Diff
from tah_jupyter.host.files.workspace import Workspace
from tah_jupyter.jupyter.demo.page import Card
from tah_jupyter.models.sample.project import Sample

__all__ = ["Evidence", "Outside", "counts", "files_of", "missing_parts", "run_tests"]

E = TypeVar("E")

_TESTS_S = 60.0
_LAST_LINES = 3


class Outside(NamedTuple):
    """A run of the project's tests that the agent has no part in."""

    passed: bool
    summary: str


class Evidence(NamedTuple):
    """Everything that was seen: files by path before and after, tests before and after, the log, the page's cards."""

    sample: Sample
    files_before: dict[str, str]
    files_after: dict[str, str]
    tests_before: Outside
    tests_after: Outside
    log: Sequence[Event]
    cards: Sequence[Card]
    cell_status: str
    last_line: str

    @property
    def changed(self) -> list[str]:
        """Files that are not as they were."""
        paths = self.files_before.keys() | self.files_after.keys()
        return sorted(path for path in paths if self.files_before.get(path) != self.files_after.get(path))


def run_tests(project: Path) -> Outside:
    """Run the tests as a person would, with this Python."""
    done = subprocess.run(
        [sys.executable, "-B", "-m", "unittest"],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=_TESTS_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    said = [line for line in done.stderr.strip().split("\n")[-_LAST_LINES:] if line]
    return Outside(done.returncode == 0, " · ".join(said))


def files_of(project: Path) -> dict[str, str]:
    """The digests of all files of the project, the agent's own folder and compiled files left out."""
    workspace = Workspace(project)
    paths = [path.relative_to(project) for path in sorted(project.rglob("*")) if path.is_file()]
    return {
        path.as_posix(): workspace.read(path.as_posix()).digest
        for path in paths
        if not {".tah", "__pycache__"} & set(path.parts)
    }


def missing_parts(seen: Evidence) -> list[str]:
    """What did not happen, in the order in which it should have; empty when all of it did."""
    return [words for happened, words in _parts(seen) if not happened]


def counts(seen: Evidence) -> str:
    """The totals of the last line."""
    calls, approvals = len(_all(seen.log, CallSealed)), len(_allowed(seen.log))
    parts = ((calls, "call"), (approvals, "approval"), (len(seen.changed), "file"))
    words = [f"{number} {noun}{'' if number == 1 else 's'}" for number, noun in parts]
    return f"{' · '.join(words)} changed"


def _parts(seen: Evidence) -> Iterator[tuple[bool, str]]:
    log, sample = seen.log, seen.sample
    plans = _all(log, TodosUpdated)
    tests = [end for end in _all(log, ToolFinished) if end.tool == "execute_command"]
    edits = [end.call for end in _all(log, ToolFinished) if end.changes]
    yield not seen.tests_before.passed, "the tests of the new project did not fail before"
    yield seen.cell_status == "ok", f"the cell did not end well ({seen.last_line})"
    yield bool(plans), "no plan was written"
    yield _overlapping(log, "read_file") >= 2, "no files were read side by side"
    yield any(end.tool == "grep" for end in _all(log, ToolFinished)), "nothing was searched"
    yield bool(tests) and not tests[0].text.startswith("[exit 0"), "the agent did not see the tests fail"
    yield bool(edits), _why_no_edit(log)
    yield (
        bool(edits) and all(call in _shown_and_allowed(seen) for call in edits),
        ("no edit was allowed on a card that showed its diff"),
    )
    changed = f"what changed is {', '.join(seen.changed)}" if seen.changed else "no file changed"
    yield seen.changed == [sample.broken_in], f"the mistake was in {sample.broken_in}, and {changed}"
    yield len(tests) > 1 and tests[-1].text.startswith("[exit 0"), "the agent did not see the tests pass"
    yield bool(plans) and _all_done(plans[-1].todos), "the plan was not carried out to its end"
    yield [end.reason for end in _all(log, RunEnded)] == ["end_turn"], "the run did not come to its end"
    yield seen.tests_after.passed, f"run outside of the agent, the tests fail ({seen.tests_after.summary})"


def _all_done(todos: Iterable[Todo]) -> bool:
    return all(todo.status == "completed" for todo in todos)


def _why_no_edit(log: Sequence[Event]) -> str:
    failed = [end.text for end in _all(log, ToolFailed) if end.tool == "edit_file"]
    return f"no edit was made ({failed[-1].rstrip('.')})" if failed else "no edit was made"


def _overlapping(log: Sequence[Event], tool: str) -> int:
    """How many calls of ``tool`` ran at once at most."""
    running, most = set[str](), 0
    for event in log:
        if isinstance(event, ToolStarted) and event.tool == tool:
            running.add(event.call)
        elif isinstance(event, ToolFinished | ToolFailed):
            running.discard(event.call)
        most = max(most, len(running))
    return most


def _allowed(log: Sequence[Event]) -> set[str]:
    return {answered.approval for answered in _all(log, ApprovalAnswered) if answered.outcome == "allowed"}


def _shown_and_allowed(seen: Evidence) -> set[str]:
    """Calls whose question was allowed, where the page's card held the very changes of the log's diff."""
    shown = {card.id: [line for line in card.diff if line[0] in "+-"] for card in seen.cards}
    allowed = _allowed(seen.log)
    return {
        asked.call
        for asked in _all(seen.log, ApprovalRequested)
        if asked.approval in allowed
        and isinstance(asked.view, Diff)
        and shown.get(asked.approval) == _changed_lines(asked.view)
    }


def _changed_lines(diff: Diff) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for hunk in diff.hunks for line in hunk.lines if line.kind in "+-"]


def _all(log: Sequence[Event], kind: type[E]) -> list[E]:
    return [event for event in log if isinstance(event, kind)]
