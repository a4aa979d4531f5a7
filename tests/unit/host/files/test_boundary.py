"""The path rule: where a path leads, what may be used, and in which words it is refused."""

from pathlib import Path

import pytest

from tah_jupyter.core.errors import ToolError
from tah_jupyter.host.files.boundary import Boundary


@pytest.fixture
def boundary(tmp_path: Path) -> Boundary:
    for name in ("root/src", "added/in", "looked-at"):
        (tmp_path / name).mkdir(parents=True)
    return Boundary(tmp_path / "root", [tmp_path / "added"], readable=[tmp_path / "looked-at"])


def refusal(boundary: Boundary, path: str, *, write: bool = False) -> ToolError:
    with pytest.raises(ToolError) as caught:
        boundary.resolve(path, write=write)
    return caught.value


def test_paths_are_relative_to_the_root_and_links_are_followed(boundary: Boundary, tmp_path: Path) -> None:
    (tmp_path / "root" / "link").symlink_to("src")
    (tmp_path / "root" / "out").symlink_to(tmp_path / "added")
    assert boundary.resolve(".") == tmp_path / "root"
    assert boundary.resolve("link/../link/x.py") == tmp_path / "root" / "src" / "x.py"
    assert boundary.resolve(str(tmp_path / "root" / "x")) == tmp_path / "root" / "x"
    assert boundary.resolve("out/y", write=True) == tmp_path / "added" / "y"


def test_the_root_may_itself_be_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to("real")
    boundary = Boundary(tmp_path / "alias")
    assert boundary.resolve(str(tmp_path / "alias" / "x")) == tmp_path / "real" / "x"


def test_a_readable_folder_may_be_read_alone(boundary: Boundary, tmp_path: Path) -> None:
    path = str(tmp_path / "looked-at" / "x")
    assert boundary.resolve(path) == tmp_path / "looked-at" / "x"
    assert str(refusal(boundary, path, write=True)) == f"{path} lies in a folder that may only be read."


def test_of_folders_in_one_another_the_inner_one_decides(tmp_path: Path) -> None:
    for name in ("root/raw/mine", "added/raw", "looked-at/out"):
        (tmp_path / name).mkdir(parents=True)
    change = [tmp_path / "added", tmp_path / "looked-at" / "out", tmp_path / "root" / "raw" / "mine"]
    read = [tmp_path / "added" / "raw", tmp_path / "looked-at", tmp_path / "root" / "raw"]
    boundary = Boundary(tmp_path / "root", change, readable=read)
    for path in ("../added/raw/x", "raw/x", "../looked-at/x"):
        assert boundary.resolve(path).name == "x"
        assert "may only be read" in str(refusal(boundary, path, write=True))
    for path in ("../added/x", "../looked-at/out/x", "raw/mine/x", "x"):
        assert boundary.resolve(path, write=True) == boundary.resolve(path)


def test_a_name_that_no_disk_can_hold_is_refused_in_words(boundary: Boundary) -> None:
    assert "outside" in str(refusal(boundary, f"/{'x' * 300}"))


def test_what_is_outside_is_named_with_where_it_leads(boundary: Boundary, tmp_path: Path) -> None:
    (tmp_path / "root" / "out").symlink_to(tmp_path / "else")
    error = refusal(boundary, "out/x")
    assert str(error) == (
        f"out/x is outside the folder {tmp_path}/root (it leads to {tmp_path}/else/x); "
        "only files inside it can be used."
    )
    assert error.offer == "To let files in ../else be read: %tah folder add ../else --read-only"
    assert refusal(boundary, "out/x", write=True).offer.endswith("be changed: %tah folder add ../else")
    assert refusal(boundary, str(tmp_path / "looked-at" / "x"), write=True).offer.endswith(
        "%tah folder add ../looked-at"
    )
    assert refusal(boundary, "/x").offer == ""
    assert refusal(boundary, "/proc/1/mem").offer == ""
    assert refusal(boundary, "../x").offer == "", "the folder above would open this one's neighbours too"
    assert refusal(boundary, f"{tmp_path}/root2/x").code == "OutsideWorkspace"


def test_a_folder_itself_is_offered_whole_and_quoted_for_the_line(boundary: Boundary, tmp_path: Path) -> None:
    (tmp_path / "my data\n").mkdir()
    offer = refusal(boundary, str(tmp_path / "my data\n")).offer
    assert offer.endswith("%tah folder add '../my data\\x0a' --read-only")


@pytest.mark.parametrize("name", ["", "notes.txt"])
def test_the_home_folder_is_never_offered(boundary: Boundary, home: Path, name: str) -> None:
    assert refusal(boundary, str(home / name)).offer == ""
    assert refusal(boundary, str(home / "work" / "x")).offer.startswith("To let files in ../home/work be read")


@pytest.mark.parametrize("path", ["", "a\0", "\ud800", "a\udcff\ud800"])
def test_what_is_no_path_is_refused(boundary: Boundary, path: str) -> None:
    assert refusal(boundary, path).code == "BadPath"
    assert boundary.locate(path) == path


def test_a_link_in_a_circle_leads_somewhere_inside(boundary: Boundary, tmp_path: Path) -> None:
    (tmp_path / "root" / "a").symlink_to("b")
    (tmp_path / "root" / "b").symlink_to("a")
    assert boundary.resolve("a").parent == tmp_path / "root"


def test_paths_are_named_relative_to_the_root(boundary: Boundary, tmp_path: Path) -> None:
    assert boundary.relative(tmp_path / "root" / "src" / "x.py") == "src/x.py"
    assert boundary.relative(tmp_path / "root") == "."
    assert boundary.relative(tmp_path / "added" / "in") == f"{tmp_path}/added/in"
    assert boundary.relative(f"{tmp_path}/root/bad\udcff") == "bad\\xff"
    assert boundary.locate("src/../src/./x") == "src/x"
    assert boundary.locate("../else") == f"{tmp_path}/else"


@pytest.mark.parametrize("path", ["/proc", "/dev", "/sys/kernel", "/nowhere/at/all", "/etc/passwd"])
def test_a_folder_that_cannot_be_worked_in_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="The folder "):
        Boundary(path)
    with pytest.raises(ToolError, match="The folder "):
        Boundary(tmp_path, [path])


def test_shared_memory_is_a_folder_like_any_other() -> None:
    assert Boundary("/").resolve("dev/shm/x") == Path("/dev/shm/x")
