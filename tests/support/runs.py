"""One realistic run as records, cut wherever a test or a picture wants to look: the March totals of the reference
screens.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from tah_jupyter.core.approvals import CommandSubject, Grant, PathSubject
from tah_jupyter.core.calls import Change, Headline, Todo, Usage
from tah_jupyter.core.events import (
    ApprovalAnswered,
    ApprovalRequested,
    CallSealed,
    Event,
    MessageFinished,
    MessageStarted,
    PermissionGranted,
    RunEnded,
    RunStarted,
    TextDelta,
    TodosUpdated,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from tah_jupyter.core.messages import CallPart
from tah_jupyter.core.views import Code, Command, Diff, DiffLine, Hunk, Items, Output, Plan

RUN = 4
ITEMS = ("Look at data and loader", "Find the cause", "Fix it", "Run the tests")
DIFF = Diff(
    "src/load.py",
    (
        Hunk(
            (
                DiffLine(" ", 42, 42, "    df = pd.read_csv(path)"),
                DiffLine("-", 43, 0, '    df["date"] = pd.to_datetime(df["date"])'),
                DiffLine("+", 0, 43, '    df["date"] = pd.to_datetime(df["date"], dayfirst=True)'),
                DiffLine(" ", 44, 44, "    return df"),
            )
        ),
    ),
    1,
    1,
)
EDIT = Headline("Edit", "src/load.py", "+1 −1")
TESTS = Headline("Run", "pytest -q", "in ~/churn")
PROMPT = "The March totals look wrong. Find out why, fix it, rerun the tests."
STORY = (
    "March is low because 12 rows written day/month, such as `03/04/2026`, are read as month/day by "
    "`pd.to_datetime` and land in other months.\n\n"
    "- **March** loses 12 rows\n- other months gain them, so the year's total is right\n\nThe fix is one argument."
)
ANSWER = (
    "March was low because 12 rows written day/month were read as month/day. `read()` now passes `dayfirst=True`: "
    "March rises from 31,204 to 38,911, the year's total is unchanged. 14 tests pass."
)


def plan(done: int) -> TodosUpdated:
    """The plan with ``done`` items finished and the next one in progress."""
    states = ["completed" if i < done else "in_progress" if i == done else "pending" for i in range(len(ITEMS))]
    return TodosUpdated(todos=tuple(Todo(name, state) for name, state in zip(ITEMS, states, strict=True)))


def looked() -> Iterator[Event]:
    """Start, plan, four things looked at."""
    yield RunStarted(prompt=PROMPT, model="claude-sonnet", host="api.anthropic.com")
    yield TurnStarted()
    yield MessageStarted(message="m1")
    targets = (("Read", "src/load.py"), ("Read", "tests/test_load.py"), ("Search", '"to_datetime"'), ("Look at", "df"))
    parts = tuple(CallPart(f"c{n}", "look", "{}") for n in range(5))
    yield MessageFinished(message="m1", finish="calls", calls=parts, usage=Usage(1400, 0, 90, 1))
    yield CallSealed(call="c0", message="m1", tool="plan")
    yield ToolStarted(call="c0", tool="plan", headline=Headline("Plan", "4 items"))
    yield plan(0)
    yield ToolFinished(call="c0", tool="plan", text="ok", view=Plan(plan(0).todos))
    for number, (verb, target) in enumerate(targets, 1):
        yield CallSealed(call=f"c{number}", message="m1", tool="look", args={"path": target})
        yield ToolStarted(call=f"c{number}", tool="look", headline=Headline(verb, target), folds=True)
    for number in (2, 1, 4, 3):
        yield ToolFinished(call=f"c{number}", tool="look", text="…", view=Items(("a", "b"), 3), duration_ms=150.0)
    yield TurnEnded()
    yield plan(1)


def streaming() -> Iterator[Event]:
    """C1: the model explains while it works."""
    yield from looked()
    yield TurnStarted()
    yield MessageStarted(message="m2")
    for piece in range(0, len(STORY), 7):
        yield TextDelta(message="m2", text=STORY[piece : piece + 7])


def asking() -> Iterator[Event]:
    """C2: two approvals wait."""
    yield from streaming()
    parts = (CallPart("c6", "edit", "{}"), CallPart("c7", "run", "{}"))
    yield MessageFinished(message="m2", text=STORY, finish="calls", calls=parts, usage=Usage(4700, 4000, 210, 1))
    yield plan(2)
    yield CallSealed(call="c6", message="m2", tool="edit", args={"path": "src/load.py"})
    yield ApprovalRequested(
        approval="a1",
        call="c6",
        tool="edit",
        headline=EDIT,
        view=DIFF,
        asks_because=("in mode Ask every edit asks",),
        grant=Grant("edits in src/", PathSubject("edit", "src")),
    )
    yield CallSealed(call="c7", message="m2", tool="run", args={"command": ["pytest", "-q"]})
    yield ApprovalRequested(
        approval="a2",
        call="c7",
        tool="run",
        headline=TESTS,
        view=Command(("pytest", "-q"), ".", 30.0),
        asks_because=("in mode Ask every command asks",),
        grant=Grant("pytest -q", CommandSubject(("pytest", "-q"))),
    )


def running() -> Iterator[Event]:
    """C3: the edit is done, the tests run."""
    yield from asking()
    yield ApprovalAnswered(approval="a1", call="c6", outcome="allowed", scope="once")
    yield PermissionGranted(call="c6", tool="edit", source="person", scope="once")
    yield ToolStarted(call="c6", tool="edit", headline=EDIT)
    change = Change("src/load.py", added=1, removed=1)
    yield ToolFinished(call="c6", tool="edit", text="done", view=DIFF, duration_ms=4000.0, changes=(change,))
    yield plan(3)
    yield ApprovalAnswered(approval="a2", call="c7", outcome="allowed", scope="once")
    yield PermissionGranted(call="c7", tool="run", source="person", scope="once")
    yield ToolStarted(call="c7", tool="run", headline=TESTS)
    for number in range(39):
        yield ToolProgress(call="c7", text=f"tests/test_part_{number:02}.py ......\n")
    yield ToolProgress(call="c7", text="tests/test_load.py ......\ntests/test_totals.py ....")


def finished() -> Iterator[Event]:
    """C4: done, with an answer."""
    yield from running()
    output = "tests/test_load.py ......\ntests/test_totals.py ........\n14 passed in 6.51s\n"
    view = Output(output, 41, "exit 0 · 6.8 s")
    yield ToolFinished(call="c7", tool="run", text=output, view=view, duration_ms=6800.0)
    yield TurnEnded()
    yield plan(4)
    yield TurnStarted()
    yield MessageStarted(message="m3")
    yield TextDelta(message="m3", text=ANSWER)
    yield MessageFinished(message="m3", text=ANSWER, usage=Usage(6200, 5000, 120, 1))
    yield TurnEnded()
    yield RunEnded(reason="end_turn", usage=Usage(12_300, 9_000, 1_200, 3), cost_usd=0.041)


def stamped(events: Iterator[Event], *, run: int = RUN, start: float = 1_000.0, step: float = 0.4) -> list[Event]:
    """The events with their stamps: ``step`` seconds between two, turns counted."""
    turn, records = 0, []
    for number, event in enumerate(events, 1):
        turn += isinstance(event, TurnStarted)
        records.append(replace(event, seq=number, ts=start + number * step, session="s", run=run, turn=turn))
    return records


__all__ = ["ANSWER", "DIFF", "RUN", "Code", "asking", "finished", "looked", "running", "stamped", "streaming"]
