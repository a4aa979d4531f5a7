import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tah_jupyter.core.approvals import Headline
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
    QuestionAsked,
    RunEnded,
    RunStarted,
    SessionOpened,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    decode,
    encode,
)
from tah_jupyter.core.messages import CallPart
from tah_jupyter.core.questions import Choice, Question
from tah_jupyter.core.views import Text
from tah_jupyter.sessions.replay import close_brackets, survivors


def started(call: str, **place) -> Event:
    return ToolStarted(call=call, tool="execute_command", headline=Headline("Run"), **place)


def sealed(call: str, message: str = "m1", **place) -> Event:
    return CallSealed(call=call, message=message, tool="execute_command", args={"command": [call]}, **place)


def asked(approval: str, call: str, **place) -> Event:
    return ApprovalRequested(
        approval=approval, call=call, tool="edit_file", headline=Headline("Edit"), view=Text("diff"), **place
    )


def finished(call: str, **place) -> Event:
    return ToolFinished(call=call, tool="execute_command", text="ok", **place)


OPENING = [SessionOpened(root="/ws"), RunStarted(prompt="go", run=1, ts=100.0), TurnStarted(run=1, turn=1)]


def test_a_log_without_events_or_with_all_closed_needs_nothing() -> None:
    assert close_brackets([]) == []
    whole = [*OPENING, TurnEnded(run=1, turn=1), RunEnded(reason="end_turn", run=1)]
    assert close_brackets(whole) == []


def test_a_question_that_waited_has_no_answer_and_a_note_that_was_not_read_is_shown() -> None:
    place = {"run": 1, "turn": 1}
    question = Question("q1", "What now?", (Choice("on", "Go on"),))
    notes = [NoteQueued(note=note, text=f"words of {note}", **place) for note in ("n1", "n2", "n3")]
    read = [PromptAdded(text="words of n1", source="person", note="n1", **place), NoteWithdrawn(note="n2", **place)]
    events = [*OPENING, *notes, *read, QuestionAsked(question=question, **place)]
    answered, withdrawn, shown, _, _ = close_brackets(events)
    assert (answered.question, answered.key) == ("q1", "")
    assert (withdrawn.note, shown.code, shown.text) == ("n3", "unread", "words of n3")
    assert close_brackets([*events, *close_brackets(events)]) == []


def test_a_call_of_an_open_message_gets_a_name_that_providers_take_back() -> None:
    strange = CallSealed(call="c1", message="m1", tool="bad name! <x>", problem="no such tool", run=1, turn=1)
    failed = ToolFailed(call="c1", tool="bad name! <x>", error="Unknown", text="There is none.", run=1, turn=1)
    message, _, _ = close_brackets([*OPENING, MessageStarted(message="m1", run=1, turn=1), strange, failed])
    assert [part.tool for part in message.calls] == ["bad_name___x_"]


def test_each_kind_of_bracket_gets_its_one_end_where_it_stands() -> None:
    place = {"run": 1, "turn": 1, "session": "s"}
    events = [
        *OPENING,
        MessageStarted(message="m1", **place),
        sealed("c1", **place),
        sealed("c2", **place),
        sealed("c3", **place),
        finished("c1", **place),
        started("c2", **place),
        asked("a1", "c3", **place, seq=41, ts=102.5),
    ]
    ends = close_brackets(events)
    assert [event.seq for event in ends] == [42, 43, 44, 45, 46, 47]
    assert {(event.run, event.ts) for event in ends} == {(1, 102.5)}
    answer, message, running, waiting, turn, run = ends
    assert answer == ApprovalAnswered(approval="a1", call="c3", outcome="unanswered", seq=42, ts=102.5, **place)
    assert isinstance(message, MessageFinished)
    assert message.finish == "cut"
    assert [(part.call_id, json.loads(part.arguments)) for part in message.calls] == [
        ("c1", {"command": ["c1"]}),
        ("c2", {"command": ["c2"]}),
        ("c3", {"command": ["c3"]}),
    ]
    assert isinstance(running, ToolFailed)
    assert (running.call, running.error) == ("c2", "unknown_after_crash")
    assert "may or may not have happened" in running.text
    assert isinstance(waiting, ToolFailed)
    assert (waiting.call, waiting.error) == ("c3", "not_run")
    assert isinstance(turn, TurnEnded)
    assert isinstance(run, RunEnded)
    assert (run.reason, run.duration_ms) == ("crashed", 2500.0)


def test_tokens_of_the_crashed_run_are_counted() -> None:
    place = {"run": 1, "turn": 1}
    usage = Usage(input_tokens=10, output_tokens=2, requests=1)
    ends = close_brackets([*OPENING, MessageFinished(message="m1", usage=usage, **place)])
    assert [(type(end), end.usage) for end in ends] == [(TurnEnded, usage), (RunEnded, usage)]


def test_a_call_that_only_its_message_names_gets_its_result() -> None:
    message = MessageFinished(message="m1", calls=(CallPart("c1", "grep", "{}"),), run=1, turn=1)
    ends = close_brackets([*OPENING, message])
    assert [(type(end), getattr(end, "call", "")) for end in ends] == [
        (ToolFailed, "c1"),
        (TurnEnded, ""),
        (RunEnded, ""),
    ]


def test_what_a_sub_agent_left_open_closes_before_its_parent() -> None:
    events = [*OPENING, sealed("c1", run=1, turn=1), started("c1", run=1, turn=1)]
    inner = {"run": 1, "turn": 1, "parent": "c1"}
    events += [RunStarted(prompt="sub", run=1, parent="c1"), TurnStarted(**inner), sealed("d1", "m2", **inner)]
    ends = close_brackets(events)
    assert [(type(end).__name__, end.parent) for end in ends] == [
        ("ToolFailed", "c1"),
        ("TurnEnded", "c1"),
        ("RunEnded", "c1"),
        ("ToolFailed", ""),
        ("TurnEnded", ""),
        ("RunEnded", ""),
    ]


def test_survivors_are_the_processes_of_calls_without_an_end() -> None:
    events = [
        ProcessStarted(call="c1", pid=11, created=1.5),
        ProcessStarted(call="c2", pid=12, created=2.5),
        ProcessStarted(call="c2", pid=13, created=3.5),
        ProcessStarted(call="c3", pid=14, created=4.5),
        finished("c1"),
        ToolFailed(call="c3", tool="t", error="x", text="x"),
    ]
    assert survivors(events) == [(12, 2.5), (13, 3.5)]


def one_run(data: st.DataObject, run: int, parent: str = "") -> list[Event]:
    """The whole record of a run with turns, messages, calls that end in any order, and approvals."""
    events: list[Event] = [RunStarted(prompt="p", run=run, parent=parent)]
    for turn in range(1, data.draw(st.integers(1, 3)) + 1):
        place = {"run": run, "turn": turn, "parent": parent}
        message = f"{parent}m{run}.{turn}"
        calls = [f"{message}c{n}" for n in range(data.draw(st.integers(0, 4)))]
        lives = [[sealed(call, message, **place)] for call in calls]
        for call, life in zip(calls, lives, strict=True):
            if data.draw(st.booleans()):
                life += [
                    asked(f"a{call}", call, **place),
                    ApprovalAnswered(approval=f"a{call}", call=call, outcome="allowed", **place),
                ]
            life += [started(call, **place)] if data.draw(st.booleans()) else []
            life.append(finished(call, **place))
        parts = tuple(CallPart(call, "execute_command", "{}") for call in calls)
        lives.append([MessageFinished(message=message, calls=parts, **place)])
        events += [TurnStarted(**place), MessageStarted(message=message, **place)]
        while lives:
            life = data.draw(st.sampled_from(lives))
            events.append(life.pop(0))
            lives = [rest for rest in lives if rest]
        events.append(TurnEnded(**place))
    return [*events, RunEnded(reason="end_turn", run=run, parent=parent)]


BRACKETS = [
    (RunStarted, (RunEnded,), lambda e: (e.parent, e.run)),
    (TurnStarted, (TurnEnded,), lambda e: (e.parent, e.run, e.turn)),
    (MessageStarted, (MessageFinished,), lambda e: e.message),
    (ApprovalRequested, (ApprovalAnswered,), lambda e: e.approval),
    (CallSealed, (ToolFinished, ToolFailed), lambda e: e.call),
]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_wherever_a_log_is_cut_every_bracket_ends_exactly_once(data: st.DataObject) -> None:
    events = [SessionOpened(root="/ws"), *one_run(data, 1), Notice(text="between"), *one_run(data, 2)]
    cut = events[: data.draw(st.integers(0, len(events)))]
    ends = close_brackets(cut)
    whole = cut + ends
    for opens, closes, key in BRACKETS:
        opened = [key(event) for event in whole if isinstance(event, opens)]
        if opens is CallSealed:  # a finished message may name calls whose own record was cut off
            named = [part.call_id for event in cut if isinstance(event, MessageFinished) for part in event.calls]
            opened = list({*opened, *named})
        closed = [key(event) for event in whole if isinstance(event, closes)]
        assert sorted(opened) == sorted(closed), opens
    for message in (event for event in whole if isinstance(event, MessageFinished)):
        sealed_calls = [e.call for e in whole if isinstance(e, CallSealed) and e.message == message.message]
        if message in ends:
            assert [part.call_id for part in message.calls] == sealed_calls
    assert close_brackets(whole) == []
    assert [decode.decode(encode(end)) for end in ends] == ends


@pytest.mark.parametrize("late", [started("c1"), sealed("c1")])
def test_a_call_that_has_its_end_gets_no_second_one(late: Event) -> None:
    assert close_brackets([sealed("c1"), finished("c1"), late]) == []
