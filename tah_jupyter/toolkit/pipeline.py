"""The one gate (law 5): resolve → validate → hooks → decide → preview, approve → run → limit → hooks → limit → settle.

Everything before *run* is :meth:`Pipeline.prepare`, which may start while the model still streams. A call that was
prepared is settled exactly once: by :meth:`run`, or by :meth:`fail` when it never runs.
"""

import time
from typing import Any, Protocol

import anyio

from tah_jupyter.core.calls import ToolCall
from tah_jupyter.core.errors import LogError, ToolError, classify
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
from tah_jupyter.toolkit.prepared import Line, Prepared, Settled, digest_of
from tah_jupyter.toolkit.services import CALL_HOOKS, GATE, LEDGER, Decision, HookVote
from tah_jupyter.toolkit.telling import Telling, shortened
from tah_jupyter.toolkit.tool import Tool
from tah_jupyter.toolkit.validation import Reader

__all__ = ["Catalog", "Pipeline", "cancelled"]


_MAX_ERROR_CHARS = 10_000
"""What a model is told of a failure at most; what is longer mostly repeats the arguments."""


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
        self._telling = Telling(services)

    async def execute(self, call: ToolCall, ctx: ToolContext) -> Settled:
        """``prepare`` and ``run``; a cancelled call is settled as such before the cancellation goes on."""
        ready: Prepared | Settled | None = None
        try:
            ready = await self.prepare(call, ctx)
        finally:
            if ready is None:
                self.fail(call, ctx, *cancelled(ctx, ran=False))
        return ready if isinstance(ready, Settled) else await self.run(ready)

    async def prepare(self, call: ToolCall, ctx: ToolContext, line: Line | None = None) -> Prepared | Settled:
        """Everything before the run. Returns the prepared call, or its end when it may not or cannot run.

        A question is asked when it is the call's turn in ``line``.
        """
        try:
            tool, input = self._read(call)
            vote = await self._before(tool, call, ctx)
            if vote is not None and vote.updated_input is not None:
                call = ToolCall(call.call_id, call.tool, vote.updated_input)
                tool, input = self._read(call)
            prepared = Prepared(call, tool, input, digest_of(input), ctx, vote, line or Line())
            await self._judge(prepared)
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
            with anyio.CancelScope(shield=tool.interrupt_behavior == "block"):
                prepared.result = await tool.execute(prepared.input, ctx)
            prepared.settled = self._finished(prepared, *await self._telling.told(prepared))
        except Exception as error:
            prepared.settled = self._failed(call, ctx, error, prepared)
        finally:
            if prepared.settled is None:  # cancelled: the bracket closes here, the cancellation goes on
                ctx.signal.cancel("interrupted")
                prepared.settled = self._cut_short(prepared)
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
        changes = prepared.result.changes if prepared is not None and prepared.result is not None else ()
        words, view = ctx.so_far or ("", None)
        text = f"{text}\n{words}" if words else text
        text = defuse(text if len(text) <= _MAX_ERROR_CHARS else head_and_tail(text, _MAX_ERROR_CHARS, None))
        ctx.emitter.emit(
            ToolFailed(
                call=call.call_id,
                tool=call.tool,
                error=error,
                text=text,
                view=view,
                duration_ms=duration,
                changes=changes,
            )
        )
        return Settled(
            call.call_id,
            call.tool,
            text,
            error=error,
            failed=True,
            changes=changes,
            duration_ms=duration,
            stop=stop,
        )

    def _read(self, call: ToolCall) -> tuple[Tool[Any, Any], Any]:
        found = self._tools.find(call.tool)
        if found is None:
            names = ", ".join(tool.name for tool in self._tools.list())
            raise _Refused(f"There is no tool {call.tool!r:.100}. Tools: {names or 'none'}.", "UnknownTool")
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

    async def _judge(self, prepared: Prepared) -> None:
        """Let the call pass, or raise. Without a gate there is nothing to ask and nothing is said."""
        gate = self._services.try_get(GATE)
        if gate is None:
            return
        decision = gate.decide(prepared.tool, prepared.input, prepared.ctx, prepared.vote)
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
        await prepared.line.wait()
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
        decision = gate.decide(prepared.tool, prepared.input, prepared.ctx, prepared.vote) if gate else None
        if decision is not None and decision.behavior == "ask":
            await self._ask(prepared, decision, again=True)
        elif decision is not None and decision.behavior == "deny":
            self._denied(prepared.tool, prepared.call, prepared.ctx, decision)
        else:
            prepared.shown = False  # a grant given meanwhile covers it

    async def _flush(self, prepared: Prepared) -> None:
        """What is about to change something is on the disk first: after a crash it is known, and never run twice."""
        ledger, bus = self._services.try_get(LEDGER), prepared.ctx.emitter.bus
        if ledger is None or prepared.tool.is_read_only(prepared.input):
            return
        try:
            await ledger.sync()
        except LogError as error:
            bus.fault = bus.fault or error
        if bus.fault is not None:
            raise _Refused(f"Not run: what happens can no longer be recorded ({bus.fault}).", "LogError")

    def _finished(self, prepared: Prepared, text: str, spilled: str) -> Settled:
        """Settle a call whose tool returned; ``text`` is what the model is told of it."""
        call, ctx, tool, result = prepared.call, prepared.ctx, prepared.tool, prepared.returned
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
            call.call_id,
            tool.name,
            text,
            failed=prepared.reports_failure,
            data=result.data,
            changes=result.changes,
            duration_ms=duration,
        )

    def _cut_short(self, prepared: Prepared) -> Settled:
        """Settle a call that was cancelled. What its tool had returned by then is done, and is not lost."""
        if prepared.result is None:
            ends = cancelled(prepared.ctx, ran=bool(prepared.started))
            return self.fail(prepared.call, prepared.ctx, *ends, prepared=prepared)
        try:
            return self._finished(prepared, shortened(prepared.tool, prepared.result.text), "")
        except Exception as error:
            return self._failed(prepared.call, prepared.ctx, error, prepared)

    def _failed(self, call: ToolCall, ctx: ToolContext, error: Exception, prepared: Prepared | None = None) -> Settled:
        """The one place where what a tool raised becomes a result (law 7)."""
        if isinstance(error, _Refused):
            return self._fail(call, ctx, error.error, str(error), prepared, stop=error.stop)
        if isinstance(error, ToolError):
            settled = self._fail(call, ctx, error.code, str(error), prepared, stop=False)
            self._telling.offer(error.offer, ctx)
            return settled
        problem = f"({type(error).__name__}: {(str(error).strip() or 'no message')[:2000]})"
        if prepared is None or not prepared.started:
            text = f"Not run: {call.tool} could not be prepared {problem}, so nothing was changed."
        elif prepared.result is None:
            text = f"{call.tool} failed unexpectedly {problem}. Its effects are unknown: check before going on."
        else:
            told = shortened(prepared.tool, prepared.result.text)
            text = f"{call.tool} did its work, but its result could not be shown {problem}. It returned:\n{told}"
        return self._fail(call, ctx, classify(error), text, prepared, stop=False)


def cancelled(ctx: ToolContext, *, ran: bool) -> tuple[str, str]:
    """Error name and words for a call that was cancelled, by what cancelled it."""
    if ctx.signal.reason == "stopped" and not ran:
        return "NotRun", "Not run: the person denied another call and ended the run."
    if ctx.signal.reason == "sibling":
        state = "Cancelled while it ran" if ran else "Not run"
        return "NotRun" if not ran else "Cancelled", f"{state}: an earlier call of the same message failed."
    because = _ENDED.get(ctx.signal.reason, "the run was ended")
    if ran:
        partly = "it may have done part of its work. Check before going on."
        return "Interrupted", f"Interrupted while it ran, because {because}; {partly}"
    return "Interrupted", f"Not run: {because} before."


_ENDED = {
    "ended": "the person ended this call, and only this one",
    "note": "the person wrote a note that is to be read first",
}
"""Why a call ended early, by what cancelled it; else it was the end of the run."""


def _since(prepared: Prepared | None) -> float:
    return (
        round((time.perf_counter() - prepared.started) * 1e3, 1) if prepared is not None and prepared.started else 0.0
    )
