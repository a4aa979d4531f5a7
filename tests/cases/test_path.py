"""Paths that led other tools out of their workspace, or made them hang."""

import json
import os
import socket
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tah_jupyter.core.errors import ToolError
from tah_jupyter.host.files.names import encode_name
from tah_jupyter.host.files.workspace import Workspace
from tah_jupyter.tools.edit_file import edit_file_tool
from tah_jupyter.tools.grep import grep_tool
from tah_jupyter.tools.list_files import list_files_tool
from tah_jupyter.tools.read_file import read_file_tool
from tah_jupyter.tools.write_file import write_file_tool
from tests.support.calling import Calling, calling

pytestmark = pytest.mark.anyio

SECRET = "s3cret-outside"
AT_ONCE_S = 0.5

TOOLS: dict[str, dict[str, Any]] = {
    "read_file": {},
    "write_file": {"content": "x"},
    "edit_file": {"old_string": SECRET, "new_string": "x"},
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


@pytest.fixture
async def call(root: Path) -> AsyncIterator[Calling]:
    workspace = Workspace(root)
    tools = (read_file_tool(workspace), write_file_tool(workspace), edit_file_tool(workspace))
    async with calling(*tools) as started:
        yield started


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else b"/" for p in sorted(folder.rglob("*"))}


async def refused(call: Calling, tool: str, path: str, error: str) -> str:
    started = time.monotonic()
    settled = await call(tool, approved_by_person=True, path=path, **TOOLS[tool])
    assert time.monotonic() - started < AT_ONCE_S
    assert settled.error == error, settled.text
    assert SECRET not in settled.text
    return settled.text


@pytest.mark.case("PATH-02")
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("spelling", ["absolute", "relative", "prefix"])
async def test_a_sibling_with_the_same_prefix_is_outside(call: Calling, root: Path, tool: str, spelling: str) -> None:
    sibling = root.with_name("ws2") / "secret"
    sibling.parent.mkdir()
    sibling.write_text(SECRET)
    path = {"absolute": str(sibling), "relative": "../ws2/secret", "prefix": f"{root}2/secret"}[spelling]
    assert f"outside the folder {root}" in await refused(call, tool, path, "OutsideWorkspace")
    assert sibling.read_text() == SECRET


@pytest.mark.case("PATH-04")
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "path", ["out/a/b.txt", "out/b.txt", "in/../out/b.txt", "deep/again/b.txt", "file", "dangling"]
)
async def test_a_link_on_the_way_leads_nowhere_outside(call: Calling, root: Path, tool: str, path: str) -> None:
    outside = root.with_name("outside")
    (outside / "a").mkdir(parents=True)
    for name in ("b.txt", "a/b.txt"):
        (outside / name).write_text(SECRET)
    (root / "in").mkdir()
    (root / "deep").mkdir()
    (root / "out").symlink_to(outside)
    (root / "deep" / "again").symlink_to("../out")
    (root / "file").symlink_to(outside / "b.txt")
    (root / "dangling").symlink_to(outside / "not-yet")
    before = tree(outside)
    await refused(call, tool, path, "OutsideWorkspace")
    assert tree(outside) == before


def fifo(path: Path) -> None:
    os.mkfifo(path)


def unix_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(path.parent)  # the name of a socket is short
        try:
            server.bind(path.name)
        finally:
            os.chdir(here)


@pytest.mark.case("PATH-07")
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(("make", "kind"), [(fifo, "named pipe"), (unix_socket, "socket")])
@pytest.mark.parametrize("through_link", [False, True])
async def test_a_pipe_or_socket_is_refused_at_once(
    call: Calling, root: Path, tool: str, make: Callable[[Path], None], kind: str, through_link: bool
) -> None:
    make(root / "logs.pipe")
    (root / "link").symlink_to("logs.pipe")
    path = "link" if through_link else "logs.pipe"
    assert f"logs.pipe is a {kind}, not a regular file" in await refused(call, tool, path, "NotRegular")


@pytest.mark.case("PATH-08")
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("target", ["/dev/zero", "/proc/self/environ", "/dev/stdin", "/proc/self/root/etc/passwd"])
async def test_a_link_to_a_device_or_to_proc_is_refused(call: Calling, root: Path, tool: str, target: str) -> None:
    (root / "z").symlink_to(target)
    await refused(call, tool, "z", "OutsideWorkspace")


@pytest.mark.case("PATH-08")
@pytest.mark.parametrize(
    "path", ["/proc/self/environ", "proc/self/environ", "/dev/zero", "/sys/kernel/mm/ksm/run", "z"]
)
@pytest.mark.parametrize("tool", TOOLS)
async def test_the_whole_machine_as_workspace_does_not_open_the_system(
    root: Path, monkeypatch: pytest.MonkeyPatch, tool: str, path: str
) -> None:
    monkeypatch.setenv("CANARY", SECRET)
    (root / "z").symlink_to("/proc/self/environ")
    workspace = Workspace("/", [root])
    async with calling(read_file_tool(workspace), write_file_tool(workspace), edit_file_tool(workspace)) as call:
        await refused(call, tool, str(root / "z") if path == "z" else path, "NotRegular")


@pytest.mark.case("PATH-08")
async def test_a_file_larger_than_the_cap_is_not_read_whatever_it_claims(call: Calling, root: Path) -> None:
    with (root / "huge").open("wb") as file:
        file.truncate(1 << 36)
    await refused(call, "read_file", "huge", "TooLarge")
    await refused(call, "edit_file", "huge", "TooLarge")


@pytest.mark.case("PATH-10")
@pytest.mark.parametrize(
    "name", [b"bad_\xff.md", b"\xc3\x28/x.md", b"back\\slash", b"looks \\xff escaped", b"new\nline", "schön".encode()]
)
async def test_a_name_that_is_not_utf8_makes_the_round_trip(call: Calling, root: Path, name: bytes) -> None:
    path = os.path.join(os.fsencode(root), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(b"inside\n")
    shown = encode_name(os.fsdecode(name))
    assert json.loads(json.dumps({"path": shown}, ensure_ascii=False).encode("utf-8")) == {"path": shown}
    assert "inside" in (await call.ok("read_file", path=shown)).text
    settled = await call.ok("edit_file", path=shown, old_string="inside", new_string="edited")
    assert settled.changes[0].target == shown
    settled.text.encode("utf-8")
    await call.ok("write_file", path=shown, content="written\n", approved_by_person=True)
    with open(path, "rb") as file:
        assert file.read() == b"written\n"


@pytest.mark.case("PATH-15")
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "path",
    ["../../etc/passwd", "../" * 40 + "etc/passwd", "/etc/passwd", "a/../../ws2/x", "a/../../ws2/secret", "/", ".."],
)
async def test_a_path_that_leaves_the_workspace_is_refused(call: Calling, root: Path, tool: str, path: str) -> None:
    outside = root.with_name("ws2")
    outside.mkdir()
    (outside / "secret").write_text(SECRET)
    before = tree(root.parent)
    await refused(call, tool, path, "OutsideWorkspace")
    assert tree(root.parent) == before


@pytest.mark.case("PATH-15")
@pytest.mark.parametrize("path", ["~/.ssh/id_rsa", "$HOME/.netrc", "file:///etc/passwd", "~root/x", "%HOME%/x"])
async def test_home_variables_and_schemes_are_literal_names(call: Calling, root: Path, path: str, home: Path) -> None:
    for name in (".ssh/id_rsa", ".netrc"):
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(SECRET)
    before = tree(home)
    await refused(call, "read_file", path, "NotFound")
    await refused(call, "edit_file", path, "NotFound")
    await call.ok("write_file", path=path, content="mine\n")
    assert Path(os.path.join(root, path)).read_text() == "mine\n"
    assert tree(home) == before


@pytest.mark.case("PATH-15")
def test_a_refusal_says_what_may_be_used_and_offers_the_folder(root: Path) -> None:
    with pytest.raises(ToolError) as refusal:
        Workspace(root).read("/etc/passwd")
    assert str(refusal.value) == f"/etc/passwd is outside the folder {root}; only files inside it can be used."
    assert refusal.value.offer == "To let files in /etc be read: %tah folder add /etc --read-only"


@pytest.mark.case("PATH-15")
@pytest.mark.parametrize("path", ["a\0b", "\0", ""])
async def test_what_is_no_path_is_refused(call: Calling, path: str) -> None:
    for tool in TOOLS:
        await refused(call, tool, path, "BadPath")


@pytest.mark.case("PATH-15")
@pytest.mark.parametrize("path", ["a" * 300_000, "/".join(["d" * 200] * 21), "../" * 2000 + "etc/passwd"])
async def test_a_path_no_program_could_use_is_refused_without_repeating_it(
    call: Calling, root: Path, path: str
) -> None:
    for tool in TOOLS:
        assert "too long" in await refused(call, tool, path, "BadPath")
    async with calling(grep_tool(root), list_files_tool(root)) as more:
        for tool, args in {"grep": {"pattern": "x"}, "list_files": {}}.items():
            settled = await more(tool, path=path, **args)
            assert (settled.error, len(settled.text) < 300) == ("BadPath", True)
    assert tree(root) == {}


@pytest.mark.case("PATH-15")
async def test_a_name_no_folder_can_hold_is_refused_by_every_tool(call: Calling, root: Path) -> None:
    for tool in TOOLS:
        assert "255 bytes" in await refused(call, tool, "n" * 256, "ENAMETOOLONG")
    async with calling(grep_tool(root), list_files_tool(root)) as more:
        for tool, args in {"grep": {"pattern": "x"}, "list_files": {}}.items():
            assert "255 bytes" in (await more(tool, path="n" * 256, **args)).text
