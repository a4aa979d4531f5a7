"""What the pipeline asks of others: a gate, someone who answers, hooks, and a place for long results."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

from tah_jupyter.core.approvals import Approver, Grant
from tah_jupyter.runtime.service import ServiceKey
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.tool import Tool

__all__ = [
    "APPROVER",
    "CALL_HOOKS",
    "GATE",
    "LEDGER",
    "RESULTS",
    "CallHooks",
    "Decision",
    "Gate",
    "HookVote",
    "Ledger",
    "ResultStore",
]

Behavior = Literal["allow", "ask", "deny"]


class Decision(msgspec.Struct, frozen=True):
    """What the gate says of a call.

    ``source`` is the step that decided, ``rule`` the very rule or grant, ``reason`` the words for the person,
    ``trace`` every step that was looked at. ``once_only`` says that no grant may cover it.
    """

    behavior: Behavior
    source: str
    rule: str = ""
    reason: str = ""
    trace: tuple[str, ...] = ()
    once_only: bool = False


class HookVote(msgspec.Struct, frozen=True):
    """What PreToolUse hooks say together: None for no opinion; changed arguments are validated and judged anew."""

    behavior: Behavior | None = None
    reason: str = ""
    updated_input: dict[str, Any] | None = None


class Gate(Protocol):
    """Decides every call (law 5)."""

    def visible(self, tool: Tool[Any, Any]) -> bool:
        """Whether the tool is offered at all."""
        ...

    def decide(self, tool: Tool[Any, Any], input: Any, ctx: ToolContext, vote: HookVote | None = None) -> Decision:
        """Judge one call with its final input."""
        ...

    def remember(self, grant: Grant) -> None:
        """A person allowed more than one call; kept until the run ends."""
        ...


class CallHooks(Protocol):
    """Callbacks around every call, of every kind of tool."""

    async def before(self, tool: Tool[Any, Any], args: Mapping[str, Any], ctx: ToolContext) -> HookVote:
        """PreToolUse: deny, or change the arguments, or vote."""
        ...

    async def after(
        self, tool: Tool[Any, Any], args: Mapping[str, Any], text: str, failed: bool, ctx: ToolContext
    ) -> str:
        """PostToolUse: the text for the model, changed or as it was."""
        ...


class Ledger(Protocol):
    """The durable record of what happens."""

    async def sync(self) -> None:
        """Return when everything emitted so far is on the disk. Raises LogError when it cannot be written."""
        ...


class ResultStore(Protocol):
    """Keeps results that are too long for the model."""

    def spill(self, call_id: str, text: str) -> Path:
        """Write ``text`` whole; returns the file, which ``read_file`` may page."""
        ...


GATE = ServiceKey[Gate]("gate")
APPROVER = ServiceKey[Approver]("approver")
CALL_HOOKS = ServiceKey[CallHooks]("call_hooks")
LEDGER = ServiceKey[Ledger]("ledger")
RESULTS = ServiceKey[ResultStore]("results")
