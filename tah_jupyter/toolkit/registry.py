"""Where tools are kept: one name, one owner; found by name or alias; told to the model in an order that stays."""

from collections.abc import Iterable
from typing import Any

from tah_jupyter.core.calls import ToolCall, ToolSchema
from tah_jupyter.core.errors import ServiceError
from tah_jupyter.runtime.context import Context
from tah_jupyter.runtime.service import ServiceKey, Services
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.pipeline import Pipeline
from tah_jupyter.toolkit.prepared import Settled
from tah_jupyter.toolkit.schema import project
from tah_jupyter.toolkit.services import GATE
from tah_jupyter.toolkit.tool import Tool
from tah_jupyter.toolkit.validation import Reader, reader_of

__all__ = ["TOOLS", "ToolService", "ToolsPlugin", "tools_plugin"]


class _Entry:
    __slots__ = ("owner", "reader", "schema", "tool")

    def __init__(self, tool: Tool[Any, Any], owner: str) -> None:
        self.tool = tool
        self.owner = owner
        self.schema = project(tool)
        self.reader: Reader = reader_of(tool)


class ToolService:
    """The tools of a runtime. Tools may come and go between turns; the schema list is the same object while the set
    is.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._entries: dict[str, _Entry] = {}
        self._names: dict[str, str] = {}  # name or alias -> name
        self._schemas: tuple[tuple[str, ...], tuple[ToolSchema, ...]] = ((), ())
        self.pipeline = Pipeline(self, services)

    def register(self, tool: Tool[Any, Any], *, owner: str = "") -> None:
        """Add a tool. Raises ServiceError when a name or alias is taken (naming both owners) or its schema does not
        project.
        """
        entry = _Entry(tool, owner or type(tool).__module__)
        for name in (tool.name, *tool.aliases):
            if taken := self._names.get(name):
                raise ServiceError(
                    f"The tool name {name!r} of {entry.owner} is taken by {taken!r} of {self._entries[taken].owner}."
                )
        self._entries[tool.name] = entry
        self._names.update(dict.fromkeys((tool.name, *tool.aliases), tool.name))

    def unregister(self, name: str) -> None:
        """Take a tool back; unknown names are ignored."""
        if self._entries.pop(name, None) is not None:
            self._names = {alias: owner for alias, owner in self._names.items() if owner != name}

    def find(self, name: str) -> tuple[Tool[Any, Any], Reader] | None:
        """The tool of this name or alias and how its input is read, or None."""
        entry = self._entries.get(self._names.get(name, ""))
        return (entry.tool, entry.reader) if entry is not None and self._offered(entry.tool) else None

    def list(self) -> list[Tool[Any, Any]]:
        """The tools that are offered now, in order of registration."""
        return [entry.tool for entry in self._entries.values() if self._offered(entry.tool)]

    def list_schemas(self) -> tuple[ToolSchema, ...]:
        """What the model is told; the same tuple as long as the set of offered tools is the same."""
        names = tuple(tool.name for tool in self.list())
        if names != self._schemas[0]:
            self._schemas = (names, tuple(self._entries[name].schema for name in names))
        return self._schemas[1]

    async def execute(self, call: ToolCall, ctx: ToolContext) -> Settled:
        """Run one call through the whole pipeline. Never raises for what the call did wrong: that is in the result."""
        return await self.pipeline.execute(call, ctx)

    def _offered(self, tool: Tool[Any, Any]) -> bool:
        gate = self._services.try_get(GATE)
        return tool.is_enabled() and (gate is None or gate.visible(tool))


TOOLS = ServiceKey[ToolService]("tools")


class ToolsPlugin:
    """Provides :data:`TOOLS` with ``tools`` registered."""

    name = "tools"
    requires: tuple[str, ...] = ()

    def __init__(self, tools: Iterable[Tool[Any, Any]] = ()) -> None:
        self._tools = list(tools)

    def setup(self, ctx: Context) -> None:
        """Register the tools and provide the service."""
        service = ToolService(ctx)
        for tool in self._tools:
            service.register(tool)
        ctx.provide(TOOLS, service)


def tools_plugin(tools: Iterable[Tool[Any, Any]] = ()) -> ToolsPlugin:
    """A plugin that offers exactly ``tools``: what is not in it is not there."""
    return ToolsPlugin(tools)
