"""Turns through a session: order, parallel calls, siblings, stop reasons, cut answers, limits, commands."""

import time
from typing import Any

import anyio
import pytest

from tah_jupyter import (
    Allow,
    AnswerApproval,
    Deny,
    ScriptedModel,
    SetMode,
    Stop,
    TahError,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    ToolResult,
    calls,
    calls_raw,
    cuts,
    fails,
    says,
    tool,
)
from tah_jupyter.core.approvals import ApprovalRequest, Preview
from tah_jupyter.core.events import (
    ApprovalRequested,
    CallSealed,
    Event,
    MessageFinished,
    ModeChanged,
    Notice,
    RunEnded,
    ToolFailed,
    ToolFinished,
    ToolStarted,
)
from tah_jupyter.core.messages import AssistantMessage, ToolMessage, UserMessage
from tah_jupyter.core.views import Text
from tah_jupyter.models.scripted import ends, thinks, waits
from tah_jupyter.permissions.approvers import Desk
from tests.support.brackets import check_brackets
from tests.support.in_memory import session_of

pytestmark = pytest.mark.anyio


class Step(ToolInput):
    """How long to take."""

    n: int = 0
    ms: int = 0


class Slow(Tool[Step, int]):
    """Take some time."""

    input_model = Step
    running = 0
    most = 0

    def __init__(self, name: str, *, safe: bool = False, fails: bool = False) -> None:
        self.name = name  # type: ignore[misc]
        self.safe, self.fails = safe, fails
        self.stops_siblings = fails
        self.log: list[str] = []

    def is_read_only(self, input: Step) -> bool:
        return True

    def is_concurrency_safe(self, input: Step) -> bool:
        return self.safe

    async def execute(self, input: Step, ctx: ToolContext) -> ToolResult[Any]:
        Slow.running += 1
        Slow.most = max(Slow.most, Slow.running)
        try:
            await anyio.lowlevel.checkpoint()
            with anyio.move_on_after(input.ms / 1000):
                await anyio.sleep_forever()
        finally:
            Slow.running -= 1
        self.log.append(f"{self.name}{input.n}")
        return ToolResult(type("Exit", (), {"failed": self.fails})(), f"{self.name}{input.n}")


@pytest.fixture(autouse=True)
def _fresh_counts() -> None:
    Slow.running = Slow.most = 0


def results(model: ScriptedModel) -> list[str]:
    """The tool results of the last request."""
    return [m.text for m in model.requests[-1].messages if isinstance(m, ToolMessage)]


async def test_calls_that_are_safe_run_side_by_side_and_results_stay_in_order() -> None:
    read = Slow("read", safe=True)
    model = ScriptedModel([[calls("read", n=n, ms=40 - 10 * n) for n in range(4)], says("ok")])
    async with session_of(model, [read]) as session:
        await session.run("go")
    assert Slow.most == 4
    assert read.log[0] == "read3"
    assert results(model) == ["read0", "read1", "read2", "read3"]


async def test_at_most_ten_run_at_once() -> None:
    model = ScriptedModel([[calls("read", n=n, ms=10) for n in range(25)], says("ok")])
    async with session_of(model, [Slow("read", safe=True)]) as session:
        await session.run("go")
    assert Slow.most == 10
    assert len(results(model)) == 25


async def test_calls_that_change_things_run_alone_and_in_order() -> None:
    write, read = Slow("write"), Slow("read", safe=True)
    write.log = read.log
    model = ScriptedModel(
        [[calls("write", n=0, ms=20), calls("read", n=1), calls("write", n=2), calls("read", n=3)], says("ok")]
    )
    async with session_of(model, [write, read]) as session:
        await session.run("go")
    assert Slow.most == 1
    assert read.log == ["write0", "read1", "write2", "read3"]


async def test_a_call_starts_while_the_message_still_streams() -> None:
    model = ScriptedModel([[calls("read", n=0), waits(0.2), says("and so on")], says("ok")])
    async with session_of(model, [Slow("read", safe=True)]) as session:
        result = await session.run("go")
    kinds = [type(e) for e in result.events]
    assert kinds.index(ToolFinished) < kinds.index(MessageFinished)


async def test_a_failing_command_stops_its_siblings_and_the_run_goes_on() -> None:
    command, read = Slow("command", fails=True), Slow("read", safe=True)
    model = ScriptedModel([[calls("command"), calls("command", n=1), calls("read")], says("I see")])
    async with session_of(model, [command, read]) as session:
        result = await session.run("go")
    assert result.stop_reason == "end_turn"
    first, second, third = results(model)
    assert first == "command0"
    assert second == third == "Not run: an earlier call of the same message failed."


async def test_a_failing_command_ends_siblings_that_run_and_those_that_come_later() -> None:
    command, read = Slow("command", fails=True, safe=True), Slow("read", safe=True)
    model = ScriptedModel(
        [[calls("read", ms=5000), calls("command", ms=10), waits(0.1), calls("read", n=2)], says("I see")]
    )
    began = time.monotonic()
    async with session_of(model, [command, read]) as session:
        result = await session.run("go")
    assert time.monotonic() - began < 2
    errors = [e.error for e in result.events if isinstance(e, ToolFailed)]
    assert errors == ["Cancelled", "NotRun"]
    assert results(model)[1] == "command0"


async def test_an_edit_that_must_finish_is_not_torn_by_an_interrupt() -> None:
    done: list[str] = []

    class Atomic(Slow):
        interrupt_behavior = "block"

        async def execute(self, input: Step, ctx: ToolContext) -> ToolResult[Any]:
            with anyio.move_on_after(0.1):
                await anyio.sleep_forever()
            done.append("whole")
            return ToolResult(None, "done")

    model = ScriptedModel([calls("atomic"), says("ok")])
    async with session_of(model, [Atomic("atomic")]) as session:
        session.subscribe(lambda e: session.send(Stop()) if isinstance(e, ToolStarted) else None)
        result = await session.run("go")
    assert result.stop_reason == "interrupted"
    assert done == ["whole"]
    assert [e.text for e in result.events if isinstance(e, ToolFinished)] == ["done"]


async def test_stop_ends_the_run_at_once_and_the_model_is_told_next_time() -> None:
    model = ScriptedModel([[says("well "), calls("read", ms=60_000)], says("ok")])
    async with session_of(model, [Slow("read", safe=True)]) as session:
        session.subscribe(lambda e: session.send(Stop()) if isinstance(e, ToolStarted) else None)
        began = time.monotonic()
        result = await session.run("go")
        assert time.monotonic() - began < 1
        assert (result.stop_reason, result.text) == ("interrupted", "")
        await session.run("again")
    told = [m for m in model.requests[-1].messages if isinstance(m, UserMessage)]
    assert "stopped the run" in told[1].text
    assert "Interrupted while it ran" in results(model)[0]


async def test_a_stop_that_comes_as_the_run_ends_does_not_stop_the_next_one() -> None:
    model = ScriptedModel([says("one"), says("two")])
    async with session_of(model) as session:
        end = session.subscribe(lambda e: session.send(Stop()) if isinstance(e, RunEnded) else None)
        assert (await session.run("go")).stop_reason == "end_turn"
        end()
        assert (await session.run("again")).stop_reason == "end_turn"


async def test_cancelling_the_caller_closes_everything_and_goes_on() -> None:
    model = ScriptedModel([calls("read", ms=60_000), says("ok")])
    events: list[Event] = []
    async with session_of(model, [Slow("read")]) as session:
        session.subscribe(events.append)
        with anyio.move_on_after(0.1) as scope:
            await session.run("go")
        assert scope.cancelled_caught
        check_brackets(e for e in events)
        assert not session.running
        assert (await session.run("again")).text == "ok"


async def test_one_run_at_a_time_and_an_empty_prompt_is_no_run() -> None:
    model = ScriptedModel([calls("read", ms=100), says("ok")])
    async with session_of(model, [Slow("read")]) as session, anyio.create_task_group() as tasks:
        started = anyio.Event()
        session.subscribe(lambda event: started.set() if isinstance(event, ToolStarted) else None)
        with pytest.raises(TahError, match="empty"):
            await session.run("  \n")
        tasks.start_soon(session.run, "go")
        await started.wait()
        with pytest.raises(TahError, match="Run 1 is still under way"):
            await session.run("me too")


@pytest.mark.parametrize(
    ("text", "doubted"),
    [
        ('{"name": "read", "arguments": {"path": "a.py"}}', True),
        ('Let me look.\n```json\n{"tool":"read"}\n```', True),
        ("<tool_call><function=read><parameter=path>a.py</parameter></function></tool_call>", True),
        ('{"name": "Ada", "born": 1815}', False),
        ("read a.py yourself", False),
    ],
)
async def test_a_call_that_was_only_written_is_said_to_be_no_call(text: str, doubted: bool) -> None:
    async with session_of(ScriptedModel([says(text)]), [Slow("read")]) as session:
        result = await session.run("go")
    told = [event.text for event in result.events if isinstance(event, Notice)]
    expected = "The model wrote a call of read as text, so it was not run. It may be too small for tools."
    assert told == ([expected] if doubted else [])
    assert (result.text, result.stop_reason) == (text, "end_turn")


async def test_the_limit_of_turns_ends_the_run_and_says_so() -> None:
    model = ScriptedModel(lambda request: calls("read"))
    async with session_of(model, [Slow("read")], max_turns=3) as session:
        result = await session.run("go")
    assert result.stop_reason == "max_turns"
    assert result.error == "The limit of turns was reached (3)."
    assert "--max-turns" in result.next_step
    assert len(model.requests) == 3


async def test_a_person_may_deny_and_end_the_run() -> None:
    @tool()
    def change() -> str:
        """Change."""
        return "changed"

    async def approver(_: object) -> Deny:
        return Deny("no more", stop=True)

    model = ScriptedModel([[calls("change"), calls("change")], says("never")])
    async with session_of(model, [change], approver=approver) as session:
        result = await session.run("go")
    assert result.stop_reason == "denied_stop"
    assert len(model.requests) == 1


async def test_answers_and_modes_arrive_by_commands_and_a_late_answer_does_nothing() -> None:
    @tool()
    def change() -> str:
        """Change."""
        return "changed"

    desk = Desk()
    model = ScriptedModel([calls("change"), calls("change"), says("ok")])
    async with session_of(model, [change], approver=desk) as session:
        seen: list[str] = []

        def answer(event: Event) -> None:
            if isinstance(event, ApprovalRequested):
                seen.append(event.approval)
                session.send(SetMode("bypass"))
                session.send(AnswerApproval(event.approval, Allow()))
                session.send(AnswerApproval(event.approval, Deny("late")))

        session.subscribe(answer)
        result = await session.run("go")
    assert len(seen) == 1
    assert results(model) == ["changed", "changed"]
    assert [e.mode for e in result.events if isinstance(e, ModeChanged)] == ["bypass"]


async def test_a_cut_answer_keeps_its_text_and_is_gone_on_with() -> None:
    model = ScriptedModel([[says("The answer "), cuts()], says("is 42.")])
    async with session_of(model) as session:
        result = await session.run("go")
    assert (result.text, result.stop_reason) == ("The answer is 42.", "end_turn")
    _, assistant, user = model.requests[-1].messages
    assert assistant == AssistantMessage("The answer ")
    assert isinstance(user, UserMessage)
    assert "cut off" in user.text
    assert [e.code for e in result.events if isinstance(e, Notice)] == ["cut"]


async def test_an_answer_that_is_cut_again_and_again_ends_the_run_with_the_reason() -> None:
    model = ScriptedModel(lambda request: [says("x"), cuts()])
    async with session_of(model) as session:
        result = await session.run("go")
    assert result.stop_reason == "model_error"
    assert result.error
    assert len(model.requests) == 4


async def test_a_model_that_cannot_be_reached_ends_the_run_with_cause_and_next_step() -> None:
    model = ScriptedModel([fails("key_refused", "The key was refused."), says("ok")])
    async with session_of(model) as session:
        result = await session.run("go")
        assert (result.stop_reason, result.error) == ("model_error", "The key was refused.")
        assert (await session.run("again")).text == "ok"


async def test_the_content_filter_ends_the_run_with_its_own_words() -> None:
    async with session_of(ScriptedModel([[says("no"), ends("filter")]])) as session:
        result = await session.run("go")
    assert "content filter" in result.error


async def test_calls_sealed_before_a_cut_keep_their_results_and_the_unsealed_one_is_not_run() -> None:
    read = Slow("read", safe=True)
    model = ScriptedModel([[calls("read", n=1), calls_raw("read", '{"n": 2', truncated=True), cuts()], says("ok")])
    async with session_of(model, [read]) as session:
        result = await session.run("go")
    assert read.log == ["read1"]
    assistant = next(m for m in model.requests[-1].messages if isinstance(m, AssistantMessage))
    sealed = [e for e in result.events if isinstance(e, CallSealed)]
    assert [c.call_id for c in assistant.calls] == [sealed[0].call]
    assert "truncated" in sealed[1].problem


async def test_thinking_is_kept_in_the_log_and_not_sent_back() -> None:
    model = ScriptedModel([[thinks("hm"), says("a"), calls("read")], says("ok")])
    async with session_of(model, [Slow("read")]) as session:
        result = await session.run("go")
    finished = [e for e in result.events if isinstance(e, MessageFinished)]
    assert finished[0].thinking == "hm"
    assert "hm" not in repr(model.requests[-1].messages)


async def test_events_can_be_followed_until_the_run_ends() -> None:
    seen: list[Event] = []
    async with session_of(ScriptedModel([says("hello")])) as session, anyio.create_task_group() as tasks:

        async def follow() -> None:
            seen.extend([event async for event in session.events()])

        tasks.start_soon(follow)
        await anyio.wait_all_tasks_blocked()
        await session.run("go")
    assert isinstance(seen[-1], RunEnded)


async def test_a_view_that_breaks_is_noted_and_the_run_goes_on() -> None:
    async with session_of(ScriptedModel([says("hello")])) as session:

        def broken(event: Event) -> None:
            raise ValueError("cannot draw")

        session.subscribe(broken)
        result = await session.run("go")
    assert result.stop_reason == "end_turn"
    assert [e.code for e in result.events if isinstance(e, Notice)] == ["subscriber"]


async def test_a_log_that_cannot_be_written_stops_the_run_at_its_next_step() -> None:
    model = ScriptedModel([calls("read"), calls("read"), says("ok")])
    async with session_of(model, [Slow("read")]) as session:

        def full(event: Event) -> None:
            if isinstance(event, ToolFinished):
                session.runtime.bus.fault = OSError(28, "No space left on device")

        session.subscribe(full)
        result = await session.run("go")
    assert result.stop_reason == "log_error"
    assert "No space left" in result.error
    assert len(model.requests) == 1


async def test_how_full_the_models_window_is_is_told_with_each_turn() -> None:
    from tah_jupyter.ui.phrases import Phrases
    from tah_jupyter.ui.transcript import Transcript
    from tah_jupyter.ui.words import Words

    async with session_of(ScriptedModel([says("hello " * 100)], context_window=5_000)) as session:
        await session.run("go " * 100)
        view = Transcript.of(session.records).run(1)
    assert view.context is not None
    assert f"context {view.context:.0%}".replace("%", " %") in Phrases(Words("en")).usage(view)


async def test_calls_of_one_message_are_asked_about_in_their_order_whatever_takes_longer_to_show() -> None:
    class Slowly(Tool[Step, None]):
        """Change, after a preview that takes its time."""

        name = "slowly"
        input_model = Step

        async def preview(self, input: Step, ctx: ToolContext) -> Preview:
            with anyio.move_on_after(input.ms / 1000):
                await anyio.sleep_forever()
            if input.n == 1:
                raise ToolError("cannot be shown")
            return Preview(Text(f"step {input.n}"))

        async def execute(self, input: Step, ctx: ToolContext) -> ToolResult[None]:
            return ToolResult(None, f"did {input.n}")

    asked: list[int] = []

    async def approver(request: ApprovalRequest) -> Allow:
        assert isinstance(request.view, Text)
        asked.append(int(request.view.text.split()[1]))
        return Allow()

    script = [
        calls("slowly", n=0, ms=120),
        calls("slowly", n=1, ms=60),
        calls("slowly", n=2),
        calls("slowly", n=3, ms=30),
    ]
    model = ScriptedModel([script, says("ok")])
    async with session_of(model, [Slowly()], approver=approver) as session:
        await session.run("go")
    assert asked == [0, 2, 3]
    assert results(model) == ["did 0", "cannot be shown", "did 2", "did 3"]
