"""A walk is sorted, pruned, and stays inside whatever links and swaps there are."""

import os
from pathlib import Path

import pytest

from tah_jupyter.host.files.confine import NotRegular
from tah_jupyter.host.files.workspace import Workspace
from tah_jupyter.host.search import walk
from tah_jupyter.host.search.walk import MAX_DEPTH, Tree


def grow(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)


def walked(root: Path, start: str = "", **more: bool) -> list[str]:
    return [entry.path for entry in Tree(root, root / start, **more).walk()]


def test_it_goes_in_order_of_path(tmp_path: Path) -> None:
    grow(tmp_path, "b", "a/x", "a.txt", "ab", "a/b/c", "a-b", "Z")
    assert walked(tmp_path) == sorted(["b", "a/x", "a.txt", "ab", "a/b/c", "a-b", "Z"])


def test_it_leaves_out_what_is_not_the_projects_own_text(tmp_path: Path) -> None:
    grow(tmp_path, "a", "node_modules/m", "dist/d", ".env", ".git/x", "sub/node_modules/m", "sub/.x", "sub/dist.py")
    tree = Tree(tmp_path, tmp_path)
    assert [entry.path for entry in tree.walk()] == ["a", "sub/dist.py"]
    assert tree.ignored == 6


def test_a_file_named_dist_is_a_file(tmp_path: Path) -> None:
    grow(tmp_path, "dist", "sub/node_modules")
    assert walked(tmp_path) == ["dist", "sub/node_modules"]


def test_everything_is_there_when_nothing_is_to_be_ignored(tmp_path: Path) -> None:
    paths = [".env", ".gitignore", "dist/d", "node_modules/m", "x.log"]
    grow(tmp_path, *paths)
    (tmp_path / ".gitignore").write_text("*.log")
    assert walked(tmp_path, include_ignored=True) == paths


def test_nearer_rules_win_and_an_exclamation_mark_brings_back(tmp_path: Path) -> None:
    grow(tmp_path, "a.log", "keep.log", "sub/a.log", "sub/b.log", "build/x", "sub/build")
    (tmp_path / ".gitignore").write_text("*.log\n!keep.log\nbuild/\n")
    (tmp_path / "sub/.gitignore").write_text("!a.log\n")
    assert walked(tmp_path) == ["keep.log", "sub/a.log", "sub/build"]


def test_rules_of_the_repository_above_the_root_count(tmp_path: Path) -> None:
    grow(tmp_path, ".git/HEAD", "inner/a.log", "inner/a.py", "inner/sub/b.log")
    (tmp_path / ".gitignore").write_text("*.log\n")
    tree = Tree(tmp_path / "inner", tmp_path / "inner")
    assert [entry.path for entry in tree.walk()] == ["a.py"]
    assert tree.rules_reach_up


def test_without_a_repository_rules_above_the_root_do_not_count(tmp_path: Path) -> None:
    grow(tmp_path, "inner/a.log")
    (tmp_path / ".gitignore").write_text("*.log\n")
    tree = Tree(tmp_path / "inner", tmp_path / "inner")
    assert [entry.path for entry in tree.walk()] == ["a.log"]
    assert not tree.rules_reach_up


def test_a_repository_in_a_repository_starts_anew(tmp_path: Path) -> None:
    grow(tmp_path, ".git/HEAD", "sub/.git/HEAD", "sub/a.log", "b.log", "sub/c.tmp")
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "sub/.gitignore").write_text("*.tmp\n")
    assert walked(tmp_path) == ["sub/a.log"]


def test_a_folder_asked_for_by_name_is_walked_though_it_is_ignored(tmp_path: Path) -> None:
    grow(tmp_path, "build/x.py", "build/y.log", ".hidden/z", "node_modules/m/i.js")
    (tmp_path / ".gitignore").write_text("build/\n*.log\n")
    assert walked(tmp_path, "build") == ["x.py", "y.log"]
    assert walked(tmp_path, ".hidden") == ["z"]
    assert walked(tmp_path, "node_modules/m") == ["i.js"]


def test_rules_above_the_start_count_below_the_root(tmp_path: Path) -> None:
    grow(tmp_path, "a/b/x.py", "a/b/y.log", "a/b/z.tmp")
    (tmp_path / ".gitignore").write_text("*.log\n/a/b/z.tmp\n")
    assert walked(tmp_path, "a/b") == ["x.py"]


def test_a_gitignore_that_is_a_link_or_huge_or_broken_is_passed_over(tmp_path: Path) -> None:
    grow(tmp_path, "one/x", "two/x", "three/x", "three/y", "rules")
    (tmp_path / "rules").write_text("x\n")
    (tmp_path / "one/.gitignore").symlink_to(tmp_path / "rules")
    (tmp_path / "two/.gitignore").write_bytes(b"x\n" * 100_000)
    (tmp_path / "three/.gitignore").write_bytes(b"[\n\\\n[z-a]\n\xff\xfe\n# x\n\ny\n")
    assert walked(tmp_path) == ["one/x", "rules", "three/x", "two/x"]


def test_links_are_named_and_never_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    grow(outside, "secret")
    root = tmp_path / "root"
    grow(root, "in/x")
    (root / "folder").symlink_to(outside)
    (root / "file").symlink_to(outside / "secret")
    (root / "loop").symlink_to(root)
    entries = {entry.path: entry.kind for entry in Tree(root, root).walk()}
    assert entries == {"file": "link", "folder": "link", "in/x": "file", "loop": "link"}
    for name in ("file", "folder/secret"):
        with pytest.raises(OSError, match=r"Too many|Not a directory"):
            Tree(root, root).open(name)


def test_a_folder_swapped_for_a_link_during_the_walk_is_not_entered(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    grow(outside, "secret")
    root = tmp_path / "root"
    grow(root, "a", "b/x", "c")
    seen = []
    tree = Tree(root, root)
    for entry in tree.walk():
        seen.append(entry.path)
        if entry.path == "a":
            (root / "b").rename(root / "d")
            (root / "b").symlink_to(outside)
    assert seen == ["a", "c"]
    assert tree.unreadable == 1


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotRegular, match="named pipe"):
        Tree(tmp_path, tmp_path).open("pipe")
    assert [entry.kind for entry in Tree(tmp_path, tmp_path).walk()] == ["special"]


def test_folders_nested_too_deep_are_counted_and_no_handle_stays_open(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * (MAX_DEPTH + 10))
    deep.mkdir(parents=True)
    (tmp_path / "z").write_text("")
    before = len(os.listdir("/proc/self/fd"))
    tree = Tree(tmp_path, tmp_path)
    assert [entry.path for entry in tree.walk()] == ["z"]
    assert tree.too_deep == 1
    half = tree.walk()
    next(half)
    half.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_what_is_shown_is_what_is_walked(tmp_path: Path) -> None:
    grow(tmp_path, "a", ".b", "dist/c", "sub/d.log", "sub/e", "sub/deep/f", "gone/g")
    (tmp_path / "sub/.gitignore").write_text("*.log\ndeep/\n")
    tree = Tree(tmp_path, tmp_path)
    paths = ["a", ".b", "dist/c", "sub/d.log", "sub/e", "sub/deep/f", "gone/g"]
    assert [path for path in sorted(paths) if tree.shows(path)] == ["a", "gone/g", "sub/e"] == walked(tmp_path)
    assert not tree.shows("nowhere/x")


def test_system_folders_are_not_entered_from_the_root_of_the_machine() -> None:
    tree = Tree(Path("/"), Path("/"))
    with tree.scan() as entries:
        names = {entry.name for entry in entries}
    assert {"proc", "dev"} <= names
    system = walk._system_devices()
    assert os.stat("/proc").st_dev in system
    assert next(entry.path for entry in tree.walk()).partition("/")[0] not in {"proc", "sys", "dev"}


def test_a_tree_may_lie_in_an_added_folder(tmp_path: Path) -> None:
    grow(tmp_path, "root/x", "more/sub/y")
    workspace = Workspace(tmp_path / "root", [tmp_path / "more"])
    tree = Tree.at(workspace, tmp_path / "more/sub")
    assert tree.base == tmp_path / "more"
    assert [entry.path for entry in tree.walk()] == ["y"]
