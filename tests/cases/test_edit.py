"""Edits that destroyed other bytes, other modes or other names in other tools."""

import os
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tah_jupyter.host.files.workspace import Workspace
from tah_jupyter.tools.edit_file import edit_file_tool
from tah_jupyter.tools.write_file import write_file_tool
from tests.support.calling import Calling, calling

pytestmark = pytest.mark.anyio

UMASK = 0o027
LONG = os.environ.get("FAULTS") == "long"


@pytest.fixture
async def call(tmp_path: Path) -> AsyncIterator[Calling]:
    workspace = Workspace(tmp_path)
    async with calling(edit_file_tool(workspace), write_file_tool(workspace)) as started:
        yield started


async def edited(call: Calling, path: Path, before: bytes, old: str, new: str, *, replace_all: bool = False) -> bytes:
    path.write_bytes(before)
    await call.ok("edit_file", path=path.name, old_string=old, new_string=new, replace_all=replace_all)
    return path.read_bytes()


@pytest.mark.case("EDIT-01")
@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "a\nB", b"a\r\nB\r\nc\r\n"),
        (b"a\r\nb\r\nc\r\n", "b\n", "b1\nb2\n", b"a\r\nb1\r\nb2\r\nc\r\n"),
        (b"a\r\nb\r\nc\r\n", "a\r\nb", "a\nB", b"a\r\nB\r\nc\r\n"),
        (b"a\nb\nc\n", "a\r\nb", "a\r\nB", b"a\nB\nc\n"),
        (b"a\nb\nc\n", "b\r\nc\r\n", "x\r\ny\r\nc\r\n", b"a\nx\ny\nc\n"),
        (b"if x:\r\n\ta = 1\r\n\tb = 2\r\n", "\ta = 1\n\tb = 2\n", "\ta = 3\n", b"if x:\r\n\ta = 3\r\n"),
        (b"a\r\nb\r\nc", "\nb\n", "\n", b"a\r\nc"),
        (b"a\r\nb\nc\r\n", "a\nb\nc\n", "a\nB\nc\n", b"a\r\nB\nc\r\n"),
        (b"a\r\r\nb\r\n", "b", "B", b"a\r\r\nB\r\n"),
    ],
)
async def test_line_ends_are_the_files(
    call: Calling, tmp_path: Path, before: bytes, old: str, new: str, after: bytes
) -> None:
    assert await edited(call, tmp_path / "f", before, old, new) == after


@pytest.mark.case("EDIT-01")
async def test_writing_over_a_crlf_file_keeps_its_line_ends(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"a\r\nb\r\n")
    settled = await call("write_file", approved_by_person=True, path="f", content="x\ny\nz\n")
    assert "CRLF line ends were kept" in settled.text
    assert (tmp_path / "f").read_bytes() == b"x\r\ny\r\nz\r\n"


@pytest.mark.case("EDIT-04")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("old", ["x=1", "x=1\n", "\ufeffx=1"])
async def test_a_byte_order_mark_stays_and_line_1_matches(
    call: Calling, tmp_path: Path, encoding: str, old: str
) -> None:
    before = "\ufeffx=1\nü=2\n".encode(encoding)
    after = "\ufeffx=2\nü=2\n".encode(encoding)
    assert await edited(call, tmp_path / "f", before, old, old.replace("1", "2")) == after


@pytest.mark.case("EDIT-04")
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
async def test_a_match_never_begins_inside_a_character(call: Calling, tmp_path: Path, encoding: str) -> None:
    before = "\ufeff\u4161\u6141 aA\n".encode(encoding)  # each half of these is an "a" or an "A"
    assert await edited(call, tmp_path / "f", before, "aA", "b") == "\ufeff\u4161\u6141 b\n".encode(encoding)


@pytest.mark.case("EDIT-07")
@pytest.mark.parametrize("replace_all", [True, False])
@pytest.mark.parametrize("before", [b"abcd", b""])
async def test_an_empty_passage_is_refused(call: Calling, tmp_path: Path, before: bytes, replace_all: bool) -> None:
    (tmp_path / "f").write_bytes(before)
    settled = await call("edit_file", path="f", old_string="", new_string="X", replace_all=replace_all)
    assert settled.error == "EmptyPassage"
    assert (tmp_path / "f").read_bytes() == before


@pytest.mark.case("EDIT-08")
@pytest.mark.parametrize(
    ("before", "old", "count"),
    [("aaa", "aa", 2), ("aaaa", "aa", 3), ("ababa", "aba", 2), ("x\nx\nx\n", "x\nx\n", 2), ("x\r\nx\r\nx", "x\nx", 2)],
)
async def test_overlapping_occurrences_count(call: Calling, tmp_path: Path, before: str, old: str, count: int) -> None:
    (tmp_path / "f").write_bytes(before.encode())
    settled = await call("edit_file", path="f", old_string=old, new_string="b")
    assert settled.error == "NotUnique"
    assert f"occurs {count} times" in settled.text
    assert (tmp_path / "f").read_bytes() == before.encode()


FANCY = "name = “Alice”\na\u00a0=\u00a01 — ｆｕｌｌ\ne\u0301 é ﬁ ½\n"


@pytest.mark.case("EDIT-11")
async def test_only_the_passage_changes_whatever_stands_beside_it(call: Calling, tmp_path: Path) -> None:
    after = await edited(call, tmp_path / "f", FANCY.encode(), "name = “Alice”", 'name = "Bob"')
    assert after == FANCY.replace("name = “Alice”", 'name = "Bob"').encode()


@pytest.mark.case("EDIT-11")
@pytest.mark.parametrize(
    "old", ['name = "Alice"', "a = 1", "a\u00a0=\u00a01 -", "full", "\u00e9\u00a0", "fi", "1/2", "é é"]
)
async def test_what_only_looks_alike_does_not_match(call: Calling, tmp_path: Path, old: str) -> None:
    (tmp_path / "f").write_text(FANCY)
    settled = await call("edit_file", path="f", old_string=old, new_string="X")
    assert settled.error == "NotFoundInFile"
    assert (tmp_path / "f").read_text() == FANCY


@pytest.mark.case("EDIT-11")
async def test_what_looks_alike_is_proposed(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "f").write_text(FANCY)
    settled = await call("edit_file", path="f", old_string='name = "Alice"', new_string="X")
    assert "     1\tname = “Alice”" in settled.text


@pytest.mark.case("EDIT-13")
@pytest.mark.parametrize("mode", [0o755, 0o600, 0o640, 0o4755, 0o2755, 0o1644, 0o700])
@pytest.mark.parametrize("tool", ["edit_file", "write_file"])
async def test_the_mode_stays(call: Calling, tmp_path: Path, mode: int, tool: str) -> None:
    path = tmp_path / "s.sh"
    path.write_bytes(b"X\n")
    path.chmod(mode)
    args = {"old_string": "X", "new_string": "Y"} if tool == "edit_file" else {"content": "Y\n"}
    assert not (await call(tool, approved_by_person=True, path="s.sh", **args)).is_error
    assert path.read_bytes() == b"Y\n"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.case("EDIT-13")
async def test_extended_attributes_and_owner_stay(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"X\n")
    attributes = _set_attributes(path)
    owner = (path.stat().st_uid, path.stat().st_gid)
    await call.ok("edit_file", path="f", old_string="X", new_string="Y")
    assert {name: os.getxattr(path, name) for name in attributes} == attributes
    assert (path.stat().st_uid, path.stat().st_gid) == owner


def _set_attributes(path: Path) -> dict[str, bytes]:
    try:
        os.setxattr(path, "user.origin", b"https://example.org")
    except OSError:  # a file system without them: then there is nothing to keep
        return {}
    return {"user.origin": b"https://example.org"}


@pytest.mark.case("EDIT-13")
async def test_a_new_file_follows_the_umask(call: Calling, tmp_path: Path) -> None:
    before = os.umask(UMASK)
    try:
        await call.ok("write_file", path="sub/new.txt", content="x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "sub" / "new.txt").stat().st_mode) == 0o666 & ~UMASK
    assert stat.S_IMODE((tmp_path / "sub").stat().st_mode) == 0o777 & ~UMASK


@pytest.mark.case("EDIT-15")
@pytest.mark.parametrize("tool", ["edit_file", "write_file"])
@pytest.mark.parametrize("new", ["y", "much longer than it was before", ""])
async def test_a_hard_linked_file_is_not_split(call: Calling, tmp_path: Path, tool: str, new: str) -> None:
    (tmp_path / "a.txt").write_bytes(b"one x two\n")
    os.link(tmp_path / "a.txt", tmp_path / "b.txt")
    args = {"old_string": "x", "new_string": new} if tool == "edit_file" else {"content": f"one {new} two\n"}
    settled = await call(tool, approved_by_person=True, path="a.txt", **args)
    assert "2 names (hard links)" in settled.text
    assert (tmp_path / "a.txt").samefile(tmp_path / "b.txt")
    assert (tmp_path / "b.txt").read_bytes() == f"one {new} two\n".encode()


WRITER = """
import sys, anyio
from tah_jupyter.host.files.workspace import Workspace
workspace = Workspace(sys.argv[1])
print("ready", flush=True)
while True:
    for letter in b"ab":
        data = bytes([letter]) * int(sys.argv[2])
        workspace.write("f", data, base=workspace.read("f"))
"""


@pytest.mark.case("EDIT-16")
@pytest.mark.timeout(1800 if LONG else 60)
def test_a_killed_writer_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    kills, size = (200, 50_000_000) if LONG else (20, 2_000_000)
    path = tmp_path / "f"
    path.write_bytes(b"a" * size)
    whole = {b"a" * size, b"b" * size}
    for number in range(kills):
        _kill_a_writer(tmp_path, size, after_s=0.037 * number % (0.1 + size / 100e6))
        assert path.read_bytes() in whole
    Workspace(tmp_path).read("f")
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


def _kill_a_writer(root: Path, size: int, *, after_s: float) -> None:
    command = [sys.executable, "-c", WRITER, str(root), str(size)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        with pytest.raises(subprocess.TimeoutExpired):
            writer.wait(after_s)
        writer.kill()


@pytest.mark.case("EDIT-20")
@pytest.mark.parametrize("mode", [0o600, 0o700, 0o640, 0o644])
async def test_the_temporary_file_is_never_wider_than_the_original(
    call: Calling, tmp_path: Path, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secret.py"
    path.write_bytes(b"a = 1\n")
    path.chmod(mode)
    seen: list[tuple[str, int]] = []
    write = os.write

    def watched(handle: int, data: bytes) -> int:
        seen.extend((p.name, stat.S_IMODE(p.stat().st_mode)) for p in tmp_path.iterdir() if p != path)
        return write(handle, data)

    monkeypatch.setattr(os, "write", watched)  # the moment when it may be seen
    await call.ok("edit_file", path="secret.py", old_string="a", new_string="b")
    assert seen
    assert all(name.startswith(".tah-") and not found & ~mode for name, found in seen)
    assert [p.name for p in tmp_path.iterdir()] == ["secret.py"]


@pytest.mark.case("EDIT-20")
async def test_the_temporary_file_is_removed_when_writing_fails(
    call: Calling, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "f").write_bytes(b"a = 1\n")

    def broken(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", broken)
    settled = await call("edit_file", path="f", old_string="a", new_string="b")
    assert settled.text == (
        "f cannot be written: no space left on device. Ask the person to free some space. No file was changed."
    )
    assert settled.error == "ENOSPC"
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"f": b"a = 1\n"}
