"""Every limit of the file and command tools: its edge is taken, what lies beyond is refused by name, and the defaults
are those that the tools are described with.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tah_jupyter.toolkit.tool import Tool
from tah_jupyter.tools import discover, make
from tests.support.calling import Calling, calling

pytestmark = pytest.mark.anyio

GREP = {"pattern": "x"}
TRUE = {"command": ["true"]}
READ = {"path": "f"}


@pytest.fixture
def tools(tmp_path: Path) -> list[Tool[Any, Any]]:
    (tmp_path / "f").write_text("x\n" * 2001)
    return [make(name, tmp_path) for name in discover()]


@pytest.fixture
async def call(tools: list[Tool[Any, Any]]) -> AsyncIterator[Calling]:
    async with calling(*tools) as started:
        yield started


@pytest.mark.parametrize(
    ("tool", "args", "field", "least", "most"),
    [
        ("list_files", {}, "depth", 1, 64),
        ("list_files", {}, "max_entries", 1, 10_000),
        ("read_file", READ, "offset", 1, None),
        ("read_file", READ, "limit", 1, None),
        ("grep", GREP, "context", 0, 50),
        ("grep", GREP, "max_results", 1, 5000),
        ("grep", GREP, "offset", 0, None),
        ("execute_command", TRUE, "timeoutMs", None, 600_000),
        ("execute_command", TRUE, "timeoutMs", 1, None),
    ],
)
async def test_the_edge_is_taken_and_what_lies_beyond_is_refused(
    call: Calling, tool: str, args: dict[str, Any], field: str, least: int | None, most: int | None
) -> None:
    for edge, step in ((least, -1), (most, 1)):
        if edge is not None:
            assert not (await call(tool, **args, **{field: edge})).is_error
            beyond = await call(tool, **args, **{field: edge + step})
            assert (beyond.error, f"{field}: Input should be" in beyond.text) == ("InvalidInput", True)


async def test_without_a_limit_2000_lines_are_read(call: Calling) -> None:
    assert (await call.ok("read_file", path="f")).text.endswith(
        "[PARTIAL: lines 1 to 2,000 of 2,001. Go on with offset=2001.]"
    )


async def test_without_a_limit_200_matches_are_given(call: Calling) -> None:
    text = (await call.ok("grep", pattern="x")).text
    assert "f:200:x\n" in text
    assert "f:201:x" not in text
    assert "go on with offset=200" in text


async def test_without_a_limit_500_entries_are_listed_two_folders_deep(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "a/b/c").mkdir(parents=True)
    text = (await call.ok("list_files")).text
    assert "  b/  (1 entry)" in text
    for number in range(500):
        (tmp_path / f"n{number}").touch()
    assert "Not shown: 3 more" in (await call.ok("list_files")).text


@pytest.mark.parametrize("size", [64 * 1024 * 1024, 64 * 1024 * 1024 + 1])
async def test_a_file_of_64_mib_is_the_largest(call: Calling, tmp_path: Path, size: int) -> None:
    with (tmp_path / "big").open("wb") as file:
        file.truncate(size)
    error = (await call("read_file", path="big")).error
    assert error == ("NotText" if size == 64 * 1024 * 1024 else "TooLarge")
