"""Opening by directory handles, one part of a path at a time, never through a link.

A path that was resolved and checked may be swapped for a link before it is opened. Here each part is opened relative to
the handle of the part before it with ``O_NOFOLLOW``, so what is opened lies where the check said, or opening fails.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["NotRegular", "directory", "kind_of", "names_in", "read_capped", "regular_file"]

_STEP = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
_SAFE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CHUNK = 1 << 20
_PSEUDO_MOUNTS = ("/proc", "/sys")

_KINDS = (
    (stat.S_ISDIR, "folder"),
    (stat.S_ISLNK, "link"),
    (stat.S_ISFIFO, "named pipe"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "character device"),
    (stat.S_ISBLK, "block device"),
)


class NotRegular(OSError):
    """What was found is not a regular file; ``kind`` says what it is."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"not a regular file but a {kind}")
        self.kind = kind


def kind_of(mode: int) -> str:
    """What a file of this ``st_mode`` is, in words."""
    return next((word for test, word in _KINDS if test(mode)), "regular file")


@contextmanager
def directory(base: Path, parts: Sequence[str], *, make: bool = False) -> Iterator[int]:
    """A handle of the folder ``parts`` below ``base``, for use as ``dir_fd``; with ``make``, missing ones are made.

    Raises OSError: ENOENT when a part is missing, ENOTDIR or ELOOP when it is no folder, or became a link.
    """
    handle = os.open(base, _STEP)
    try:
        for part in parts:
            deeper = _step(handle, part, make=make)
            os.close(handle)
            handle = deeper
        yield handle
    finally:
        os.close(handle)


def _step(handle: int, part: str, *, make: bool) -> int:
    try:
        return os.open(part, _STEP, dir_fd=handle)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):  # somebody else made it meanwhile: just as good
        os.mkdir(part, dir_fd=handle)
    return os.open(part, _STEP, dir_fd=handle)


@contextmanager
def regular_file(name: str, flags: int, *, dir_fd: int) -> Iterator[int]:
    """A handle of the file ``name`` in the folder ``dir_fd`` if it is a regular file on a real file system.

    It is looked at before it is opened (opening a device may already do something) and again after. Raises NotRegular,
    and OSError as ``os.open`` does; never blocks.
    """
    _require_regular(os.stat(name, dir_fd=dir_fd, follow_symlinks=False))
    handle = os.open(name, flags | _SAFE, dir_fd=dir_fd)
    try:
        found = os.fstat(handle)
        _require_regular(found)
        if found.st_dev in _pseudo_devices():
            raise NotRegular("file of the system")
        yield handle
    finally:
        os.close(handle)


def _require_regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise NotRegular(kind_of(found.st_mode))


def _pseudo_devices() -> set[int]:
    """Device numbers of proc and sysfs: a bind mount of them elsewhere is recognised by these."""
    found = set()
    for mount in _PSEUDO_MOUNTS:
        with suppress(OSError):
            found.add(os.stat(mount).st_dev)
    return found - {os.stat("/").st_dev}


def read_capped(handle: int, max_bytes: int) -> bytes | None:
    """All bytes of an open file, or None when there are more than ``max_bytes``, whatever size it claims to have."""
    pieces: list[bytes] = []
    left = max_bytes + 1
    while left > 0 and (piece := os.read(handle, min(_CHUNK, left))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces) if left > 0 else None


def names_in(dir_fd: int, at_most: int) -> list[str]:
    """Names in the folder ``dir_fd``, in no order, at most so many."""
    handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=dir_fd)
    try:
        with os.scandir(handle) as entries:
            return [entry.name for entry, _ in zip(entries, range(at_most), strict=False)]
    finally:
        os.close(handle)
