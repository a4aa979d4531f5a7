"""Writing one setting into the person's own file: the rest of it stays, or nothing is written."""

import json
import os
import stat
from pathlib import Path

import pytest

from tah_jupyter.core.errors import ConfigError
from tah_jupyter.runtime.config import load
from tah_jupyter.runtime.own_config import remember


@pytest.fixture
def file(home: Path) -> Path:
    path = home / ".config" / "tah" / "config.json"
    path.parent.mkdir(parents=True)
    return path


def environ(file: Path) -> dict[str, str]:
    return {"HOME": str(file.parents[2])}


def test_a_first_setting_makes_the_file_for_its_owner_alone(home: Path) -> None:
    path = remember("model", "ollama/qwen3:8b", {"HOME": str(home)})
    assert json.loads(path.read_text()) == {"model": "ollama/qwen3:8b"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load(environ={"HOME": str(home)}).model == "ollama/qwen3:8b"


def test_everything_else_stays_in_its_order_with_its_mode(file: Path) -> None:
    before = {"permissions": {"deny": ["edit_file"]}, "model": "old", "models": {"café": {"baseUrl": "http://x/v1"}}}
    file.write_text(json.dumps(before))
    file.chmod(0o640)
    remember("model", "anthropic", environ(file))
    after = json.loads(file.read_text())
    assert after == {**before, "model": "anthropic"}
    assert list(after) == list(before)
    assert "café" in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_link_to_where_dot_files_are_kept_stays_a_link(file: Path, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles" / "tah.json"
    kept.parent.mkdir()
    kept.write_text("{}")
    file.symlink_to(kept)
    remember("model", "demo", environ(file))
    assert file.is_symlink()
    assert json.loads(kept.read_text()) == {"model": "demo"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{\n  "model": "a",\n  // mine\n}', "line 3"),
        ('{"deny": [], "deny": ["x"]}', "twice"),
        ("[]", "no JSON object"),
        ("", "line 1"),
    ],
)
def test_a_file_with_a_mistake_is_left_as_it_is(text: str, reason: str, file: Path) -> None:
    file.write_text(text)
    with pytest.raises(ConfigError, match=r"config\.json was not changed") as caught:
        remember("model", "demo", environ(file))
    assert reason in str(caught.value)
    assert 'Write "model": "demo" into it by hand.' in str(caught.value)
    assert file.read_text() == text


def test_a_folder_that_cannot_be_made_is_said(home: Path) -> None:
    (home / ".config").write_text("a file where a folder should be")
    with pytest.raises(ConfigError, match="was not changed"):
        remember("model", "demo", {"HOME": str(home)})


def test_a_pipe_in_its_place_does_not_hang(file: Path) -> None:
    os.mkfifo(file)
    with pytest.raises(ConfigError, match="was not changed"):
        remember("model", "demo", environ(file))
