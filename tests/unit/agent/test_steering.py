"""What a person does to a run while it works: notes, the end of one call, going on past a limit."""

from collections.abc import Callable
from typing import Any, Literal

import anyio
import pytest

from tah_jupyter import ScriptedModel, Session, Stop, ToolContext, calls, says, tool
from tah_jupyter.core.commands import AddNote, EndCall, Release, SendNote, WithdrawNote
from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.events import (
    Event,
    NoteWithdrawn,
    Notice,
    PromptAdded,
    QuestionAnswered,
    RunReleased,
    ToolFailed,
    ToolStarted,
)
from tah_jupyter.core.messages import ToolMessage, UserMessage
from tah_jupyter.core.questions import Choice, Question, Reply
from tah_jupyter.permissions.approvers import Desk
from tah_jupyter.ui.transcript import Transcript
from tests.support.brackets import check_brackets
from tests.support.in_memory import session_of

pytestmark = pytest.mark.anyio


@tool(read_only=True)
async def wait_for_ever(which: str, ctx: ToolContext) -> str:
    """Wait until somebody ends it."""
    await anyio.sleep_forever()
    return which


@tool(read_only=True)
async def look(ctx: ToolContext) -> str:
    """Look at once."""
    return "seen"


def when(session: Session, kind: type[Event], act: Callable[[Any], None], *, times: int = 1) -> None:
    """Call ``act(record)`` for the first ``times`` records of a kind."""
    left = times

    def watch(record: Event) -> None:
        nonlocal left
        if isinstance(record, kind) and left:
            left -= 1
            act(record)

    session.subscribe(watch)


def prompts(session: Session) -> list[str]:
    return [message.text for message in session._history.messages if isinstance(message, UserMessage)]


async def test_a_note_is_read_after_the_step_under_way() -> None:
    model = ScriptedModel([[calls("look")], [says("done")]])
    async with session_of(model, [look]) as session:
        when(session, ToolStarted, lambda _: session.send(AddNote("n1", "also look at b.py", run=1)))
        result = await session.run("look")
    assert result.text == "done"
    messages = session._history.messages
    assert isinstance(messages[2], ToolMessage)
    assert messages[3] == UserMessage("also look at b.py")
    check_brackets(result.events)


async def test_a_note_that_comes_with_the_last_words_is_answered_before_the_run_ends() -> None:
    model = ScriptedModel([[says("first")], [says("second")]])
    async with session_of(model) as session:
        session._inbox.send(AddNote("n1", "and this", run=1))  # on its way while the first message streams
        result = await session.run("go")
    assert result.text == "second"
    assert prompts(session) == ["go", "and this"]


async def test_send_now_ends_the_step_and_what_it_ended_is_told() -> None:
    model = ScriptedModel([[calls("wait_for_ever", which="x")], [says("read it")]])

    def interrupt(_: Event) -> None:
        session.send(AddNote("n1", "not that one", run=1))
        session.send(SendNote("n1"))

    async with session_of(model, [wait_for_ever]) as session:
        when(session, ToolStarted, interrupt)
        with anyio.fail_after(10):
            result = await session.run("go")
    assert result.text == "read it"
    (failed,) = [event for event in result.events if isinstance(event, ToolFailed)]
    assert "note" in failed.text
    assert prompts(session)[-1] == "not that one"
    check_brackets(result.events)


async def test_a_withdrawn_note_is_never_read() -> None:
    model = ScriptedModel([[calls("look")], [says("done")]])

    def change_of_mind(_: Event) -> None:
        session.send(AddNote("n1", "delete everything", run=1))
        session.send(WithdrawNote("n1"))

    async with session_of(model, [look]) as session:
        when(session, ToolStarted, change_of_mind)
        result = await session.run("go")
    assert prompts(session) == ["go"]
    assert [event.note for event in result.events if isinstance(event, NoteWithdrawn)] == ["n1"]


async def test_a_note_that_was_not_read_before_the_run_was_stopped_is_shown_again() -> None:
    model = ScriptedModel([[calls("wait_for_ever", which="x")]])

    def stop(_: Event) -> None:
        session.send(AddNote("n1", "remember this", run=1))
        session.send(Stop(1))

    async with session_of(model, [wait_for_ever]) as session:
        when(session, ToolStarted, stop)
        with anyio.fail_after(10):
            result = await session.run("go")
    assert result.stop_reason == "interrupted"
    assert [event.text for event in result.events if isinstance(event, Notice) and event.code == "unread"] == [
        "remember this"
    ]
    assert Transcript.of(result.events).run(1).queued == ()
    check_brackets(result.events)


@pytest.mark.parametrize("text", ["", "   \n"])
async def test_an_empty_note_is_none(text: str) -> None:
    model = ScriptedModel([[calls("look")], [says("done")]])
    async with session_of(model, [look]) as session:
        when(session, ToolStarted, lambda _: session.send(AddNote("n1", text, run=1)))
        result = await session.run("go")
    assert not [event for event in result.events if isinstance(event, PromptAdded) and event.note]


async def test_a_note_for_a_run_that_is_over_is_not_read_by_the_next() -> None:
    model = ScriptedModel([[says("one")], [says("two")]])
    async with session_of(model) as session:
        await session.run("go")
        session.send(AddNote("n1", "late", run=1))
        await session.run("again")
    assert prompts(session) == ["go", "again"]


async def test_ending_one_call_leaves_its_sibling_and_the_run_alone() -> None:
    started: list[str] = []

    @tool(read_only=True)
    async def slow(which: str, ctx: ToolContext) -> str:
        """Wait for the other."""
        started.append(ctx.call_id)
        await anyio.sleep_forever()
        return which

    model = ScriptedModel([[calls("slow", which="a"), calls("look")], [says("went on")]])
    async with session_of(model, [slow, look]) as session:
        when(session, ToolStarted, lambda record: session.send(EndCall(record.call)))
        with anyio.fail_after(10):
            result = await session.run("go")
    assert result.text == "went on"
    (failed,) = [event for event in result.events if isinstance(event, ToolFailed)]
    assert "the person ended this call" in failed.text
    assert [step.state for step in Transcript.of(result.events).run(1).steps] == ["interrupted", "done"]


async def test_ending_a_call_that_is_over_does_nothing() -> None:
    model = ScriptedModel([[calls("look")], [says("done")], [says("again")]])
    async with session_of(model, [look]) as session:
        first = await session.run("go")
        session.send(EndCall("c00000001"))
        second = await session.run("go")
    assert (first.stop_reason, second.stop_reason) == ("end_turn", "end_turn")


async def test_a_released_run_goes_on_and_says_so_once() -> None:
    model = ScriptedModel([[calls("look")], [says("done")]])
    async with session_of(model, [look]) as session:
        when(session, ToolStarted, lambda _: session.send(Release(1)))
        result = await session.run("go")
    assert sum(isinstance(event, RunReleased) for event in result.events) == 1
    assert Transcript.of(result.events).run(1).background


class Answering:
    """A person who answers each question with the next of ``keys``."""

    def __init__(self, *keys: str, session: Callable[[], Session]) -> None:
        self.keys = list(keys)
        self.asked: list[Question] = []
        self._session = session

    async def answer(self, question: Question) -> Reply | None:
        self.asked.append(question)
        return Reply(self.keys.pop(0)) if self.keys else None

    async def rescue(self, error: ModelError) -> str | None:
        return None

    async def go_on(self, turns: int) -> Literal["on", "finish", "stop"] | None:
        question = Question(f"q{len(self.asked)}", f"{turns}?", tuple(Choice(k, k) for k in ("on", "finish", "stop")))
        reply = await self._session().ask(question)
        return reply.key if reply is not None else None  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("keys", "reason", "asked"),
    [
        (["on"], "end_turn", ["2?"]),
        (["finish"], "end_turn", ["2?"]),
        (["stop"], "interrupted", ["2?"]),
        ([], "max_turns", ["2?"]),
        (["on", "stop"], "interrupted", ["2?", "4?"]),
    ],
)
async def test_at_the_limit_of_turns_the_person_is_asked(keys: list[str], reason: str, asked: list[str]) -> None:
    looks = 5 if len(keys) == 2 else 2
    model = ScriptedModel([*[[calls("look")]] * looks, [says("done")]])
    person = Answering(*keys, session=lambda: session)
    async with session_of(model, [look], max_turns=2, person=person) as session:
        result = await session.run("go")
    assert result.stop_reason == reason
    assert [question.title for question in person.asked] == asked
    check_brackets(result.events)


async def test_a_note_that_comes_while_a_question_waits_is_read_at_the_very_next_step() -> None:
    model = ScriptedModel([*[[calls("look")]] * 2, [says("done")]])
    person = Answering("on", session=lambda: session)
    answer = person.answer

    async def write_first(question: Question) -> Reply | None:
        session.send(AddNote("n1", "also look at b.py", run=1))
        await anyio.sleep(0)
        return await answer(question)

    person.answer = write_first  # type: ignore[method-assign]
    async with session_of(model, [look], max_turns=2, person=person) as session:
        result = await session.run("go")
    assert model.requests[-1].messages[-1] == UserMessage("also look at b.py")
    assert len(model.requests) == 3
    check_brackets(result.events)


async def test_finish_up_allows_one_more_turn_and_asks_no_more() -> None:
    model = ScriptedModel([[calls("look")]] * 9)
    person = Answering("finish", "finish", session=lambda: session)
    async with session_of(model, [look], max_turns=2, person=person) as session:
        result = await session.run("go")
    assert result.stop_reason == "max_turns"
    assert len(person.asked) == 1
    assert any("Answer now" in text for text in prompts(session))


async def test_a_question_is_closed_when_the_run_is_stopped_while_it_waits() -> None:
    class Waiting(Desk):
        async def answer(self, question: Question) -> Reply | None:  # type: ignore[override]
            session.send(Stop(1))
            return await self.question(question)

        async def rescue(self, error: ModelError) -> str | None:
            return None

        async def go_on(self, turns: int) -> Any:
            await session.ask(Question("q", "On?", (Choice("on", "On"),)))

    async with session_of(ScriptedModel([[calls("look")]] * 9), [look], max_turns=1, person=Waiting()) as session:
        with anyio.fail_after(10):
            result = await session.run("go")
    assert result.stop_reason == "interrupted"
    assert [event.key for event in result.events if isinstance(event, QuestionAnswered)] == [""]
    view = Transcript.of(result.events).run(1)
    assert view.asked == ()
    assert view.waiting_since is None
