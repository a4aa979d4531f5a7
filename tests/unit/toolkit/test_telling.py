"""A call that is done stays done: whatever breaks afterwards is said, and no result or change is lost."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from tah_jupyter import Allow, Tool, ToolContext, ToolInput, ToolResult, tools_plugin
from tah_jupyter.core.calls import Change, ToolCall
from tah_jupyter.core.errors import LogError
from tah_jupyter.core.events import Event, Notice, ToolFailed, ToolFinished
from tah_jupyter.core.views import Text, View
from tah_jupyter.runtime.context import Runtime
from tah_jupyter.toolkit.registry import TOOLS
from tah_jupyter.toolkit.services import CALL_HOOKS, RESULTS, HookVote
from tests.unit.toolkit.test_pipeline import Hooks, Provide, World

pytestmark = pytest.mark.anyio


class BrokenAfter(Hooks):
    """A PostToolUse hook that raises, or says nothing."""

    def __init__(self, outcome: Any) -> None:
        super().__init__(HookVote())
        self.outcome = outcome

    async def after(self, tool: Any, args: Any, text: str, failed: bool, ctx: ToolContext) -> Any:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


@pytest.mark.parametrize("outcome", [ValueError("hook broke"), None, 7])
async def test_a_hook_that_breaks_after_a_call_leaves_a_notice_and_the_result_stands(outcome: Any) -> None:
    world = World(Allow(), hooks=BrokenAfter(outcome))
    settled = await world.call("write", path="src/a", text="done")
    assert (settled.error, settled.text) == ("", "done")
    (notice,) = [e for e in world.events if isinstance(e, Notice)]
    assert "A hook after write failed" in notice.text


@pytest.mark.parametrize("error", [LogError("The disk is full."), OSError(28, "No space left on device")])
async def test_a_result_that_cannot_be_kept_whole_is_told_all_the_same(error: Exception) -> None:
    class Full:
        def spill(self, call_id: str, text: str) -> Path:
            raise error

    world = World(Allow())
    world.runtime.use(Provide(RESULTS, Full()))
    settled = await world.call("write", path="src/a", text="long " * 1000)
    assert settled.error == ""
    assert "The rest was not kept" in settled.text
    assert [str(error) in e.text for e in world.events if isinstance(e, Notice)] == [True]


class Nothing(ToolInput):
    """Nothing."""


class Done(Tool[Nothing, None]):
    """Change a file, then fail at telling of it."""

    name = "done"
    input_model = Nothing

    def __init__(self, where: str) -> None:
        self.where = where

    async def execute(self, input: Nothing, ctx: ToolContext) -> ToolResult[None]:
        modifier = (lambda state: state["missing"]) if self.where == "modifier" else None
        return ToolResult(None, "wrote it", changes=(Change("a.py"),), context_modifier=modifier)

    def render(self, result: ToolResult[None]) -> View | None:
        if self.where == "render":
            raise ValueError("no picture")
        return Text("wrote it")


async def run(tool: Tool[Any, Any], hooks: Hooks | None = None, limit_s: float = 5.0) -> tuple[list[Event], bool]:
    """The records of one call, and whether it was cut short by the limit."""
    events: list[Event] = []
    runtime = Runtime().use(tools_plugin([tool]))
    if hooks is not None:
        runtime.use(Provide(CALL_HOOKS, hooks))
    async with runtime:
        runtime.bus.subscribe(events.append)
        ctx = runtime.tool_context(session_id="s", call_id="c1")
        with anyio.move_on_after(limit_s) as scope:
            await runtime.get(TOOLS).execute(ToolCall("c1", tool.name, {}), ctx)
    return events, scope.cancelled_caught


@pytest.mark.parametrize("where", ["render", "modifier"])
async def test_a_tool_that_breaks_after_its_work_keeps_what_it_changed(where: str) -> None:
    events, _ = await run(Done(where))
    (failed,) = [e for e in events if isinstance(e, ToolFailed)]
    assert failed.changes == (Change("a.py"),)
    assert "did its work" in failed.text
    assert "wrote it" in failed.text


async def test_a_hook_that_hangs_after_a_call_can_be_interrupted_and_the_result_stands() -> None:
    class Hangs(Hooks):
        async def after(self, tool: Any, args: Any, text: str, failed: bool, ctx: ToolContext) -> str:
            await anyio.sleep_forever()
            return text

    events, cut = await run(Done("nowhere"), Hangs(HookVote()), limit_s=0.05)
    assert cut
    (finished,) = [e for e in events if isinstance(e, ToolFinished | ToolFailed)]
    assert isinstance(finished, ToolFinished)
    assert (finished.text, finished.changes) == ("wrote it", (Change("a.py"),))


async def test_a_tool_that_breaks_telling_of_a_call_that_is_interrupted_does_not_swallow_the_interrupt() -> None:
    class Hangs(Hooks):
        async def after(self, tool: Any, args: Any, text: str, failed: bool, ctx: ToolContext) -> str:
            await anyio.sleep_forever()
            return text

    events, cut = await run(Done("render"), Hangs(HookVote()), limit_s=0.05)
    assert cut
    assert [e.changes for e in events if isinstance(e, ToolFailed)] == [(Change("a.py"),)]


async def test_a_call_that_never_began_is_not_said_to_have_unknown_effects() -> None:
    class Crashes(Hooks):
        async def before(self, tool: Any, args: Any, ctx: ToolContext) -> HookVote:
            raise ValueError("hook broke")

    events, _ = await run(Done("nowhere"), Crashes(HookVote()))
    (failed,) = [e for e in events if isinstance(e, ToolFailed)]
    assert failed.text.startswith("Not run: done could not be prepared (ValueError: hook broke)")
