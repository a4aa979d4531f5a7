"""What a command was shown against."""

import os
from pathlib import Path

import pytest

from tah_jupyter.host.commands.digest import command_digest
from tah_jupyter.host.files.workspace import Workspace


def digest(folder: Path, *argv: str, cwd: str = "", program: str = "/bin/sh") -> str:
    return command_digest(argv, cwd=str(folder / cwd), program=program, workspace=Workspace(folder))


def test_words_folder_and_program_count(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    base = digest(tmp_path, "sh", "a")
    assert base == digest(tmp_path, "sh", "a")
    others = [
        digest(tmp_path, "sh", "b"),
        digest(tmp_path, "sh a"),
        digest(tmp_path, "sh", "a", cwd="sub"),
        digest(tmp_path, "sh", "a", program="/bin/bash"),
    ]
    assert len({base, *others}) == 5


@pytest.mark.parametrize(
    "argv",
    [
        ("python", "job.py"),
        ("python", "./job.py"),
        ("python", "sub/../job.py"),
        ("tool", "--config=job.py"),
        ("tool", "@job.py"),
        ("bash", "-c", "cd . && python job.py; true"),
        ("bash", "-c", "python 'job.py'>out"),
    ],
)
def test_a_file_that_a_word_names_counts(argv: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "job.py").write_text("one")
    before = digest(tmp_path, *argv)
    (tmp_path / "job.py").write_text("two")
    assert digest(tmp_path, *argv) != before


def test_a_program_of_the_workspace_counts(tmp_path: Path) -> None:
    program = tmp_path / "run"
    program.write_text("one")
    before = digest(tmp_path, "./run", program=str(program))
    program.write_text("two")
    assert digest(tmp_path, "./run", program=str(program)) != before


def test_a_file_that_appears_counts_and_other_files_do_not(tmp_path: Path) -> None:
    before = digest(tmp_path, "cat", "new.txt")
    (tmp_path / "unrelated.txt").touch()
    assert digest(tmp_path, "cat", "new.txt") == before
    (tmp_path / "new.txt").touch()
    assert digest(tmp_path, "cat", "new.txt") != before


def test_a_file_outside_is_not_opened_and_a_pipe_does_not_block(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("one")
    root = tmp_path / "root"
    root.mkdir()
    os.mkfifo(root / "pipe")
    before = digest(root, "cat", "../outside.txt", "pipe", "/dev/zero", "a\0b", "x" * 10_000)
    outside.write_text("two")
    assert digest(root, "cat", "../outside.txt", "pipe", "/dev/zero", "a\0b", "x" * 10_000) == before


def test_a_large_file_counts_by_size_and_time(tmp_path: Path) -> None:
    large = tmp_path / "data.bin"
    large.write_bytes(b"x" * 8_000_001)
    os.utime(large, ns=(0, 0))
    before = digest(tmp_path, "sum", "data.bin")
    assert digest(tmp_path, "sum", "data.bin") == before
    os.utime(large, ns=(0, 1))
    assert digest(tmp_path, "sum", "data.bin") != before
