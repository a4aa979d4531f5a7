"""A question to a person, from request to answer.

The first answer wins; a grant given for one call answers every waiting call that it covers.
"""

import itertools
from collections.abc import Awaitable, Callable

import anyio
import msgspec

from tah_jupyter.core.approvals import Allow, Answer, ApprovalRequest, Deny, Grant, Outcome, Preview, Scope
from tah_jupyter.core.events import ApprovalAnswered, ApprovalRequested, PermissionGranted
from tah_jupyter.runtime.service import Services
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.prepared import Prepared
from tah_jupyter.toolkit.services import APPROVER, GATE, Decision

__all__ = ["Asked", "Asking"]

CHANGED = "changed since you allowed it"


class Asked(msgspec.Struct, frozen=True):
    """How it ended: ``refusal`` when the call may not run; ``by_person`` when a person saw it and allowed it."""

    refusal: Decision | None = None
    by_person: bool = False
    stop: bool = False


class Asking:
    """Asks the approver, and keeps what waits so that a grant can answer it."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._numbers = itertools.count(1)
        self._waiting: dict[str, Callable[[], None]] = {}

    async def ask(self, prepared: Prepared, preview: Preview, decision: Decision, *, again: bool = False) -> Asked:
        """Ask about one call; emits the request, its one end, and the permission that follows from it."""
        request = self._request(prepared, preview, decision, again=again)
        emit = prepared.ctx.emitter.emit
        outcome: Outcome = "interrupted"
        answer: Answer | Decision | None = None
        answering = self._consult(request)  # before the question is told: whoever hears it may answer at once
        emit(
            ApprovalRequested(
                approval=request.approval_id,
                call=request.call_id,
                tool=request.tool,
                headline=request.headline,
                view=request.view,
                asks_because=request.asks_because,
                grant=request.grant,
                digest=request.digest,
            )
        )
        prepared.line.leave()
        try:
            if answering is not None:
                answer = await self._answer(answering, request, prepared)
            outcome = _outcome(answer)
        finally:  # also when the run is interrupted: that is recorded as such, never as a person's no
            self._waiting.pop(request.approval_id, None)
            emit(_answered(request, outcome, answer))
        if answer is None:
            return Asked(refusal=_nobody(prepared, decision))
        return self._settle(request, answer, prepared.ctx)

    def _consult(self, request: ApprovalRequest) -> Awaitable[Answer | None] | None:
        approver = self._services.try_get(APPROVER)
        try:
            return approver(request) if approver is not None else None
        except Exception as error:
            return _raising(error)

    def _request(self, prepared: Prepared, preview: Preview, decision: Decision, *, again: bool) -> ApprovalRequest:
        tool, input, ctx = prepared.tool, prepared.input, prepared.ctx
        reasons = (CHANGED if again else "", *preview.concerns, decision.reason)
        return ApprovalRequest(
            approval_id=f"{prepared.call.call_id}-{next(self._numbers)}",
            call_id=prepared.call.call_id,
            tool=tool.name,
            headline=preview.headline or tool.headline(input),
            view=preview.view,
            asks_because=tuple(reason for reason in reasons if reason),
            digest=prepared.digest,
            grant=None if decision.once_only else tool.grant(input, ctx),
        )

    async def _answer(
        self, answering: Awaitable[Answer | None], request: ApprovalRequest, prepared: Prepared
    ) -> Answer | Decision | None:
        """The approver's answer, or the gate's when a grant given meanwhile covers the call, whichever comes first."""
        answers: list[Answer | Decision | None] = []
        async with anyio.create_task_group() as tasks:

            def settle(answer: Answer | Decision | None) -> None:
                answers.append(answer)
                tasks.cancel_scope.cancel()

            async def ask_person() -> None:
                try:
                    answer: Answer | Decision | None = await answering
                except Exception as error:  # what cannot be shown is refused unseen
                    answer = _refusal(f"it could not be shown for approval: {error}")
                if not isinstance(answer, Allow | Deny | Decision | None):
                    answer = _refusal(f"{answer!r:.80} is no answer to an approval")
                settle(answer)

            def recheck() -> None:
                gate = self._services.try_get(GATE)
                now = gate.decide(prepared.tool, prepared.input, prepared.ctx, prepared.vote) if gate else None
                if now is not None and now.behavior == "allow" and not answers:
                    settle(now)

            self._waiting[request.approval_id] = recheck
            tasks.start_soon(ask_person)
        return answers[0] if answers else None  # the approver gave up waiting without saying anything

    def _settle(self, request: ApprovalRequest, answer: Answer | Decision, ctx: ToolContext) -> Asked:
        if isinstance(answer, Deny):
            said = f"denied by the person, who says: {answer.reason}" if answer.reason else "denied by the person"
            return Asked(refusal=Decision("deny", "person", reason=said), stop=answer.stop)
        if isinstance(answer, Decision) and answer.behavior != "allow":
            return Asked(refusal=answer)
        source, rule, scope = (
            ("person", "", "once") if isinstance(answer, Allow) else (answer.source, answer.rule, "run")
        )
        granted = isinstance(answer, Allow) and answer.scope == "run" and request.grant is not None
        if granted and request.grant is not None:
            rule, scope = request.grant.label, "run"
        ctx.emitter.emit(
            PermissionGranted(
                call=request.call_id,
                tool=request.tool,
                source=source,
                rule=rule,
                scope="run" if scope == "run" else "once",
                digest=request.digest,
            )
        )
        if granted and request.grant is not None:
            self._remember(request.grant)
        return Asked(by_person=isinstance(answer, Allow))

    def _remember(self, grant: Grant) -> None:
        """Keep the winner's grant, then let it answer what else waits: twelve approvals must feel like two."""
        gate = self._services.try_get(GATE)
        if gate is None:
            return
        gate.remember(grant)
        for recheck in list(self._waiting.values()):
            recheck()


async def _raising(error: Exception) -> Answer | None:
    raise error


def _refusal(reason: str) -> Decision:
    return Decision("deny", "approver", reason=reason)


def _nobody(prepared: Prepared, decision: Decision) -> Decision:
    """Nobody is there. ``rule`` is the allow rule that would let the call pass, where one would."""
    rule = prepared.tool.name if decision.source == "mode" else ""
    return Decision("deny", "nobody", rule=rule, reason="nobody can answer here, so it was denied")


def _outcome(answer: Answer | Decision | None) -> Outcome:
    if answer is None:
        return "unanswered"
    allowed = isinstance(answer, Allow) or (isinstance(answer, Decision) and answer.behavior == "allow")
    return "allowed" if allowed else "denied"


def _answered(request: ApprovalRequest, outcome: Outcome, answer: Answer | Decision | None) -> ApprovalAnswered:
    scope: Scope | None = None
    reason = ""
    if isinstance(answer, Allow):
        scope = "run" if answer.scope == "run" and request.grant is not None else "once"
    elif isinstance(answer, Deny):
        reason = answer.reason
    elif isinstance(answer, Decision):
        scope, reason = ("run" if outcome == "allowed" else None), answer.rule or answer.reason
    return ApprovalAnswered(
        approval=request.approval_id, call=request.call_id, outcome=outcome, scope=scope, reason=reason
    )
