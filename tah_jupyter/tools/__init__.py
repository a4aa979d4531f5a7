"""The tools. Each is one module of this package, named like the tool, with a factory ``NAME_tool(root)``.

Nothing lists them: a new module is a new tool. ``from tah_jupyter.tools import read_file_tool`` imports that module and
no other.
"""

import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tah_jupyter.host.files.workspace import RootLike
    from tah_jupyter.toolkit.tool import Tool

_FACTORY = "_tool"


def discover() -> list[str]:
    """The names of all tools, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))


def make(name: str, workspace: "RootLike") -> "Tool[Any, Any]":
    """The tool ``name`` for a workspace. Raises LookupError when there is no such tool."""
    if name not in discover():
        raise LookupError(f"There is no tool {name!r}; there are {', '.join(discover())}.")
    factory: Callable[[RootLike], Tool[Any, Any]] = getattr(import_module(f"{__name__}.{name}"), name + _FACTORY)
    return factory(workspace)


def __getattr__(name: str) -> Any:
    tool = name.removesuffix(_FACTORY)
    if tool == name or tool not in discover():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{tool}"), name)


def __dir__() -> list[str]:
    return sorted(["discover", "make", *(name + _FACTORY for name in discover())])
