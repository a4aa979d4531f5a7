"""Opening goes part by part, never through a link, and never into what is not a plain file."""

import os
import socket
from pathlib import Path

import pytest

from tah_jupyter.host.files.confine import NotRegular, directory, kind_of, names_in, read_capped, regular_file


def read(folder: Path, *parts: str, max_bytes: int = 100) -> bytes | None:
    with (
        directory(folder, parts[:-1]) as dir_fd,
        regular_file(parts[-1], os.O_RDONLY, dir_fd=dir_fd) as handle,
    ):
        return read_capped(handle, max_bytes)


def open_handles() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_a_file_is_read_up_to_a_cap(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "f").write_bytes(b"12345")
    before = open_handles()
    assert read(tmp_path, "a", "f") == b"12345"
    assert read(tmp_path, "a", "f", max_bytes=5) == b"12345"
    assert read(tmp_path, "a", "f", max_bytes=4) is None
    assert read(tmp_path, "a", "f", max_bytes=0) is None
    assert open_handles() == before


def test_no_part_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "f").write_bytes(b"x")
    (tmp_path / "real" / "g").symlink_to("f")
    (tmp_path / "link").symlink_to("real")
    before = open_handles()
    with pytest.raises(OSError, match="directory"):
        read(tmp_path, "link", "f")
    with pytest.raises(NotRegular, match="link"):
        read(tmp_path, "real", "g")
    assert open_handles() == before


def test_missing_folders_are_made_when_wanted(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), directory(tmp_path, ["a", "b"]):
        pass
    with directory(tmp_path, ["a", "b"], make=True), directory(tmp_path, ["a", "b"], make=True):
        assert (tmp_path / "a" / "b").is_dir()


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name, kind in (("pipe", "named pipe"), ("folder", "folder")):
        with pytest.raises(NotRegular) as caught:
            read(tmp_path, name)
        assert caught.value.kind == kind


def test_files_of_the_system_are_recognised_wherever_they_are() -> None:
    with pytest.raises(NotRegular, match="system"):
        read(Path(f"/proc/{os.getpid()}"), "environ")
    with pytest.raises(NotRegular, match="character device"):
        read(Path("/dev"), "null")


def test_kinds_have_names(tmp_path: Path) -> None:
    assert kind_of(os.stat(tmp_path).st_mode) == "folder"
    assert kind_of(os.stat(__file__).st_mode) == "regular file"
    one, other = socket.socketpair()
    with one, other:
        assert kind_of(os.fstat(one.fileno()).st_mode) == "socket"


def test_names_are_counted_to_a_limit(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).touch()
    with directory(tmp_path, []) as dir_fd:
        assert sorted(names_in(dir_fd, 10)) == ["a", "b", "c"]
        assert len(names_in(dir_fd, 2)) == 2
