"""The gate of a session: knows the rules, the mode and the run's grants, and has every call decided."""

from typing import Any

from tah_jupyter.core.approvals import Approver, Grant, PathSubject, Subject
from tah_jupyter.permissions.decide import Call, Mode, decide
from tah_jupyter.permissions.rules import Rules
from tah_jupyter.runtime.context import Context
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.services import APPROVER, GATE, Decision, HookVote
from tah_jupyter.toolkit.tool import Tool

__all__ = ["PermissionGate", "PermissionsPlugin", "permissions_plugin"]


class PermissionGate:
    """One object for the whole tree of agents: rules and mode of the session, grants of the run."""

    def __init__(self, rules: Rules | None = None, mode: Mode = "default") -> None:
        self.rules = rules or Rules()
        self.mode: Mode = mode
        self._grants: tuple[Grant, ...] = ()

    @property
    def grants(self) -> tuple[Grant, ...]:
        """What was allowed for this run."""
        return self._grants

    def visible(self, tool: Tool[Any, Any]) -> bool:
        """A tool with a deny rule is not offered at all."""
        return not any(name in self.rules.deny for name in (tool.name, *tool.aliases))

    def decide(self, tool: Tool[Any, Any], input: Any, ctx: ToolContext, vote: HookVote | None = None) -> Decision:
        """Collect the facts of the call and judge it."""
        subject = tool.subject(input, ctx)
        call = Call(
            names=(tool.name, *tool.aliases),
            subject=subject,
            inside=_is_inside(subject),
            read_only=tool.is_read_only(input),
            destructive=tool.is_destructive(input),
            needs_person=tool.requires_user_interaction(),
            own_word=tool.check_permissions(input, ctx),
        )
        return decide(call, self.rules, self._grants, self.mode, vote)

    def remember(self, grant: Grant) -> None:
        """Keep a grant until :meth:`end_run`."""
        if grant not in self._grants:
            self._grants = (*self._grants, grant)

    def end_run(self) -> None:
        """Grants end with their run; they never resume."""
        self._grants = ()


def _is_inside(subject: Subject | None) -> bool:
    place = subject.path if isinstance(subject, PathSubject) else subject.cwd if subject is not None else ""
    return not place.startswith("/")


class PermissionsPlugin:
    """Provides the gate and, when there is one, the approver."""

    name = "permissions"
    requires: tuple[str, ...] = ()

    def __init__(self, gate: PermissionGate, approver: Approver | None) -> None:
        self._gate = gate
        self._approver = approver

    def setup(self, ctx: Context) -> None:
        """Provide :data:`GATE` and :data:`APPROVER`."""
        ctx.provide(GATE, self._gate)
        if self._approver is not None:
            ctx.provide(APPROVER, self._approver)


def permissions_plugin(
    *,
    approver: Approver | None = None,
    rules: Rules | None = None,
    mode: Mode = "default",
    gate: PermissionGate | None = None,
) -> PermissionsPlugin:
    """A plugin that puts a gate before every call; without an approver what would ask is denied."""
    return PermissionsPlugin(gate or PermissionGate(rules, mode), approver)
