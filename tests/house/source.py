"""The package's own source, walked: every module with its tree. An empty walk is an error, not a pass."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "tah_jupyter"


class Module(NamedTuple):
    """One file: its name such as ``host/files/workspace.py``, its text and its tree."""

    name: str
    text: str
    tree: ast.Module

    @property
    def room(self) -> str:
        """The room it stands in; its own name for a file at the top."""
        return self.name.partition("/")[0]


@cache
def modules() -> tuple[Module, ...]:
    """Every module of the package."""
    found = tuple(
        Module(path.relative_to(PACKAGE).as_posix(), path.read_text("utf-8"), ast.parse(path.read_text("utf-8")))
        for path in sorted(PACKAGE.rglob("*.py"))
    )
    assert len(found) > 20, f"The walk over {PACKAGE} found only {len(found)} modules; it looks in the wrong place."
    return found


def imported(tree: ast.AST) -> Iterator[str]:
    """The full name of every module that ``tree`` imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module


def called(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The dotted name of every call, with imported names spelt out, and its line: ``subprocess.Popen``, ``open``."""
    full = _imported_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            first, dot, rest = _dotted(node.func).partition(".")
            yield full.get(first, first) + dot + rest, node.lineno


def _imported_names(tree: ast.AST) -> dict[str, str]:
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return names


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"
