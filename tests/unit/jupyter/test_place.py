"""One rule for the folder, and what a person is told once."""

from pathlib import Path

import pytest

from tah_jupyter.jupyter.place import Place, find_place, introduced, remember_introduced
from tah_jupyter.jupyter.status import place_words
from tah_jupyter.ui.words import Words


@pytest.mark.parametrize("mark", [".git", "pyproject.toml", "tah.config.json"])
def test_the_nearest_marked_parent_of_the_notebook_is_the_root(tmp_path: Path, home: Path, mark: str) -> None:
    notebooks = tmp_path / "churn" / "notebooks" / "deep"
    notebooks.mkdir(parents=True)
    (tmp_path / "churn" / mark).mkdir()
    (tmp_path / "pyproject.toml").touch()
    place = find_place(str(notebooks / "march.ipynb"))
    assert place.root == (tmp_path / "churn").resolve()
    assert place.mark in mark


def test_without_a_mark_it_is_the_notebooks_folder(tmp_path: Path, home: Path) -> None:
    assert find_place(str(tmp_path / "march.ipynb")) == Place(tmp_path.resolve(), "", str(tmp_path / "march.ipynb"))


def test_a_notebook_without_a_folder_means_the_kernels_folder(tmp_path: Path, home: Path) -> None:
    assert find_place("march.ipynb", start=tmp_path).root == tmp_path.resolve()
    assert find_place("", start=tmp_path).root == tmp_path.resolve()


def test_a_home_kept_in_git_does_not_open_everything(home: Path) -> None:
    (home / ".git").mkdir()
    work = home / "work"
    work.mkdir()
    assert find_place("", start=work).root == work.resolve()


def test_the_whole_home_folder_is_said_to_be_that(home: Path) -> None:
    assert place_words(find_place("", start=home)) == "~, your whole home folder"
    assert place_words(Place(Path("/")), Words("zh")) == "/，整个磁盘"


def test_a_folder_is_shown_from_home_with_its_mark(home: Path) -> None:
    (home / "churn" / ".git").mkdir(parents=True)
    assert place_words(find_place("", start=home / "churn")) == "~/churn (git)"


@pytest.mark.parametrize("name", ["new\nline", "right\u202eleft"])
def test_a_folder_with_an_odd_name_stays_on_its_line(home: Path, name: str) -> None:
    (home / name).mkdir()
    assert place_words(find_place("", start=home / name)).isprintable()


def test_a_home_that_is_a_link_is_still_wide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to("real")
    monkeypatch.setenv("HOME", str(tmp_path / "alias"))
    assert find_place("", start=tmp_path / "alias").is_wide
    assert Place(tmp_path).is_wide, "what holds the home is wider still"
    assert not Place(tmp_path / "real" / "work").is_wide


def test_a_person_is_introduced_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not introduced()
    remember_introduced()
    assert introduced()


def test_a_state_folder_that_cannot_be_written_is_no_error(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "file"))
    remember_introduced()
    assert not introduced()


def test_a_state_folder_that_cannot_be_looked_into_is_an_empty_one(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", f"/{'x' * 300}")  # as one of another account, and root is refused here too
    remember_introduced()
    assert not introduced()
    assert Place(home).must_ask
