"""New bytes take the name in one step, or nothing changes."""

import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tah_jupyter.host.files import atomic


@pytest.fixture
def dir_fd(tmp_path: Path) -> Iterator[int]:
    handle = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield handle
    os.close(handle)


def nothing() -> None:
    pass


def replace(path: Path, data: bytes, dir_fd: int) -> tuple[str, ...]:
    with path.open("rb") as original:
        return atomic.replace(path.name, data, original.fileno(), dir_fd=dir_fd, before_replace=nothing)


def test_a_taken_name_is_not_taken_away(tmp_path: Path, dir_fd: int) -> None:
    (tmp_path / "f").symlink_to("nowhere")
    with pytest.raises(FileExistsError):
        atomic.create("f", b"x", dir_fd=dir_fd)
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


def test_a_file_system_without_hard_links_will_do(tmp_path: Path, dir_fd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*args: object, **more: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    atomic.create("f", b"x", dir_fd=dir_fd)
    with pytest.raises(FileExistsError):
        atomic.create("f", b"y", dir_fd=dir_fd)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"f": b"x"}


def test_what_before_replace_raises_leaves_the_file_as_it_was(tmp_path: Path, dir_fd: int) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")

    def stop() -> None:
        assert len(list(tmp_path.iterdir())) == 2
        raise KeyError

    with path.open("rb") as original, pytest.raises(KeyError):
        atomic.replace("f", b"new", original.fileno(), dir_fd=dir_fd, before_replace=stop)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"f": b"old"}


def test_an_owner_that_cannot_be_kept_is_said(tmp_path: Path, dir_fd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    found = os.fstat

    def of_somebody_else(handle: int) -> os.stat_result:
        result = list(found(handle))
        result[stat.ST_UID] += handle == theirs
        return os.stat_result(result)

    def refused(*args: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    theirs = os.open(path, os.O_RDONLY)
    monkeypatch.setattr(os, "fstat", of_somebody_else)
    monkeypatch.setattr(os, "fchown", refused)
    notices = atomic.replace("f", b"new", theirs, dir_fd=dir_fd, before_replace=nothing)
    os.close(theirs)
    assert notices == ("Its owner or group could not be kept: the file now belongs to the account of this kernel.",)
    assert path.read_bytes() == b"new"


def test_the_owner_is_kept_where_the_account_may(tmp_path: Path, dir_fd: int) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    if os.getuid() == 0:  # only the superuser may give a file away
        os.chown(path, 12345, 23456)
    before = path.stat()
    assert replace(path, b"new", dir_fd) == ()
    assert (path.stat().st_uid, path.stat().st_gid) == (before.st_uid, before.st_gid)


def test_file_capabilities_are_about_the_old_bytes(
    tmp_path: Path, dir_fd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "f").write_bytes(b"old")
    names = ["security.capability", "user.kept", "trusted.refused"]
    copied: list[str] = []

    def setxattr(handle: int, name: str, value: bytes) -> None:
        if name == "trusted.refused":
            raise PermissionError(1, "Operation not permitted")
        copied.append(name)

    monkeypatch.setattr(os, "listxattr", lambda handle: names)
    monkeypatch.setattr(os, "getxattr", lambda handle, name: b"v")
    monkeypatch.setattr(os, "setxattr", setxattr)
    replace(tmp_path / "f", b"new", dir_fd)
    assert copied == ["user.kept"]


def test_a_system_without_extended_attributes_will_do(
    tmp_path: Path, dir_fd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "f").write_bytes(b"old")
    monkeypatch.delattr(os, "listxattr")
    assert replace(tmp_path / "f", b"new", dir_fd) == ()


def test_writing_in_place_puts_the_old_bytes_back_when_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"the old bytes")
    write, calls = os.write, []

    def full(handle: int, data: bytes) -> int:
        calls.append(data)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        return write(handle, data[:4])

    monkeypatch.setattr(os, "write", full)
    with path.open("rb+", buffering=0) as file, pytest.raises(OSError, match="No space"):
        atomic.overwrite(file.fileno(), b"new bytes that are longer", b"the old bytes")
    assert path.read_bytes() == b"the old bytes"


def test_a_stray_is_removed_only_when_it_is_ours_and_its_writer_is_gone(tmp_path: Path, dir_fd: int) -> None:
    ours, other = ".tah-1-0123456789abcdef.tmp", ".tah-1-0123.tmp"
    for name in (ours, other):
        (tmp_path / name).touch()
    assert not atomic.remove_stray(other, dir_fd=dir_fd)
    with (tmp_path / ours).open("wb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        assert not atomic.remove_stray(ours, dir_fd=dir_fd)
    assert atomic.remove_stray(ours, dir_fd=dir_fd)
    assert not atomic.remove_stray(ours, dir_fd=dir_fd)
    (tmp_path / ours).symlink_to(other)
    assert not atomic.remove_stray(ours, dir_fd=dir_fd)
    (tmp_path / ours).unlink()
    (tmp_path / ours).mkdir()
    assert not atomic.remove_stray(ours, dir_fd=dir_fd)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([ours, other])


def test_a_writer_whose_new_file_was_taken_for_a_stray_starts_again(
    tmp_path: Path, dir_fd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, taken = fcntl.flock, []

    def too_late(handle: int, how: int) -> None:
        if not taken:
            taken.extend(p for p in tmp_path.iterdir())
            taken[0].unlink()
        lock(handle, how)

    monkeypatch.setattr(fcntl, "flock", too_late)
    atomic.create("f", b"x", dir_fd=dir_fd)
    assert taken
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"f": b"x"}
