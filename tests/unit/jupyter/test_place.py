"""One rule for the folder, and what a person is told once."""

from pathlib import Path

import pytest

from tah_jupyter.jupyter.place import Place, find_place, introduced, remember_introduced


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
    assert "whole home folder" in str(find_place("", start=home))


def test_a_folder_is_shown_from_home_with_its_mark(home: Path) -> None:
    (home / "churn" / ".git").mkdir(parents=True)
    assert str(find_place("", start=home / "churn")) == "~/churn (git)"


def test_a_person_is_introduced_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not introduced()
    remember_introduced()
    assert introduced()


def test_a_state_folder_that_cannot_be_written_is_no_error(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "file"))
    remember_introduced()
    assert not introduced()
