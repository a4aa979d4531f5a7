"""The fold of records into pictures: keyed by id, live equals replayed, clocks that stop for people."""

import random
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tah_jupyter.core.approvals import Grant, PathSubject
from tah_jupyter.core.calls import Change, Headline, Todo, Usage
from tah_jupyter.core.events import (
    DELTAS,
    ApprovalAnswered,
    ApprovalRequested,
    CallSealed,
    Event,
    MessageFinished,
    MessageStarted,
    ModeChanged,
    Notice,
    PermissionDenied,
    PermissionGranted,
    ProcessStarted,
    PromptAdded,
    RunEnded,
    RunStarted,
    SessionOpened,
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
from tah_jupyter.core.messages import CallPart
from tah_jupyter.core.views import Output, Text
from tah_jupyter.ui.run_view import Note, Said, Step
from tah_jupyter.ui.transcript import HEADER, PLAN, Transcript

EDIT = Headline("Edit", "src/load.py", "+1 −1")
BEGAN = ToolStarted(run=1, call="c1", tool="t", headline=EDIT)


def asked(call: str = "c1", approval: str = "a1", ts: float = 0.0) -> ApprovalRequested:
    grant = Grant("edits in src/", PathSubject("edit", "src"))
    return ApprovalRequested(
        run=1, ts=ts, approval=approval, call=call, tool="t", headline=EDIT, view=Text("x"), grant=grant
    )


def step(transcript: Transcript, call: str = "c1") -> Step:
    return next(block for block in transcript.run(1).steps if block.id == call)


def test_a_run_goes_from_working_to_done_and_knows_its_answer() -> None:
    transcript = Transcript()
    assert transcript.apply(RunStarted(run=1, ts=10.0, prompt="fix it", model="m", host="h", mode="plan")) == {HEADER}
    transcript.apply(TurnStarted(run=1, turn=1))
    transcript.apply(MessageStarted(run=1, message="m1"))
    assert transcript.apply(TextDelta(run=1, message="m1", text="All ")) == {"m1"}
    assert transcript.apply(TextDelta(run=1, message="m1", text="good")) == {"m1"}
    live = transcript.run(1)
    assert (live.state, live.blocks[0].id, live.answer) == ("working", "m1", "")
    assert isinstance(live.blocks[0], Said)
    assert live.blocks[0].text == "All good"
    transcript.apply(MessageFinished(run=1, message="m1", text="All good.", usage=Usage(100, 40, 5, 1)))
    transcript.apply(TurnEnded(run=1, turn=1))
    transcript.apply(RunEnded(run=1, ts=14.5, reason="end_turn", cost_usd=0.02))
    done = transcript.run(1)
    assert (done.state, done.answer_text, done.turns, done.clock_s(99.0)) == ("done", "All good.", 1, 4.5)
    assert (done.usage, done.cost_usd, done.mode, done.groups) == (Usage(100, 40, 5, 1), 0.02, "plan", ())
    assert transcript.runs == (1,)


def test_the_clock_stands_still_while_a_person_is_asked() -> None:
    transcript = Transcript.of([RunStarted(run=1, ts=100.0, prompt=""), asked(ts=104.0)])
    waiting = transcript.run(1)
    assert (waiting.state, waiting.clock_s(104.0), waiting.clock_s(500.0)) == ("waiting", 4.0, 4.0)
    transcript.apply(ApprovalAnswered(run=1, ts=200.0, approval="a1", call="c1", outcome="allowed", scope="once"))
    assert transcript.run(1).clock_s(203.0) == 7.0
    assert transcript.run(1).state == "working"


def test_approvals_are_numbered_until_the_queue_is_empty() -> None:
    transcript = Transcript.of([RunStarted(run=1, prompt=""), asked("c1", "a1")])
    assert transcript.apply(asked("c2", "a2")) == {"c2", "a1", "a2", HEADER}
    assert [(a.number, a.total) for a in transcript.run(1).pending] == [(1, 2), (2, 2)]
    transcript.apply(ApprovalAnswered(run=1, approval="a1", call="c1", outcome="denied", reason="use %Y"))
    (second,) = transcript.run(1).pending
    assert (second.id, second.number, second.total) == ("a2", 2, 2)
    transcript.apply(ApprovalAnswered(run=1, approval="a2", call="c2", outcome="allowed"))
    transcript.apply(asked("c3", "a3"))
    assert [(a.number, a.total) for a in transcript.run(1).pending] == [(1, 1)]


def test_the_first_answer_counts_and_a_late_or_unknown_one_changes_nothing() -> None:
    transcript = Transcript.of([asked()])
    transcript.apply(ApprovalAnswered(run=1, approval="a1", call="c1", outcome="denied", reason="no"))
    late = ApprovalAnswered(run=1, approval="a1", call="c1", outcome="allowed", scope="run")
    assert transcript.apply(late) == frozenset()
    assert transcript.apply(ApprovalAnswered(run=1, approval="zz", call="c1", outcome="allowed")) == frozenset()
    assert [(a.outcome, a.reason) for a in transcript.run(1).approvals] == [("denied", "no")]


def test_a_question_left_open_at_the_end_of_a_run_is_unanswered_never_denied() -> None:
    transcript = Transcript.of([RunStarted(run=1, ts=1.0, prompt=""), asked(ts=2.0)])
    touched = transcript.apply(RunEnded(run=1, ts=9.0, reason="crashed"))
    assert touched == {HEADER, "a1", "c1"}
    view = transcript.run(1)
    assert (view.pending, view.approvals[0].outcome, view.state, view.clock_s(50.0)) == (
        (),
        "unanswered",
        "failed",
        1.0,
    )


def test_a_tool_may_finish_before_its_message_does() -> None:
    records: list[Event] = [
        MessageStarted(run=1, message="m1"),
        CallSealed(run=1, call="c1", message="m1", tool="read", args={"path": "a.py"}),
        ToolStarted(run=1, call="c1", tool="read", headline=Headline("Read", "a.py"), folds=True),
        ToolFinished(run=1, call="c1", tool="read", text="1 x", duration_ms=12.0),
        MessageFinished(run=1, message="m1", text="Reading.", calls=(CallPart("c1", "read", "{}"),), finish="calls"),
    ]
    view = Transcript.of(records).run(1)
    assert [block.id for block in view.blocks] == ["m1", "c1"]
    assert (view.steps[0].state, view.steps[0].view, view.steps[0].folds) == ("done", Text("1 x"), True)


def test_text_of_a_message_that_nobody_announced_waits_for_its_durable_record() -> None:
    transcript = Transcript()
    assert transcript.apply(TextDelta(run=1, message="m2", text="early")) == frozenset()
    assert transcript.run(1).blocks == ()
    transcript.apply(MessageStarted(run=1, message="m1"))
    transcript.apply(MessageStarted(run=1, message="m2"))
    assert [block.id for block in transcript.run(1).blocks] == ["m1", "m2"]


def test_deltas_after_an_end_change_nothing() -> None:
    transcript = Transcript.of(
        [
            MessageFinished(run=1, message="m1", text="whole"),
            ToolFailed(run=1, call="c1", tool="t", error="Boom", text="it broke"),
        ]
    )
    before = transcript.run(1)
    assert transcript.apply(TextDelta(run=1, message="m1", text="more")) == frozenset()
    assert transcript.apply(ToolProgress(run=1, call="c1", text="more")) == frozenset()
    assert transcript.run(1) == before


def test_a_running_call_keeps_the_end_of_its_output_and_counts_every_line() -> None:
    transcript = Transcript.of([ToolStarted(run=1, call="c1", tool="t", headline=Headline("Run", "pytest"))])
    for number in range(9_000):
        transcript.apply(ToolProgress(run=1, call="c1", text=f"line {number} of the log\n"))
    transcript.apply(ToolProgress(run=1, call="c1", text="open", fraction=0.5, view=Text("live")))
    running = step(transcript)
    assert running.tail is not None
    assert running.tail.total_lines == 9_001
    assert running.tail.text.endswith("line 8999 of the log\nopen")
    assert len(running.tail.text) <= 64_000
    assert (running.fraction, running.view) == (0.5, Text("live"))
    transcript.apply(ToolFinished(run=1, call="c1", tool="t", text="", view=Output("x", 1)))
    assert (step(transcript).tail, step(transcript).fraction, step(transcript).view) == (None, None, Output("x", 1))


@pytest.mark.parametrize(
    ("records", "state"),
    [
        ([], "queued"),
        ([asked()], "waiting"),
        ([asked(), ApprovalAnswered(run=1, approval="a1", call="c1", outcome="allowed")], "queued"),
        ([BEGAN], "running"),
        ([ToolFinished(run=1, call="c1", tool="t", text="")], "done"),
        ([ToolFailed(run=1, call="c1", tool="t", error="ENOENT", text="no such file")], "failed"),
        ([ToolFailed(run=1, call="c1", tool="t", error="not_run", text="")], "not_run"),
        ([ToolFailed(run=1, call="c1", tool="t", error="NotRun", text="")], "not_run"),
        ([ToolFailed(run=1, call="c1", tool="t", error="Interrupted", text="")], "not_run"),
        ([BEGAN, ToolFailed(run=1, call="c1", tool="t", error="Interrupted", text="")], "interrupted"),
        ([BEGAN, ToolFailed(run=1, call="c1", tool="t", error="Cancelled", text="")], "interrupted"),
        ([BEGAN, ToolFailed(run=1, call="c1", tool="t", error="unknown_after_crash", text="")], "interrupted"),
        (
            [
                PermissionDenied(run=1, call="c1", tool="t", source="rule", reason="no"),
                ToolFailed(run=1, call="c1", tool="t", error="Denied", text=""),
            ],
            "denied",
        ),
        (
            [
                asked(),
                ApprovalAnswered(run=1, approval="a1", call="c1", outcome="interrupted"),
                PermissionDenied(run=1, call="c1", tool="t", source="person", reason="interrupted"),
                ToolFailed(run=1, call="c1", tool="t", error="Denied", text=""),
            ],
            "interrupted",
        ),
    ],
)
def test_the_state_of_a_call_follows_its_records(records: list[Event], state: str) -> None:
    sealed = CallSealed(run=1, call="c1", message="m1", tool="t", args={"n": 1, "path": "a.py"})
    assert step(Transcript.of([sealed, *records])).state == state


def test_the_headline_of_a_call_that_never_began_names_the_tool_and_its_first_words() -> None:
    sealed = CallSealed(run=1, call="c1", message="m1", tool="t", args={"n": 1, "path": "a.py"})
    assert step(Transcript.of([sealed])).headline == Headline("t", "a.py")
    failed = ToolFailed(run=1, call="c1", tool="gone", error="UnknownTool", text="no such tool")
    assert step(Transcript.of([failed])).headline == Headline("gone")


def test_who_allowed_a_call_is_part_of_the_picture() -> None:
    granted = PermissionGranted(run=1, call="c1", tool="t", source="person", scope="run", rule="edits in src/")
    permission = step(Transcript.of([granted])).permission
    assert permission is not None
    assert (permission.allowed, permission.source, permission.scope, permission.rule) == (
        True,
        "person",
        "run",
        "edits in src/",
    )


def test_a_no_of_a_person_keeps_the_persons_own_words() -> None:
    records: list[Event] = [
        asked(),
        ApprovalAnswered(run=1, approval="a1", call="c1", outcome="denied", reason="use %Y"),
        PermissionDenied(run=1, call="c1", tool="t", source="person", reason="denied by the person, who says: use %Y"),
    ]
    permission = step(Transcript.of(records)).permission
    assert permission is not None
    assert (permission.allowed, permission.reason) == (False, "use %Y")


def test_steps_fold_under_the_plan_item_they_began_in() -> None:
    def plan(done: int) -> TodosUpdated:
        names = ("Look", "Fix")
        return TodosUpdated(
            run=1,
            todos=tuple(
                Todo(name, "completed" if i < done else "in_progress" if i == done else "pending")
                for i, name in enumerate(names)
            ),
        )

    def call(name: str, ms: float) -> Iterator[Event]:
        yield ToolStarted(run=1, call=name, tool="t", headline=Headline("Read", name))
        yield ToolFinished(run=1, call=name, tool="t", text="", duration_ms=ms)

    transcript = Transcript.of([*call("c0", 1), plan(0), *call("c1", 400), *call("c2", 200)])
    assert transcript.apply(plan(1)) == {PLAN, HEADER}
    for record in call("c3", 5):
        transcript.apply(record)
    view = transcript.run(1)
    assert [(g.item, [b.id for b in g.blocks], g.finished) for g in view.groups] == [
        ("", ["c0"], False),
        ("Look", ["c1", "c2"], True),
        ("Fix", ["c3"], False),
    ]
    assert view.groups[1].duration_s == pytest.approx(0.6)
    assert view.now == Todo("Fix", "in_progress")


def test_changes_of_one_file_are_added_up() -> None:
    def changed(call: str, change: Change) -> ToolFinished:
        return ToolFinished(run=1, call=call, tool="t", text="", changes=(change,))

    view = Transcript.of(
        [
            changed("c1", Change("a.py", action="created", added=5)),
            changed("c2", Change("a.py", added=2, removed=1)),
            changed("c3", Change("b.py", action="deleted", removed=3)),
        ]
    ).run(1)
    assert view.changes == (
        Change("a.py", action="created", added=7, removed=1),
        Change("b.py", action="deleted", removed=3),
    )


def test_a_stopped_run_says_what_it_was_doing() -> None:
    view = Transcript.of(
        [
            RunStarted(run=1, prompt=""),
            ToolStarted(run=1, call="c1", tool="t", headline=Headline("Run", "pytest -q")),
            ToolFailed(run=1, call="c1", tool="t", error="Interrupted", text=""),
            RunEnded(run=1, reason="interrupted"),
        ]
    ).run(1)
    assert (view.state, view.during) == ("stopped", Headline("Run", "pytest -q"))


def test_notices_and_added_prompts_are_blocks_of_their_run() -> None:
    view = Transcript.of(
        [
            SessionOpened(root="/w"),
            ProcessStarted(run=1, call="c1", pid=1, created=1.0),
            Notice(run=1, seq=4, text="slow", level="warning", code="x"),
            PromptAdded(run=1, seq=5, text="look again", source="tool"),
            ModeChanged(run=1, mode="plan"),
        ]
    ).run(1)
    assert view.blocks == (
        Note("note-4", "", "slow", "warning", "x"),
        Note("note-5", "", "look again", "info", "prompt"),
    )
    assert view.mode == "plan"


def test_what_was_said_while_the_session_opened_is_told_by_the_next_run_and_once() -> None:
    def opening(seq: int, text: str, run: int = 0) -> Notice:
        return Notice(run=run, seq=seq, text=text, level="warning", code="opening")

    transcript = Transcript()
    assert transcript.apply(opening(1, "no such tool")) == frozenset()
    assert transcript.apply(RunStarted(run=1, prompt="x")) == {HEADER, "note-1"}
    transcript.apply(RunEnded(run=1, reason="end_turn"))
    for record in (opening(5, "no such tool", 1), opening(6, "mended", 1), RunStarted(run=2, prompt="y")):
        transcript.apply(record)
    assert transcript.runs == (1, 2)
    told = [[block.text for block in transcript.run(run).blocks if isinstance(block, Note)] for run in (1, 2)]
    assert told == [["no such tool"], ["mended"]]


def test_the_mark_for_the_model_is_not_shown_to_the_person() -> None:
    record = PromptAdded(run=1, seq=5, text="[tah notice 0a1b2c] The person stopped the run here.", source="end")
    [note] = Transcript.of([record]).run(1).blocks
    assert isinstance(note, Note)
    assert note.text == "The person stopped the run here."


def test_an_unknown_run_is_an_error() -> None:
    with pytest.raises(KeyError):
        Transcript().run(3)


def test_snapshots_do_not_change_and_may_be_read_from_another_thread() -> None:
    transcript = Transcript.of([MessageStarted(run=1, message="m1")])
    first = transcript.run(1)
    seen: list[int] = []

    def read() -> None:
        for _ in range(200):
            block = transcript.run(1).blocks[0]
            assert isinstance(block, Said)
            seen.append(len(block.text))

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(2_000):
        transcript.apply(TextDelta(run=1, message="m1", text="x"))
    reader.join()
    assert len(seen) == 200
    assert seen == sorted(seen)
    assert first.blocks == (Said("m1", "", "", "", "", False),)


def stream(seed: int) -> list[Event]:
    """A random run whose brackets all close: parallel calls that end in any order, deltas anywhere."""
    rng = random.Random(seed)
    events: list[Event] = [RunStarted(prompt="p", model="m")]
    calls = 0
    for turn in range(1, rng.randint(1, 4)):
        message = f"m{turn}"
        events.append(TurnStarted(turn=turn))
        lanes: list[list[Event]] = []
        text = [f"piece {i} " for i in range(rng.randint(0, 4))]
        lanes.append([TextDelta(message=message, text=piece) for piece in text])
        parts = []
        for _ in range(rng.randint(0, 3)):
            calls += 1
            parts.append(CallPart(f"c{calls}", "t", "{}"))
            lanes.append(call_lane(rng, f"c{calls}", message))
        finished = MessageFinished(
            message=message, text="".join(text), calls=tuple(parts), usage=Usage(rng.randint(0, 9), 0, 1, 1)
        )
        lanes[0].append(finished)
        lanes[0] += [ThinkingDelta(message=message, text="late")] if rng.random() < 0.3 else []
        events.append(MessageStarted(message=message))
        while any(lanes):
            lane = rng.choice([lane for lane in lanes if lane])
            events.append(lane.pop(0))
            if rng.random() < 0.1:
                events.append(rng.choice([Notice(text="n"), PromptAdded(text="p"), ModeChanged(mode="plan")]))
        events.append(TurnEnded(turn=turn))
    events.append(RunEnded(reason=rng.choice(["end_turn", "interrupted", "model_error"])))
    return [stamped(event, number) for number, event in enumerate(events, 1)]


def stamped(event: Event, number: int) -> Event:
    from msgspec.structs import replace

    return replace(event, seq=number, ts=float(number), run=1)


def call_lane(rng: random.Random, call: str, message: str) -> list[Event]:
    lane: list[Event] = [CallSealed(call=call, message=message, tool="t", args={"path": call})]
    if rng.random() < 0.4:
        outcome = rng.choice(["allowed", "denied", "interrupted"])
        lane += [
            ApprovalRequested(approval=f"a-{call}", call=call, tool="t", headline=EDIT, view=Text("v")),
            ApprovalAnswered(approval=f"a-{call}", call=call, outcome=outcome),
        ]
        if outcome != "allowed":
            lane.append(PermissionDenied(call=call, tool="t", source="person", reason="no"))
            return [*lane, ToolFailed(call=call, tool="t", error="Denied", text="no")]
    if rng.random() < 0.5:
        todos = tuple(Todo(f"item {i}", rng.choice(["pending", "in_progress", "completed"])) for i in range(3))
        lane.append(TodosUpdated(todos=todos))
    lane.append(ToolStarted(call=call, tool="t", headline=Headline("Do", call), folds=rng.random() < 0.5))
    lane += [ToolProgress(call=call, text="out\n", fraction=0.1, view=Text("live")) for _ in range(rng.randint(0, 3))]
    good = ToolFinished(call=call, tool="t", text="ok", duration_ms=3.0, changes=(Change(call),))
    lane.append(good if rng.random() < 0.7 else ToolFailed(call=call, tool="t", error="Interrupted", text="x"))
    return lane


@given(st.integers(min_value=0, max_value=2**32))
def test_replaying_the_durable_records_gives_the_picture_that_was_live(seed: int) -> None:
    events = stream(seed)
    live = Transcript()
    for number, event in enumerate(events):
        live.apply(event)
        if number % 3 == 0:
            live.run(1)
    replayed = Transcript.of(event for event in events if not isinstance(event, DELTAS))
    assert replayed.run(1) == live.run(1)


@given(st.integers(min_value=0, max_value=2**32))
def test_what_is_not_touched_is_the_very_same_snapshot(seed: int) -> None:
    transcript = Transcript()
    before: dict[str, object] = {}
    for event in stream(seed):
        touched = transcript.apply(event)
        now = {block.id: block for block in transcript.run(1).blocks}
        for id, block in before.items():
            assert now[id] is block or id in touched
        before = dict(now)
