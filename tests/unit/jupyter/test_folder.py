"""%tah folder: chooses the folder, adds others and takes them away; what cannot be changes nothing."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from IPython.core.error import UsageError

from tah_jupyter.jupyter.commands import folder, status
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.place import CHOSEN, Place, find_place
from tah_jupyter.jupyter.settings import Settings
from tah_jupyter.runtime.config import Folders
from tests.support.shells import quiet_shell

Run = Callable[[str], str]


@pytest.fixture
def loaded(home: Path, monkeypatch: pytest.MonkeyPatch) -> Loaded:
    monkeypatch.setenv("LANG", "C")
    for name in ("churn/src", "data/raw", "my data"):
        (home / name).mkdir(parents=True)
    (home / "churn" / "pyproject.toml").touch()
    (home / "notes.txt").touch()
    shell = quiet_shell()
    return Loaded(shell, Settings(shell), find_place("", start=home / "churn" / "src"))


@pytest.fixture
def run(loaded: Loaded, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(argument: str) -> str:
        folder.run(loaded, argument)
        return capsys.readouterr().out

    return run


def test_alone_it_says_which_folders_there_are(run: Run) -> None:
    assert run("") == "folder  ~/churn (pyproject.toml)\n"
    run("add ../data --read-only")
    run("add '../my data'")
    assert run("").splitlines()[1:] == ["added   ~/my data", "added   ~/data, read only"]


def test_a_folder_is_added_relative_to_the_root_as_the_refusal_offers_it(run: Run, loaded: Loaded, home: Path) -> None:
    said = run("add ../data --read-only")
    assert said.startswith("~/data is added, read only.\n")
    assert '"folders" in ~/.config/tah/config.json' in said
    assert loaded.place.folders.read == (home / "data",)


def test_a_folder_that_may_only_be_read_stays_so_in_a_wider_one_until_it_is_added_again(
    run: Run, loaded: Loaded, home: Path
) -> None:
    run("add ../data/raw --read-only")
    run("add ../data")
    assert loaded.place.folders == Folders((home / "data",), (home / "data" / "raw",))
    run("../data")
    assert loaded.place.folders == Folders((), (home / "data" / "raw",)), "the folder to work in is none beside itself"
    run("add raw")
    assert loaded.place.folders == Folders((home / "data" / "raw",), ())


def test_added_again_it_holds_as_said_last(run: Run, loaded: Loaded, home: Path) -> None:
    run("add --read-only ~/data")
    run("add ~/data")
    assert loaded.place.folders == Folders((home / "data",), ())
    run("add ~/data --read-only")
    assert loaded.place.folders == Folders((), (home / "data",))


def test_a_link_is_added_as_where_it_leads(run: Run, loaded: Loaded, home: Path) -> None:
    (home / "churn" / "link").symlink_to(home / "data")
    run("add link")
    assert loaded.place.folders.change == (home / "data",)


def test_what_was_added_can_be_removed_also_when_it_is_gone(run: Run, loaded: Loaded, home: Path) -> None:
    run("add '~/my data'")
    (home / "my data").rmdir()
    assert "is not used any more" in run("remove '../my data'")
    assert loaded.place.folders == ((), ())


def test_another_folder_is_chosen_by_the_person(run: Run, loaded: Loaded, home: Path) -> None:
    assert run("../data") == "The folder is ~/data, from the next request on.\n"
    assert loaded.place == Place(home / "data", CHOSEN)
    assert "~/data (chosen by you)" in run("")


def test_a_whole_home_that_is_chosen_is_said_to_be_that_and_not_asked_about(run: Run, loaded: Loaded) -> None:
    assert "~, your whole home folder" in run("~")
    assert loaded.place.is_wide
    assert not loaded.place.must_ask


@pytest.mark.parametrize(
    ("argument", "says"),
    [
        ("../nowhere", "There is no folder ../nowhere."),
        ("add ../nowhere", "There is no folder ../nowhere."),
        ("add ../notes.txt", "../notes.txt is a file."),
        ("add ~", "~, your whole home folder is too much to add."),
        ("add /", "/, the whole disk is too much to add."),
        ("add ..", "too much to add"),
        ("add src", "src lies in ~/churn already."),
        ("add .", ". lies in ~/churn already."),
        ("add /proc", "belongs to the system"),
        ("/proc", "belongs to the system"),
        ("remove ../data", "../data was not added here. Added: none."),
        ("add", "Write %tah folder PATH"),
        ("remove", "Write %tah folder PATH"),
        ("add ../data ../raw", "Write %tah folder PATH"),
        ("add ../data --readonly", "Write %tah folder PATH"),
        ("--read-only", "Write %tah folder PATH"),
        ("one two", "Write %tah folder PATH"),
        ("add 'my data", "The quotes do not match"),
        ("''", "Write %tah folder PATH"),
        ("add ''", "Write %tah folder PATH"),
        ("x" * 300, "There is no folder xxx"),
        ("a\0b", "There is no folder a"),
        ("\ud800", "There is no folder"),
    ],
)
def test_what_cannot_be_is_said_and_changes_nothing(run: Run, loaded: Loaded, argument: str, says: str) -> None:
    before = loaded.place
    with pytest.raises(UsageError) as error:
        run(argument)
    assert says in str(error.value)
    assert loaded.place == before


def test_folders_of_ones_own_config_are_shown_and_taken_out_there(run: Run, loaded: Loaded, home: Path) -> None:
    own = home / ".config" / "tah" / "config.json"
    own.parent.mkdir(parents=True)
    own.write_text(json.dumps({"folders": {"read": ["~/data"], "change": [str(home / "my data")]}}))
    assert run("").splitlines()[1:] == ["added   ~/my data", "added   ~/data, read only"]
    with pytest.raises(UsageError, match=r"named in ~/.config/tah/config.json"):
        run("remove ~/data")
    run("add ~/data")
    assert run("").splitlines()[1:] == ["added   ~/data", "added   ~/my data"], "what was said here holds here"


def test_a_folders_own_file_adds_nothing(run: Run, loaded: Loaded, home: Path) -> None:
    (home / "churn" / "tah.config.json").write_text(json.dumps({"folders": {"read": [str(home / "data")]}}))
    assert run("") == "folder  ~/churn (pyproject.toml)\n"
    assert any('"folders.read" is ignored' in str(problem) for problem in loaded.config().problems)


def test_a_folder_in_the_config_must_be_whole(run: Run, loaded: Loaded, home: Path) -> None:
    own = home / ".config" / "tah" / "config.json"
    own.parent.mkdir(parents=True)
    own.write_text(json.dumps({"folders": {"read": ["../data"]}}))
    assert loaded.config().fail_closed
    assert "from / or ~" in str(loaded.config().problems[0])


def test_where_things_stand_names_them(run: Run, loaded: Loaded, capsys: pytest.CaptureFixture[str]) -> None:
    run("add ../data --read-only")
    status.run(loaded, "")
    assert "added    ~/data, read only" in capsys.readouterr().out
