"""A tool is one file and its test; nothing else in the house knows its name."""

import ast
import re
from pathlib import Path

import pytest

from tests.house.source import PACKAGE, ROOT, Module, modules

TOOLS = sorted(path.stem for path in (PACKAGE / "tools").glob("[a-z]*.py"))
FRONT_END = sorted(path for path in (PACKAGE / "ui" / "static").iterdir() if path.is_file())
STRANGERS = [module for module in modules() if module.room in ("agent", "permissions", "ui")]


def test_there_are_tools() -> None:
    assert "read_file" in TOOLS


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_has_its_test(name: str) -> None:
    assert (ROOT / "tests" / "unit" / "tools" / f"test_{name}.py").is_file()


@pytest.mark.parametrize("name", TOOLS)
def test_a_file_holds_one_tool_of_its_name_and_its_factory(name: str) -> None:
    tree = ast.parse((PACKAGE / "tools" / f"{name}.py").read_text("utf-8"))
    names = [
        statement.value.value
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        and isinstance(statement.value, ast.Constant)
        and "name" in {getattr(target, "id", "") for target in _targets(statement)}
    ]
    assert names == [name]
    assert any(isinstance(node, ast.FunctionDef) and node.name == f"{name}_tool" for node in tree.body)


@pytest.mark.parametrize("module", STRANGERS, ids=lambda module: module.name)
def test_no_loop_rule_or_renderer_names_a_tool(module: Module) -> None:
    said = {word for text in _spoken(module) for word in re.findall(r"\w+", text)}
    assert not said & set(TOOLS), f"{module.name} names a tool; let the tool bring its own answer instead."


@pytest.mark.parametrize("path", FRONT_END, ids=lambda path: path.name)
def test_the_front_end_names_no_tool(path: Path) -> None:
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text("utf-8"), flags=re.DOTALL)
    assert not set(re.findall(r"\w+", text)) & set(TOOLS)


@pytest.mark.parametrize("path", FRONT_END, ids=lambda path: path.name)
def test_the_front_end_never_makes_nodes_from_text(path: Path) -> None:
    text = path.read_text("utf-8")
    assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text)


def _targets(statement: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else [statement.target]


def _spoken(module: Module) -> list[str]:
    """The texts of a module that a program acts on, which docstrings are not."""
    docs = {
        id(node.body[0].value)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    ]
