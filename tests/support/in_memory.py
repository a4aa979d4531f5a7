"""A session with no log and no files: the loop, the pipeline and the gate as they are, around tools of the test."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from tah_jupyter.agent.recovery import OpenModel
from tah_jupyter.agent.session import Session
from tah_jupyter.agent.setup import Setup
from tah_jupyter.core.approvals import Approver
from tah_jupyter.core.commands import AnswerApproval, AnswerQuestion
from tah_jupyter.core.events import Event
from tah_jupyter.core.ports import Model, Person
from tah_jupyter.permissions.approvers import Desk, allow_all
from tah_jupyter.permissions.decide import Mode
from tah_jupyter.permissions.gate import PermissionGate, permissions_plugin
from tah_jupyter.permissions.rules import Rules
from tah_jupyter.runtime.context import Plugin, Runtime
from tah_jupyter.toolkit.registry import tools_plugin
from tah_jupyter.toolkit.tool import Tool


@asynccontextmanager
async def session_of(
    model: Model,
    tools: Sequence[Tool[Any, Any]] = (),
    *,
    approver: Approver = allow_all,
    mode: Mode = "default",
    rules: Rules | None = None,
    records: Sequence[Event] = (),
    plugins: Sequence[Plugin] = (),
    max_turns: int = 50,
    person: Person | None = None,
    open_model: OpenModel | None = None,
    fallbacks: Sequence[str] = (),
) -> AsyncIterator[Session]:
    """Open one; ``approver`` may be a Desk, which then gets the answers that are sent to the session."""
    gate = PermissionGate(rules, mode)
    runtime = Runtime().use(tools_plugin(tools)).use(permissions_plugin(approver=approver, gate=gate))
    for plugin in plugins:
        runtime.use(plugin)

    def answer(command: AnswerApproval | AnswerQuestion) -> bool:
        if not isinstance(approver, Desk):
            return False
        if isinstance(command, AnswerQuestion):
            return approver.reply(command.question_id, command.reply)
        return approver.answer(command.approval_id, command.answer)

    def set_mode(mode: str) -> None:
        gate.mode = mode  # type: ignore[assignment]

    async with runtime:
        yield Session(
            runtime,
            Setup(
                session_id="s",
                model=model,
                system="test",
                records=tuple(records),
                answer=answer,
                set_mode=set_mode,
                end_run=gate.end_run,
                mode=lambda: gate.mode,
                max_turns=max_turns,
                person=person,
                open_model=open_model,
                fallbacks=tuple(fallbacks),
            ),
        )
