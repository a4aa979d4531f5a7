"""The model's memory as a fold, and the check before every request."""

import pytest

from tah_jupyter.agent.history import History
from tah_jupyter.core.errors import RequestInvalid
from tah_jupyter.core.events import Event, MessageFinished, PromptAdded, RunStarted, ToolFailed, ToolFinished, TurnEnded
from tah_jupyter.core.messages import AssistantMessage, CallPart, ToolMessage, UserMessage

A, B = CallPart("a", "look", "{}"), CallPart("b", "look", "{}")
TURN: list[Event] = [
    RunStarted(prompt="go"),
    ToolFinished(call="b", tool="look", text="rb"),
    MessageFinished(message="m", text="t", calls=(A, B), finish="calls"),
    PromptAdded(text="by the way"),
    ToolFailed(call="a", tool="look", error="E", text="ra"),
    TurnEnded(),
]


def test_results_join_in_the_order_of_the_calls_and_prompts_after_them() -> None:
    assert History.of(TURN).check() == [
        UserMessage("go"),
        AssistantMessage("t", (A, B)),
        ToolMessage("a", "ra"),
        ToolMessage("b", "rb"),
        UserMessage("by the way"),
    ]


def test_a_call_without_its_result_is_never_sent() -> None:
    history = History()
    for event in TURN:
        if not isinstance(event, ToolFinished):
            history.apply(event)
    with pytest.raises(RequestInvalid, match="b have no result"):
        history.check()


def test_a_result_that_the_log_lost_is_said_to_be_lost() -> None:
    told = History.of([e for e in TURN if not isinstance(e, ToolFinished)]).check()
    assert told[2] == ToolMessage("a", "ra")
    assert isinstance(told[3], ToolMessage)
    assert "cannot be read any more" in told[3].text


def test_results_are_found_though_the_end_of_their_turn_is_lost() -> None:
    later: list[Event] = [RunStarted(prompt="more"), PromptAdded(text="and")]
    assert History.of([e for e in TURN if not isinstance(e, TurnEnded)] + later).check() == [
        UserMessage("go"),
        AssistantMessage("t", (A, B)),
        ToolMessage("a", "ra"),
        ToolMessage("b", "rb"),
        UserMessage("more"),
        UserMessage("by the way"),
        UserMessage("and"),
    ]


def test_an_empty_message_is_left_out_and_one_after_an_answer_needs_a_prompt() -> None:
    history = History.of([RunStarted(prompt="go"), MessageFinished(message="m"), TurnEnded()])
    assert history.check() == [UserMessage("go")]
    history = History.of([RunStarted(prompt="go"), MessageFinished(message="m", text="hi"), TurnEnded()])
    with pytest.raises(RequestInvalid, match="nothing to answer"):
        history.check()


def test_two_calls_of_one_id_are_refused() -> None:
    events: list[Event] = [
        RunStarted(prompt="go"),
        MessageFinished(message="m", calls=(A, A)),
        ToolFinished(call="a", tool="look", text="r"),
        TurnEnded(),
    ]
    with pytest.raises(RequestInvalid, match="same id"):
        History.of(events).check()


def test_a_result_out_of_order_is_refused() -> None:
    history = History.of([RunStarted(prompt="go")])
    history.messages += [AssistantMessage("", (A, B)), ToolMessage("b", "r")]
    with pytest.raises(RequestInvalid, match="out of order"):
        history.check()


def test_what_happens_in_a_sub_agent_is_not_remembered() -> None:
    assert History.of([RunStarted(prompt="go", parent="c1")]).messages == []


def test_only_what_is_new_is_checked_again() -> None:
    history = History.of(TURN)
    history.check()
    history.apply(MessageFinished(message="m2", text="done"))
    history.apply(RunStarted(prompt="more"))
    assert history.check()[-1] == UserMessage("more")
