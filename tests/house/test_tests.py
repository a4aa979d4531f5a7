"""Rules for the tests themselves: none is skipped, none sleeps, none replaces a part of the house, cases have an id."""

import ast
import re
from pathlib import Path

import pytest

from tests.house.source import ROOT, called, imported

TESTS = sorted(path for path in (ROOT / "tests").rglob("*.py") if "perf" not in path.parts)
CASE_ID = re.compile(r"[A-Z]{2,6}-[0-9]{2}")
SKIPS = {
    "pytest.skip",
    "pytest.xfail",
    "pytest.importorskip",
    "pytest.mark.skip",
    "pytest.mark.skipif",
    "pytest.mark.xfail",
}
SLEEPS = {"time.sleep", "asyncio.sleep", "anyio.sleep"}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_walk_finds_tests() -> None:
    assert len(TESTS) > 10


@pytest.mark.parametrize("path", TESTS, ids=relative)
def test_no_test_is_skipped_or_expected_to_fail(path: Path) -> None:
    used = {
        ast.unparse(node) for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Attribute)
    }
    assert not used & SKIPS


@pytest.mark.parametrize("path", TESTS, ids=relative)
def test_no_test_sleeps(path: Path) -> None:
    slept = [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in SLEEPS and ast.unparse(node.args[0]) != "0"
    ]
    assert not slept, f"wait for an event with a limit instead: {slept}"


@pytest.mark.parametrize("path", TESTS, ids=relative)
def test_no_test_replaces_a_part_of_the_house(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert not [name for name in imported(tree) if name.startswith(("unittest.mock", "mock", "pytest_mock"))]


@pytest.mark.parametrize("path", TESTS, ids=relative)
def test_nothing_reads_what_a_clone_does_not_have(path: Path) -> None:
    outside = re.compile(r"/work" + r"/(?:shared|main)|/tmp" + r"/brief")
    assert not outside.search(path.read_text("utf-8"))


def test_every_case_has_an_id_and_stands_among_the_cases() -> None:
    ids: list[tuple[str, str]] = []
    for path in TESTS:
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.case":
                assert len(node.args) == 1
                assert isinstance(node.args[0], ast.Constant), f"{relative(path)}:{node.lineno}"
                ids.append((str(node.args[0].value), relative(path)))
    assert ids, "no test is marked with a case"
    assert not [(case, path) for case, path in ids if not CASE_ID.fullmatch(case)]


def test_the_walk_over_calls_sees_through_imports() -> None:
    tree = ast.parse("from os import open as o\nimport subprocess as sp\no('x')\nsp.run([])\nPath('x').read_text()")
    assert {"os.open", "subprocess.run", "?.read_text"} <= {name for name, _ in called(tree)}
