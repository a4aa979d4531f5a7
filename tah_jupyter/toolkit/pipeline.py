"""The one gate (law 5): resolve → validate → hooks → decide → preview, approve → run → limit → hooks → limit → settle.

Everything before *run* is :meth:`Pipeline.prepare`, which may start while the model still streams. A call that was
prepared is settled exactly once: by :meth:`run`, or by :meth:`fail` when it never runs.
"""

import time
from typing import Any, Protocol

import anyio

from tah_jupyter.core.calls import ToolCall
from tah_jupyter.core.errors import ToolError, classify
from tah_jupyter.core.events import (
    PermissionDenied,
    PermissionGranted,
    PromptAdded,
    ToolFailed,
    ToolFinished,
    ToolStarted,
)
from tah_jupyter.runtime.service import Services
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.asking import Asking
from tah_jupyter.toolkit.limits import defuse, head_and_tail
from tah_jupyter.toolkit.prepared import Prepared, Settled, digest_of
from tah_jupyter.toolkit.services import CALL_HOOKS, GATE, LEDGER, RESULTS, Decision, HookVote
from tah_jupyter.toolkit.tool import Tool, ToolResult
from tah_jupyter.toolkit.validation import Reader

__all__ = ["Catalog", "Pipeline", "cancelled"]


class _Refused(Exception):
    """The call ends here; told to the model as it stands."""

    def __init__(self, text: str, error: str, *, stop: bool = False) -> None:
        super().__init__(text)
        self.error = error
        self.stop = stop


class Catalog(Protocol):
    """Where the pipeline finds tools; the registry."""

    def find(self, name: str) -> "tuple[Tool[Any, Any], Reader] | None":
        """The offered tool of this name or alias and how its input is read, or None."""
        ...

    def list(self) -> list[Tool[Any, Any]]:
        """The tools that are offered now."""
        ...


class Pipeline:
    """Takes calls through the gate. One per ToolService; it keeps nothing between calls but pending questions."""

    def __init__(self, tools: Catalog, services: Services) -> None:
        self._tools = tools
        self._services = services
        self._asking = Asking(services)

    async def execute(self, call: ToolCall, ctx: ToolContext) -> Settled:
        """``prepare`` and ``run``; a cancelled call is settled as such before the cancellation goes on."""
        ready: Prepared | Settled | None = None
        try:
            ready = await self.prepare(call, ctx)
        finally:
            if ready is None:
                self.fail(call, ctx, *cancelled(ctx, ran=False))
        return ready if isinstance(ready, Settled) else await self.run(ready)

    async def prepare(self, call: ToolCall, ctx: ToolContext) -> Prepared | Settled:
        """Everything before the run. Returns the prepared call, or its end when it may not or cannot run."""
        try:
            tool, input = self._read(call)
            vote = await self._before(tool, call, ctx)
            if vote is not None and vote.updated_input is not None:
                call = ToolCall(call.call_id, call.tool, vote.updated_input)
                tool, input = self._read(call)
            prepared = Prepared(call, tool, input, digest_of(input), ctx)
            await self._judge(prepared, vote)
        except Exception as error:
            return self._failed(call, ctx, error)
        return prepared

    async def run(self, prepared: Prepared) -> Settled:
        """Run a prepared call and settle it; asks again when what was shown has changed since."""
        call, ctx, tool = prepared.call, prepared.ctx, prepared.tool
        try:
            await self._still_as_shown(prepared)
            prepared.started = time.perf_counter()
            ctx.emitter.emit(
                ToolStarted(
                    call=call.call_id,
                    tool=tool.name,
                    headline=tool.headline(prepared.input),
                    folds=tool.is_search_or_read(prepared.input),
                    digest=prepared.digest,
                )
            )
            await self._flush(prepared)
            if tool.interrupt_behavior == "block":
                with anyio.CancelScope(shield=True):
                    result = await tool.execute(prepared.input, ctx)
            else:
                result = await tool.execute(prepared.input, ctx)
            prepared.settled = await self._finished(prepared, result)
        except Exception as error:
            prepared.settled = self._failed(call, ctx, error, prepared)
        finally:
            if prepared.settled is None:  # cancelled: the bracket closes here, the cancellation goes on
                ctx.signal.cancel("interrupted")
                ends = cancelled(ctx, ran=bool(prepared.started))
                prepared.settled = self.fail(call, ctx, *ends, prepared=prepared)
        return prepared.settled

    def fail(
        self, call: ToolCall, ctx: ToolContext, error: str, text: str, *, prepared: Prepared | None = None
    ) -> Settled:
        """Settle a call badly. The executor uses it for calls that never get here."""
        return self._fail(call, ctx, error, text, prepared, stop=False)

    def _fail(
        self, call: ToolCall, ctx: ToolContext, error: str, text: str, prepared: Prepared | None, *, stop: bool
    ) -> Settled:
        duration = _since(prepared)
        text = defuse(text)
        ctx.emitter.emit(ToolFailed(call=call.call_id, tool=call.tool, error=error, text=text, duration_ms=duration))
        return Settled(call.call_id, call.tool, text, error=error, failed=True, duration_ms=duration, stop=stop)

    def _read(self, call: ToolCall) -> tuple[Tool[Any, Any], Any]:
        found = self._tools.find(call.tool)
        if found is None:
            names = ", ".join(tool.name for tool in self._tools.list())
            raise _Refused(f"There is no tool {call.tool!r}. Tools: {names or 'none'}.", "UnknownTool")
        tool, reader = found
        return tool, reader(call.args)

    async def _before(self, tool: Tool[Any, Any], call: ToolCall, ctx: ToolContext) -> HookVote | None:
        hooks = self._services.try_get(CALL_HOOKS)
        if hooks is None:
            return None
        vote = await hooks.before(tool, call.args, ctx)
        if vote.behavior == "deny":
            self._denied(tool, call, ctx, Decision("deny", "hook", reason=vote.reason))
        return vote

    async def _judge(self, prepared: Prepared, vote: HookVote | None) -> None:
        """Let the call pass, or raise. Without a gate there is nothing to ask and nothing is said."""
        gate = self._services.try_get(GATE)
        if gate is None:
            return
        decision = gate.decide(prepared.tool, prepared.input, prepared.ctx, vote)
        if decision.behavior == "ask":
            await self._ask(prepared, decision)
        elif decision.behavior == "deny":
            self._denied(prepared.tool, prepared.call, prepared.ctx, decision)
        else:
            prepared.ctx.emitter.emit(
                PermissionGranted(
                    call=prepared.call.call_id,
                    tool=prepared.tool.name,
                    source=decision.source,
                    rule=decision.rule,
                    digest=prepared.digest,
                )
            )

    async def _ask(self, prepared: Prepared, decision: Decision, *, again: bool = False) -> None:
        preview = await prepared.tool.preview(prepared.input, prepared.ctx)
        answer = await self._asking.ask(prepared, preview, decision, again=again)
        if answer.refusal is not None:
            self._denied(prepared.tool, prepared.call, prepared.ctx, answer.refusal, stop=answer.stop)
        prepared.fingerprint, prepared.shown = preview.fingerprint, True
        prepared.ctx.approved_by_person = answer.by_person

    def _denied(
        self, tool: Tool[Any, Any], call: ToolCall, ctx: ToolContext, decision: Decision, *, stop: bool = False
    ) -> None:
        ctx.emitter.emit(
            PermissionDenied(
                call=call.call_id, tool=tool.name, source=decision.source, reason=decision.reason, rule=decision.rule
            )
        )
        raise _Refused(f"Not run: {decision.reason}", "Denied", stop=stop)

    async def _still_as_shown(self, prepared: Prepared) -> None:
        """What runs is what was approved: the same input, against the same state of the world."""
        if digest_of(prepared.input) != prepared.digest:
            raise _Refused("Not run: the arguments changed after they were approved.", "ChangedAfterApproval")
        for _ in range(3):
            if not prepared.shown:
                return
            preview = await prepared.tool.preview(prepared.input, prepared.ctx)
            if preview.fingerprint == prepared.fingerprint:
                return
            await self._judge_again(prepared)
        raise _Refused(
            "Not run: what it works on changed each time it was approved. Look at its present state first.",
            "KeepsChanging",
        )

    async def _judge_again(self, prepared: Prepared) -> None:
        gate = self._services.try_get(GATE)
        decision = gate.decide(prepared.tool, prepared.input, prepared.ctx) if gate is not None else None
        if decision is not None and decision.behavior == "ask":
            await self._ask(prepared, decision, again=True)
        elif decision is not None and decision.behavior == "deny":
            self._denied(prepared.tool, prepared.call, prepared.ctx, decision)
        else:
            prepared.shown = False  # a grant given meanwhile covers it

    async def _flush(self, prepared: Prepared) -> None:
        """What is about to change something is on the disk first: after a crash it is known, and never run twice."""
        ledger = self._services.try_get(LEDGER)
        if ledger is not None and not prepared.tool.is_read_only(prepared.input):
            await ledger.sync()

    async def _finished(self, prepared: Prepared, result: ToolResult[Any]) -> Settled:
        call, ctx, tool = prepared.call, prepared.ctx, prepared.tool
        failed = bool(getattr(result.data, "failed", False))
        text, spilled = result.text, ""
        if len(text) > tool.max_result_chars or self._services.try_get(CALL_HOOKS) is not None:
            with anyio.CancelScope(shield=True):  # it is done: an interrupt must not lose that
                text, spilled = await self._told(prepared, text, failed)
        if result.context_modifier is not None and not tool.is_concurrency_safe(prepared.input):
            ctx.set_app_state(result.context_modifier)
        text, duration = defuse(text), _since(prepared)
        ctx.emitter.emit(
            ToolFinished(
                call=call.call_id,
                tool=tool.name,
                text=text,
                view=tool.render(result),
                duration_ms=duration,
                changes=result.changes,
                spilled=spilled,
            )
        )
        for message in result.new_messages:
            ctx.emitter.emit(PromptAdded(text=message, source=tool.name))
        return Settled(
            call.call_id, tool.name, text, failed=failed, data=result.data, changes=result.changes, duration_ms=duration
        )

    async def _told(self, prepared: Prepared, text: str, failed: bool) -> tuple[str, str]:
        """What the model is told of ``text`` after limit, hooks and limit again, and where the whole of it is."""
        call, tool = prepared.call, prepared.tool
        text, spilled = await self._limited(tool, call.call_id, text)
        hooks = self._services.try_get(CALL_HOOKS)
        if hooks is not None:
            text, again = await self._limited(
                tool, call.call_id, await hooks.after(tool, call.args, text, failed, prepared.ctx)
            )
            spilled = spilled or again
        return text, spilled

    async def _limited(self, tool: Tool[Any, Any], call_id: str, text: str) -> tuple[str, str]:
        """``text`` within the tool's limit, and the path of the file that holds the whole of it, if one was needed."""
        if len(text) <= tool.max_result_chars:
            return text, ""
        store = self._services.try_get(RESULTS)
        whole = None if store is None else await anyio.to_thread.run_sync(store.spill, call_id, text)
        return head_and_tail(text, tool.max_result_chars, whole), str(whole or "")

    def _failed(self, call: ToolCall, ctx: ToolContext, error: Exception, prepared: Prepared | None = None) -> Settled:
        """The one place where what a tool raised becomes a result (law 7)."""
        if isinstance(error, _Refused):
            return self._fail(call, ctx, error.error, str(error), prepared, stop=error.stop)
        if isinstance(error, ToolError):
            return self._fail(call, ctx, error.code, str(error), prepared, stop=False)
        name = classify(error)
        said = str(error).strip() or "no message"
        text = (
            f"{call.tool} failed unexpectedly ({type(error).__name__}: {said[:2000]}). "
            "Its effects are unknown: check before going on."
        )
        return self._fail(call, ctx, name, text, prepared, stop=False)


def cancelled(ctx: ToolContext, *, ran: bool) -> tuple[str, str]:
    """Error name and words for a call that was cancelled, by what cancelled it."""
    if ctx.signal.reason == "stopped" and not ran:
        return "NotRun", "Not run: the person denied another call and ended the run."
    if ctx.signal.reason == "sibling":
        state = "Cancelled while it ran" if ran else "Not run"
        return "NotRun" if not ran else "Cancelled", f"{state}: an earlier call of the same message failed."
    if ran:
        return (
            "Interrupted",
            "Interrupted by the person while it ran; it may have done part of its work. Check before going on.",
        )
    return "Interrupted", "Not run: the person stopped the run."


def _since(prepared: Prepared | None) -> float:
    return (
        round((time.perf_counter() - prepared.started) * 1e3, 1) if prepared is not None and prepared.started else 0.0
    )
