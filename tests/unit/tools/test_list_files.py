"""list_files: a tree with sizes, or what a glob names, and always what was left out."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from tah_jupyter.core.approvals import PathSubject
from tah_jupyter.core.calls import Headline
from tah_jupyter.core.views import Items, Stack, Text
from tah_jupyter.host.search.walk import MAX_DEPTH
from tah_jupyter.tools import list_files as module
from tah_jupyter.tools.list_files import ListFilesInput, list_files_tool
from tests.support.account import folder_for_all, without_rights
from tests.support.calling import Calling, calling

pytestmark = pytest.mark.anyio


@pytest.fixture
async def call(tmp_path: Path) -> AsyncIterator[Calling]:
    async with calling(list_files_tool(tmp_path)) as started:
        yield started


def grow(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x" * 1500)


async def test_it_draws_a_sorted_tree_with_sizes(call: Calling, tmp_path: Path) -> None:
    grow(tmp_path, "b.py", "a/one.py", "a/deep/er/x", "a/deep/y", "README.md")
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("a/one.py")
    assert (await call.ok("list_files")).text.splitlines() == [
        "README.md  1.5 KB",
        "a/",
        "  deep/  (2 entries)",
        "  one.py  1.5 KB",
        "b.py  1.5 KB",
        "empty/  (empty)",
        "link -> a/one.py",
    ]


async def test_depth_says_how_far_it_goes(call: Calling, tmp_path: Path) -> None:
    grow(tmp_path, "a/b/c/d")
    assert (await call.ok("list_files", depth=1)).text == "a/  (1 entry)"
    assert (await call.ok("list_files", depth=9)).text.splitlines() == ["a/", "  b/", "    c/", "      d  1.5 KB"]


async def test_what_is_nearest_to_the_top_is_shown_first_and_the_rest_is_counted(call: Calling, tmp_path: Path) -> None:
    grow(tmp_path, *(f"a/f{n:03}" for n in range(300)), "z")
    settled = await call.ok("list_files", max_entries=10)
    lines = settled.text.splitlines()
    assert lines[:2] == ["a/", "  f000  1.5 KB"]
    assert "  … 292 more" in lines
    assert "z  1.5 KB" in lines
    assert "Not shown: 292 more" in settled.text
    assert settled.data.left_out == 292


async def test_what_the_rules_leave_out_is_counted_and_can_be_seen(call: Calling, tmp_path: Path) -> None:
    grow(tmp_path, "a", ".env", "node_modules/m", "dist/d", "x.log", "sub/y.log")
    (tmp_path / ".gitignore").write_text("*.log\n")
    settled = await call.ok("list_files")
    assert settled.text.splitlines()[:2] == ["a  1.5 KB", "sub/  (empty)"]
    assert "Left out: 6 entries" in settled.text
    everything = (await call.ok("list_files", include_ignored=True)).text
    assert all(name in everything for name in (".env", "node_modules/", "  d ", "x.log", "y.log", ".gitignore"))
    assert "Left out" not in everything


async def test_a_glob_names_files_at_every_depth_newest_first(call: Calling, tmp_path: Path) -> None:
    for age, path in enumerate(["a/new.py", "mid.py", "a/b/old.py", "a/b/no.txt", "node_modules/x.py"]):
        grow(tmp_path, path)
        os.utime(tmp_path / path, (1_000_000 - age, 1_000_000 - age))
    for glob in ("**/*.py", "*.py"):
        settled = await call.ok("list_files", glob=glob)
        assert settled.text.splitlines()[:4] == ["a/new.py", "mid.py", "a/b/old.py", ""]
    assert (await call.ok("list_files", glob="*.{txt,md}", path="a")).text == "a/b/no.txt"
    assert (await call.ok("list_files", glob="b/*.py", path="a")).text == "a/b/old.py"


async def test_a_glob_with_too_many_files_gives_the_newest_and_counts_the_rest(call: Calling, tmp_path: Path) -> None:
    grow(tmp_path, *(f"f{n}.py" for n in range(20)))
    os.utime(tmp_path / "f7.py", (4_000_000_000, 4_000_000_000))
    settled = await call.ok("list_files", glob="*.py", max_entries=3)
    assert settled.text.splitlines()[0] == "f7.py"
    assert "Not shown: 17 more; raise max_entries or narrow the glob." in settled.text


async def test_nothing_there_is_said(call: Calling, tmp_path: Path) -> None:
    assert (await call.ok("list_files")).text == "The folder is empty."
    assert call.view() == Text("The folder is empty.")
    grow(tmp_path, "a")
    assert (await call.ok("list_files", glob="*.py")).text == "No file matches '*.py'."


async def test_people_see_the_items_and_the_notes(call: Calling, tmp_path: Path) -> None:
    grow(tmp_path, "a", ".b")
    await call.ok("list_files", path=".")
    view = call.view()
    assert isinstance(view, Stack)
    assert view.views[0] == Items(("a  1.5 KB",))
    (tmp_path / ".b").unlink()
    await call.ok("list_files")
    assert call.view() == Items(("a  1.5 KB",))


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        ({"path": ".."}, "OutsideWorkspace", "outside"),
        ({"path": "/etc"}, "OutsideWorkspace", "outside"),
        ({"path": "out"}, "OutsideWorkspace", "outside"),
        ({"path": "a.py"}, "NotFolder", "not a folder"),
        ({"path": "pip"}, "NotFound", "does not exist"),
        ({"path": "x\0y"}, "BadPath", "NUL"),
        ({"glob": "[a"}, "BadGlob", "["),
        ({"glob": ""}, "BadGlob", "empty"),
        ({"glob": "{a,b}" * 9}, "BadGlob", "more than 200"),
    ],
    ids=str,
)
async def test_what_cannot_be_listed_is_an_error_that_says_why(
    call: Calling, tmp_path: Path, args: dict[str, str], code: str, said: str
) -> None:
    grow(tmp_path, "a.py")
    (tmp_path / "out").symlink_to("/etc")
    settled = await call("list_files", **args)
    assert (settled.error, said in settled.text) == (code, True), settled.text


@pytest.mark.parametrize("args", [{"depth": 0}, {"max_entries": 0}, {"deep": 1}], ids=str)
async def test_wrong_arguments_are_refused(call: Calling, args: dict[str, int]) -> None:
    assert (await call("list_files", **args)).is_error


async def test_links_to_the_outside_are_named_but_not_entered(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "etc").symlink_to("/etc")
    assert (await call.ok("list_files", depth=5)).text == "etc -> /etc"
    assert (await call.ok("list_files", glob="**/passwd")).text == "No file matches '**/passwd'."


async def test_it_ends_at_its_time_limit(call: Calling, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(tmp_path, "a/b.py")
    monkeypatch.setattr(module, "LIMIT_S", -1.0)
    for args in ({}, {"glob": "*.py"}):
        settled = await call("list_files", **args)
        assert settled.error == "TimeoutError"
        assert "further down" in settled.text


async def test_a_folder_that_cannot_be_read_is_said(
    call: Calling, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(tmp_path, "a/b/c", "a/d/e")
    refuse_to_open(monkeypatch, "b")
    assert (await call.ok("list_files")).text.splitlines() == ["a/", "  b/  (cannot be read)", "  d/  (1 entry)"]
    assert (await call.ok("list_files", glob="**")).text.splitlines() == [
        "a/d/e", "", "Folders that could not be read: 1 (permissions).",
    ]  # fmt: skip


async def test_a_start_that_cannot_be_read_is_an_error(
    call: Calling, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(tmp_path, "a/b")
    refuse_to_open(monkeypatch, ".")
    assert (await call("list_files", path="a")).error == "EACCES"
    assert (await call("list_files", path="a", glob="**")).error == "EACCES"


async def test_folders_nested_too_deep_are_said(call: Calling, tmp_path: Path) -> None:
    tmp_path.joinpath(*["d"] * (MAX_DEPTH + 1)).mkdir(parents=True)
    assert "not entered: 1" in (await call.ok("list_files", glob="**")).text


def refuse_to_open(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Opening ``name`` fails as it does for an account that may not read it; root may read everything."""
    really = os.open

    def refuse(path: Any, *args: Any, **more: Any) -> int:
        if path == name:
            raise PermissionError(13, "Permission denied")
        return really(path, *args, **more)

    monkeypatch.setattr(os, "open", refuse)


async def test_it_can_be_cancelled(tmp_path: Path) -> None:
    grow(tmp_path, *(f"d{n}/f" for n in range(50)))
    tool = list_files_tool(tmp_path)
    async with calling(tool) as call:
        with anyio.fail_after(1), anyio.move_on_after(0):
            await tool.execute(ListFilesInput(glob="**"), call.context())
        assert "d0/f" in (await call.ok("list_files", glob="**")).text


async def test_it_says_what_it_is(tmp_path: Path) -> None:
    tool = list_files_tool(tmp_path)
    async with calling(tool) as call:
        asked = ListFilesInput(path="src", glob="*.py")
        assert tool.is_read_only(asked)
        assert tool.is_concurrency_safe(asked)
        assert tool.is_search_or_read(asked)
        assert tool.headline(asked) == Headline("List", "src/", "*.py")
        assert tool.headline(ListFilesInput()) == Headline("List", ".")
        assert tool.subject(asked, call.context()) == PathSubject("read", "src")
        assert tool.aliases == ("Glob", "LS")
        assert "node_modules" in tool.prompt()


async def test_the_limit_holds_while_nothing_matches(
    call: Calling, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(tmp_path, "a/b.py")
    monkeypatch.setattr(module, "LIMIT_S", -1.0)
    assert (await call("list_files", glob="*.none")).error == "TimeoutError"


async def test_a_folder_that_is_closed_to_this_account_is_an_error_that_helps() -> None:
    with folder_for_all() as folder:
        grow(folder, "closed/f", "listed/f")
        async with calling(list_files_tool(folder)) as there:
            (folder / "closed").chmod(0)
            (folder / "listed").chmod(0o444)
            with without_rights():
                for path in ("closed", "closed/f"):
                    text = (await there("list_files", path=path)).text
                    assert text == f"{path} cannot be read: permission denied. " + (
                        "Use another path, or ask the person to change the permissions."
                    )
                assert "cannot be read" in (await there("list_files", path="listed", depth=2)).text
            (folder / "closed").chmod(0o755)
