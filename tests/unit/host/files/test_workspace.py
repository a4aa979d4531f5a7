"""The workspace reads, writes, and says what went wrong."""

import os
from pathlib import Path

import pytest

from tah_jupyter.core.errors import ToolError
from tah_jupyter.host.files.workspace import MAX_FILE_BYTES, Workspace, digest_of


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def refusal(run: object, *args: object, **more: object) -> ToolError:
    with pytest.raises(ToolError) as caught:
        run(*args, **more)  # type: ignore[operator]
    return caught.value


def test_a_workspace_of_a_workspace_is_itself(workspace: Workspace, tmp_path: Path) -> None:
    assert Workspace.of(workspace) is workspace
    assert Workspace.of(str(tmp_path)).root == Workspace.of(tmp_path).root == tmp_path


def test_a_file_is_written_and_read(workspace: Workspace, tmp_path: Path) -> None:
    written = workspace.write("a/b/f", b"one", base=None)
    assert (written.created, written.shown, written.path, written.notices) == (True, "a/b/f", f"{tmp_path}/a/b/f", ())
    base = workspace.read("a/b/f")
    assert (base.data, base.shown, base.path, base.links) == (b"one", "a/b/f", f"{tmp_path}/a/b/f", 1)
    assert base.digest == digest_of(b"one")
    assert not workspace.write("a/b/f", b"two", base=base).created
    assert workspace.read_if_exists("a/b/f") != base
    assert workspace.read_if_exists("a/b/g") is None


def test_a_file_that_changed_is_not_overwritten(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("f", b"one", base=None)
    base = workspace.read("f")
    for data in (b"two", b"one more", b""):
        (tmp_path / "f").write_bytes(data)
        assert refusal(workspace.write, "f", b"new", base=base).code == "ChangedOnDisk"
        assert (tmp_path / "f").read_bytes() == data
    (tmp_path / "f").unlink()
    assert refusal(workspace.write, "f", b"new", base=base).code == "NotFound"
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_appeared_is_not_overwritten(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"there")
    assert refusal(workspace.write, "f", b"new", base=None).code == "ChangedOnDisk"
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [b"there"]


def test_a_file_that_was_only_touched_is_written(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("f", b"one", base=None)
    base = workspace.read("f")
    os.utime(tmp_path / "f", (1, 1))
    workspace.write("f", b"two", base=base)
    assert (tmp_path / "f").read_bytes() == b"two"


def test_what_is_too_large_is_neither_read_nor_written(workspace: Workspace, tmp_path: Path) -> None:
    assert refusal(workspace.write, "f", b"\0" * (MAX_FILE_BYTES + 1), base=None).code == "TooLarge"
    (tmp_path / "f").write_bytes(b"12345")
    error = refusal(workspace.read, "f", max_bytes=4)
    assert str(error).startswith("f is 5 bytes; files over 4 bytes are not read.")
    assert workspace.read("f", max_bytes=5).data == b"12345"


def test_a_folder_is_found_and_checked(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "f").touch()
    (tmp_path / "link").symlink_to("d")
    assert workspace.resolve_dir() == tmp_path
    assert workspace.resolve_dir("d/") == workspace.resolve_dir("link") == tmp_path / "d"
    assert refusal(workspace.resolve_dir, "f").code == "NotFolder"
    assert str(refusal(workspace.resolve_dir, "dd")) == "dd does not exist. Nearest: d."
    assert refusal(workspace.resolve_dir, "..").code == "OutsideWorkspace"


def test_the_nearest_names_are_shown_in_their_form(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    with open(os.fsencode(tmp_path) + b"/sub/report\xff.md", "wb"):
        pass
    assert str(refusal(workspace.read, "sub/report.md")).endswith("Nearest: sub/report\\xff.md.")
    assert str(refusal(workspace.read, "nowhere/report.md")) == "nowhere/report.md does not exist."


def test_what_the_system_says_is_passed_on(workspace: Workspace) -> None:
    name = "x" * 300
    said = "file name too long. A name may have 255 bytes; use a shorter one."
    assert str(refusal(workspace.read, name)) == f"{name} cannot be read: {said}"
    assert refusal(workspace.write, name, b"", base=None).code == "ENAMETOOLONG"


def test_a_read_only_file_is_left_alone(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f").write_bytes(b"x")
    monkeypatch.setattr(os, "access", lambda *args, **more: False)  # the superuser is refused nothing
    assert refusal(workspace.write, "f", b"y", base=workspace.read("f")).code == "ReadOnly"
    assert (tmp_path / "f").read_bytes() == b"x"


def test_strays_of_killed_writers_are_cleared_at_first_use(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "f").touch()
    strays = [tmp_path / ".tah-12-0123456789abcdef.tmp", tmp_path / "sub" / ".tah-1-0123456789abcdef.tmp"]
    for path in strays:
        path.write_bytes(b"half")
    workspace = Workspace(tmp_path)
    workspace.read("f")
    assert not any(path.exists() for path in strays)
