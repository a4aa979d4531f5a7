"""Calls of tools through the whole pipeline, as a program without a session makes them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tah_jupyter.core.approvals import Preview
from tah_jupyter.core.calls import ToolCall
from tah_jupyter.core.events import Event, ToolFinished
from tah_jupyter.core.views import View
from tah_jupyter.runtime.context import Runtime
from tah_jupyter.runtime.tool_context import Options
from tah_jupyter.toolkit.prepared import Settled
from tah_jupyter.toolkit.registry import TOOLS, tools_plugin
from tah_jupyter.toolkit.tool import Tool


class Calling:
    """A started runtime with some tools. ``vision`` says that the model sees pictures."""

    def __init__(self, runtime: Runtime, *, vision: bool) -> None:
        self.runtime = runtime
        self.vision = vision
        self.events: list[Event] = []
        runtime.context.on(self.events.append)

    async def __call__(self, tool: str, *, approved_by_person: bool = False, **args: Any) -> Settled:
        """One call, from its arguments to its end."""
        ctx = self.context(approved_by_person=approved_by_person)
        return await self.runtime.get(TOOLS).execute(ToolCall(ctx.call_id, tool, args), ctx)

    async def ok(self, tool: str, **args: Any) -> Settled:
        """The same for a call that must succeed."""
        settled = await self(tool, **args)
        assert not settled.is_error, settled.text
        return settled

    async def preview(self, tool: str, **args: Any) -> Preview:
        """What a person would be shown."""
        found = self.runtime.get(TOOLS).find(tool)
        assert found is not None
        return await found[0].preview(found[1](args), self.context())

    def view(self) -> View | None:
        """What people see of the last call that succeeded."""
        return [event for event in self.events if isinstance(event, ToolFinished)][-1].view

    def context(self, *, approved_by_person: bool = False) -> Any:
        ctx = self.runtime.tool_context(
            session_id="s", call_id=f"c{len(self.events)}", options=Options(vision=self.vision)
        )
        ctx.approved_by_person = approved_by_person
        return ctx


@asynccontextmanager
async def calling(*tools: Tool[Any, Any], vision: bool = False) -> AsyncIterator[Calling]:
    """A runtime with ``tools`` and no gate."""
    async with Runtime().use(tools_plugin(tools)) as runtime:
        yield Calling(runtime, vision=vision)
