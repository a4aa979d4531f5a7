"""A coding agent inside the notebook kernel.

``%load_ext tah_jupyter`` in a notebook, or from Python:

    from tah_jupyter import ScriptedModel, allow_all, calls, open_session, says

Names are imported when they are first used, so that loading the extension costs next to nothing (law 9).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tah_jupyter._version import __version__

if TYPE_CHECKING:
    from tah_jupyter.agent.session import Session
    from tah_jupyter.agent.setup import Result
    from tah_jupyter.app import open_session
    from tah_jupyter.core.approvals import Allow, ApprovalRequest, Deny
    from tah_jupyter.core.calls import Change, Headline, Todo, ToolCall, ToolSchema, Usage
    from tah_jupyter.core.commands import AnswerApproval, SetMode, Stop
    from tah_jupyter.core.errors import ConfigError, LogError, ModelError, TahError, ToolError
    from tah_jupyter.core.ports import Model
    from tah_jupyter.models.scripted import ScriptedModel, calls, calls_raw, cuts, fails, says
    from tah_jupyter.permissions.approvers import allow_all, deny_all, nobody
    from tah_jupyter.permissions.gate import permissions_plugin
    from tah_jupyter.runtime.context import Context, Plugin, Runtime
    from tah_jupyter.runtime.service import ServiceKey
    from tah_jupyter.runtime.tool_context import ToolContext
    from tah_jupyter.toolkit.registry import TOOLS, ToolService, tools_plugin
    from tah_jupyter.toolkit.tool import Tool, ToolInput, ToolResult, tool

__all__ = [
    "TOOLS",
    "Allow",
    "AnswerApproval",
    "ApprovalRequest",
    "Change",
    "ConfigError",
    "Context",
    "Deny",
    "Headline",
    "LogError",
    "Model",
    "ModelError",
    "Plugin",
    "Result",
    "Runtime",
    "ScriptedModel",
    "ServiceKey",
    "Session",
    "SetMode",
    "Stop",
    "TahError",
    "Todo",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolError",
    "ToolInput",
    "ToolResult",
    "ToolSchema",
    "ToolService",
    "Usage",
    "__version__",
    "allow_all",
    "calls",
    "calls_raw",
    "cuts",
    "deny_all",
    "fails",
    "load_ipython_extension",
    "nobody",
    "open_session",
    "permissions_plugin",
    "says",
    "tool",
    "tools_plugin",
    "unload_ipython_extension",
]

_HOMES = {
    "agent.session": ("Session",),
    "agent.setup": ("Result",),
    "app": ("open_session",),
    "core.approvals": ("Allow", "ApprovalRequest", "Deny"),
    "core.calls": ("Change", "Headline", "Todo", "ToolCall", "ToolSchema", "Usage"),
    "core.commands": ("AnswerApproval", "SetMode", "Stop"),
    "core.errors": ("ConfigError", "LogError", "ModelError", "TahError", "ToolError"),
    "core.ports": ("Model",),
    "models.scripted": ("ScriptedModel", "calls", "calls_raw", "cuts", "fails", "says"),
    "permissions.approvers": ("allow_all", "deny_all", "nobody"),
    "permissions.gate": ("permissions_plugin",),
    "runtime.context": ("Context", "Plugin", "Runtime"),
    "runtime.service": ("ServiceKey",),
    "runtime.tool_context": ("ToolContext",),
    "toolkit.registry": ("TOOLS", "ToolService", "tools_plugin"),
    "toolkit.tool": ("Tool", "ToolInput", "ToolResult", "tool"),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(ip: Any) -> None:
    """``%load_ext tah_jupyter``: add ``%%tah`` and ``%tah`` to this IPython. A second call changes nothing."""
    from tah_jupyter.jupyter.extension import load  # noqa: PLC0415 - the front door stays light

    load(ip)


def unload_ipython_extension(ip: Any) -> None:
    """``%unload_ext tah_jupyter``: end what runs and take everything back."""
    from tah_jupyter.jupyter.extension import unload  # noqa: PLC0415 - the front door stays light

    unload(ip)
