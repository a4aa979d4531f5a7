"""Which file a command's first word names."""

from pathlib import Path

import pytest

from tah_jupyter.core.errors import ToolError
from tah_jupyter.host.commands.program import find_program


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    for name in ("bin/measure", "tool"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "data.txt").touch()
    return tmp_path


def find(name: str, folder: Path) -> str:
    return find_program(name, path=f"{folder}/bin:{folder}/missing", cwd=str(folder))


@pytest.mark.parametrize(
    ("name", "file"), [("measure", "bin/measure"), ("./tool", "tool"), ("bin/measure", "bin/measure")]
)
def test_a_program_is_found_on_the_path_or_by_its_own(name: str, file: str, folder: Path) -> None:
    assert Path(find(name, folder)) == folder / file


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("measur", "Nearest names: measure."),
        ("quux", "No similar name is on it"),
        ("tool", 'run it as "./tool"'),
        ("command", "a word of the shell"),
        ("[[", "a word of the shell"),
        ("./no", "There is no file ./no"),
        ("./bin", "./bin is a folder"),
        ("./data.txt", "not executable"),
        ("export", "a word of the shell"),
        ("A=1", '["env", "A=1", …]'),
    ],
)
def test_what_is_not_found_is_said_with_what_to_do(name: str, words: str, folder: Path) -> None:
    with pytest.raises(ToolError) as caught:
        find(name, folder)
    assert words in str(caught.value)
    assert caught.value.code == "ProgramNotFound"
