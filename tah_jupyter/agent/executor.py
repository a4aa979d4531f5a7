"""Runs the calls of one message while it still streams.

A call is prepared at once; it *runs* when nothing runs, or when it and everything that runs is concurrency-safe, and
never before a call that came earlier has started. What it leaves behind is settled exactly once, also when it is
cancelled before it began.
"""

import anyio
from anyio.abc import TaskGroup
from anyio.lowlevel import checkpoint_if_cancelled

from tah_jupyter.core.calls import ToolCall
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.pipeline import Pipeline, cancelled
from tah_jupyter.toolkit.prepared import Line, Prepared, Settled

__all__ = ["MAX_PARALLEL", "Executor"]

MAX_PARALLEL = 10
"""Calls that may run at once, all of them concurrency-safe."""


class _Item:
    __slots__ = ("call", "ctx", "has_started", "line", "prepared", "running", "safe", "scope", "settled", "wake")

    def __init__(self, call: ToolCall, ctx: ToolContext, line: Line) -> None:
        self.call = call
        self.ctx = ctx
        self.line = line
        self.scope = anyio.CancelScope()
        self.prepared: Prepared | None = None
        self.settled: Settled | None = None
        self.safe = False
        self.running = False
        self.has_started = False
        self.wake: anyio.Event | None = None


class Executor:
    """The calls of one message. ``tasks`` is the turn's task group; cancelling it cancels every call."""

    def __init__(self, pipeline: Pipeline, tasks: TaskGroup) -> None:
        self._pipeline = pipeline
        self._tasks = tasks
        self._items: list[_Item] = []
        self._failed = False
        self.stop_requested = False

    def submit(self, call: ToolCall, ctx: ToolContext) -> None:
        """Start a call that is complete; returns at once."""
        item = _Item(call, ctx, Line(self._items[-1].line if self._items else None))
        self._items.append(item)
        if self._failed or self.stop_requested:
            self._cancel(item)
        self._tasks.start_soon(self._carry_out, item)

    def end(self, call_id: str) -> None:
        """End one call because the person wants it; the others go on, and one that is over stays as it is."""
        for item in self._items:
            if item.call.call_id == call_id and item.settled is None:
                self._cancel(item, "ended")

    def end_all(self, reason: str) -> None:
        """End every call that is not over, for ``reason``."""
        for item in self._items:
            if item.settled is None:
                self._cancel(item, reason)

    @property
    def settled(self) -> list[Settled]:
        """The ends of all calls so far, in call order."""
        return [item.settled for item in self._items if item.settled is not None]

    async def _carry_out(self, item: _Item) -> None:
        try:
            with item.scope:
                await self._prepare_and_run(item)
        finally:  # whatever cancelled it: one call, one result
            item.line.leave()
            item.settled = item.settled or (item.prepared and item.prepared.settled) or self._never_ran(item)
            item.running = False
            self._after(item, item.settled)

    def _never_ran(self, item: _Item) -> Settled:
        return self._pipeline.fail(item.call, item.ctx, *cancelled(item.ctx, ran=False))

    async def _prepare_and_run(self, item: _Item) -> None:
        await checkpoint_if_cancelled()  # it came after a sibling had failed
        ready = await self._pipeline.prepare(item.call, item.ctx, item.line)
        item.line.leave()
        if isinstance(ready, Settled):
            item.settled = ready
            return
        item.prepared = ready
        item.safe = ready.tool.is_concurrency_safe(ready.input)
        while not self._may_run(item):
            item.wake = anyio.Event()
            await item.wake.wait()
        await checkpoint_if_cancelled()
        item.running = item.has_started = True
        self._wake()
        item.settled = await self._pipeline.run(ready)

    def _may_run(self, item: _Item) -> bool:
        running = 0
        for other in self._items:
            if other is item:
                break
            if not other.has_started and other.settled is None:
                return False  # order: an earlier call is still being prepared or asked about
            if other.running:
                running += 1
                if not (item.safe and other.safe):
                    return False
        return running < MAX_PARALLEL

    def _after(self, item: _Item, settled: Settled) -> None:
        if settled.stop:
            self.stop_requested = True
            self._cancel_others(item, "stopped")
        elif self._stops_siblings(item, settled):
            self._failed = True
            self._cancel_others(item, "sibling")
        self._wake()

    def _stops_siblings(self, item: _Item, settled: Settled) -> bool:
        """Whether later calls stand on this one, which failed by itself."""
        if not settled.failed or self._failed or item.prepared is None:
            return False
        return item.prepared.tool.stops_siblings and item.ctx.signal.reason != "ended"

    def _cancel_others(self, item: _Item, reason: str) -> None:
        for other in self._items:
            if other is not item and other.settled is None:
                self._cancel(other, reason)

    def _cancel(self, item: _Item, reason: str = "") -> None:
        item.ctx.signal.cancel(reason or ("stopped" if self.stop_requested else "sibling"))
        item.scope.cancel()

    def _wake(self) -> None:
        for item in self._items:
            if item.wake is not None and not item.has_started:
                item.wake.set()
