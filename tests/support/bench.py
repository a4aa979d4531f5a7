"""Tools on a workbench: calls go through the real registry and pipeline, and what they emit is kept."""

import itertools
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
import psutil

from tah_jupyter.core.approvals import Approver
from tah_jupyter.core.calls import ToolCall
from tah_jupyter.core.events import Event, ToolProgress
from tah_jupyter.permissions.gate import permissions_plugin
from tah_jupyter.runtime.context import Runtime
from tah_jupyter.runtime.tool_context import Options
from tah_jupyter.toolkit.prepared import Settled
from tah_jupyter.toolkit.registry import TOOLS, tools_plugin
from tah_jupyter.toolkit.tool import Tool

E = TypeVar("E")


class Bench:
    """Runs calls one by one in one session."""

    def __init__(self, runtime: Runtime, results_dir: Path | None, options: Options) -> None:
        self.events: list[Event] = []
        self.state: dict[str, Any] = {}
        self._runtime = runtime
        self._results_dir = results_dir
        self._options = options
        self._waiting: list[tuple[Callable[[Event], bool], anyio.Event]] = []
        runtime.bus.subscribe(self._record)

    def _record(self, event: Event) -> None:
        self.events.append(event)
        for wanted, seen in self._waiting:
            if wanted(event):
                seen.set()

    async def call(self, tool: str, **args: Any) -> Settled:
        """Execute one call of ``tool``."""
        ctx = self._runtime.tool_context(session_id="s", call_id=f"c{len(self.events)}", options=self._options)
        ctx.results_dir, ctx.state = self._results_dir, self.state
        return await self._runtime.get(TOOLS).execute(ToolCall(ctx.call_id, tool, args), ctx)

    async def until(self, wanted: Callable[[Event], bool], *, limit_s: float = 10) -> None:
        """Wait until an event is ``wanted``, also when it already came."""
        seen = anyio.Event()
        self._waiting.append((wanted, seen))
        if any(map(wanted, self.events)):
            return
        with anyio.fail_after(limit_s):
            await seen.wait()

    async def until_printed(self, text: str) -> None:
        """Wait until a running command has printed ``text``."""
        await self.until(lambda event: isinstance(event, ToolProgress) and text in event.text)

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]


@asynccontextmanager
async def bench(
    *tools: Tool[Any, Any],
    results_dir: Path | None = None,
    options: Options | None = None,
    approver: Approver | None = None,
) -> AsyncIterator[Bench]:
    """A workbench with ``tools``; with an ``approver`` there is a gate, which asks it."""
    runtime = Runtime().use(tools_plugin(tools))
    if approver is not None:
        runtime.use(permissions_plugin(approver=approver))
    async with runtime:
        yield Bench(runtime, results_dir, options or Options())


def running(*words: str) -> list[psutil.Process]:
    """The processes whose arguments hold all ``words``; a zombie does not run."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and all(word in process.cmdline() for word in words):
                found.append(process)
        except psutil.Error:
            continue
    return found


def group_of(pid: int) -> list[psutil.Process]:
    """What runs of the process group ``pid``."""
    found = []
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == pid and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


_numbers = itertools.count(600)


def long_time() -> str:
    """A number of seconds for ``sleep`` that nothing else uses, so that its process can be told from all others."""
    return f"{next(_numbers)}.{os.getpid()}"
