"""The service keys that tools, pipeline and plugins share, and the ports behind them."""

from pathlib import Path
from typing import Any, Protocol

import msgspec

from tah_jupyter.core.approvals import Approver
from tah_jupyter.runtime.context import ServiceKey
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.tool import Tool

__all__ = ["APPROVER", "GATE", "RESULTS", "Decision", "Gate", "ResultStore"]


class Decision(msgspec.Struct, frozen=True):
    """What the gate says of a call. ``source`` is the step that decided, ``rule`` the very rule or grant, ``trace``
    every step in words.
    """

    behavior: str  # allow | ask | deny
    source: str
    rule: str = ""
    reason: str = ""
    trace: tuple[str, ...] = ()
    once_only: bool = False


class Gate(Protocol):
    """Decides every call (law 5)."""

    def visible(self, tool: Tool[Any, Any]) -> bool: ...
    def decide(self, tool: Tool[Any, Any], input: Any, ctx: ToolContext) -> Decision: ...
    def remember(self, tool: Tool[Any, Any], input: Any, ctx: ToolContext) -> None: ...


class ResultStore(Protocol):
    """Keeps results that are too long for the model."""

    def spill(self, call_id: str, text: str) -> Path: ...


GATE = ServiceKey[Gate]("gate")
APPROVER = ServiceKey[Approver]("approver")
RESULTS = ServiceKey[ResultStore]("results")
