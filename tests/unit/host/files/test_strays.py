"""What killed writers left behind is found near the root, and the search ends."""

import os
from pathlib import Path

import pytest

from tah_jupyter.host.files import strays

STRAY = ".tah-1-0123456789abcdef.tmp"


def test_strays_are_found_in_every_folder_but_the_heavy_ones(tmp_path: Path) -> None:
    for folder in ("", "a", "a/.hidden", ".git", "node_modules/x"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / STRAY).touch()
    assert strays.remove_strays([tmp_path]) == 3
    assert sorted(str(p.parent.relative_to(tmp_path)) for p in tmp_path.rglob(STRAY)) == [".git", "node_modules/x"]


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / STRAY).touch()
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "link").symlink_to("../outside")
    assert strays.remove_strays([tmp_path / "root"]) == 0


def test_the_search_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strays, "_MAX_ENTRIES", 2)
    (tmp_path / "a" / "b").mkdir(parents=True)
    for name in "cde":
        (tmp_path / name).touch()
    (tmp_path / "a" / "b" / STRAY).touch()
    assert strays.remove_strays([tmp_path]) == 0


def test_a_folder_that_is_gone_is_no_error(tmp_path: Path) -> None:
    assert strays.remove_strays([tmp_path / "gone"]) == 0


def test_a_folder_that_was_swapped_for_a_link_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("root/a", "outside"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / STRAY).touch()
    is_temporary = strays.atomic.is_temporary

    def swapped(name: str) -> bool:
        if name == STRAY:
            os.rename(tmp_path / "root" / "a", tmp_path / "root" / "b")
            (tmp_path / "root" / "a").symlink_to("../outside")
        return is_temporary(name)

    monkeypatch.setattr(strays.atomic, "is_temporary", swapped)
    assert strays.remove_strays([tmp_path / "root"]) == 0
    assert (tmp_path / "outside" / STRAY).exists()
