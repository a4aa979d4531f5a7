"""Putting bytes into a file so that a reader, a crash or a kill finds the old bytes or the new ones, never a mix.

The new bytes go into a temporary file in the same folder, are synced, and take the name in one step. The temporary file
is never readable by more people than the original and is locked while its writer lives: a lock that can be had means
that the writer was killed, whatever its process number means by now, and :func:`remove_strays` may clear it away.
"""

import fcntl
import os
import re
import secrets
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

__all__ = ["ONE_AT_A_TIME", "create", "is_temporary", "overwrite", "remove_stray", "replace"]

ONE_AT_A_TIME = threading.Lock()
"""Held from the last look at a file to its change, so that of two writers in this process the later one sees it."""

_TEMPORARY = re.compile(r"\.tah-\d+-[0-9a-f]{16}\.tmp")
_NOT_COPIED = frozenset({"security.capability"})
"""Extended attributes that are about the old bytes: file capabilities must not pass to new contents."""


def is_temporary(name: str) -> bool:
    """Whether ``name`` is one that this module gives to its temporary files."""
    return _TEMPORARY.fullmatch(name) is not None


def create(name: str, data: bytes, *, dir_fd: int) -> None:
    """Make the file ``name`` with ``data``; its mode follows the umask.

    Raises FileExistsError when the name is taken, also when it was taken just now.
    """
    with _temporary(0o666, dir_fd) as (temporary, handle):
        _write_all(handle, data)
        os.fsync(handle)
        try:
            os.link(temporary, name, src_dir_fd=dir_fd, dst_dir_fd=dir_fd, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links: look, then take the name
            _refuse_taken(name, dir_fd)
            os.replace(temporary, name, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
    _sync_folder(dir_fd)


def replace(
    name: str, data: bytes, original: int, *, dir_fd: int, before_replace: Callable[[], None]
) -> tuple[str, ...]:
    """Give ``name`` new bytes and keep owner, mode and extended attributes of the open file ``original``.

    ``before_replace`` is called last, when all is written and synced; what it raises leaves the file as it was.
    Returns notices about what could not be kept.
    """
    like = os.fstat(original)
    with _temporary(stat.S_IMODE(like.st_mode) & 0o600, dir_fd) as (temporary, handle):
        _write_all(handle, data)
        notices = _keep_owner(handle, like)
        _copy_attributes(original, handle)
        os.fchmod(handle, stat.S_IMODE(like.st_mode))  # after the owner: changing that clears setuid and setgid
        os.fsync(handle)
        with ONE_AT_A_TIME:
            before_replace()
            os.replace(temporary, name, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
    _sync_folder(dir_fd)
    return notices


def overwrite(handle: int, data: bytes, old: bytes) -> None:
    """Write ``data`` into the open file itself, for a file with several names; puts ``old`` back when that fails."""
    try:
        _write_from_start(handle, data)
    except BaseException:
        with suppress(OSError):
            _write_from_start(handle, old)
        raise


def remove_stray(name: str, *, dir_fd: int) -> bool:
    """Remove the temporary file ``name`` if its writer is gone; returns whether it did."""
    if not is_temporary(name):
        return False
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=dir_fd)
    except OSError:
        return False
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return False
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(name, dir_fd=dir_fd)
    except OSError:  # its writer lives, or it is not ours to remove
        return False
    finally:
        os.close(handle)
    return True


@contextmanager
def _temporary(mode: int, dir_fd: int) -> Iterator[tuple[str, int]]:
    name, handle = _new_temporary(mode, dir_fd)
    try:
        yield name, handle
    finally:
        with suppress(FileNotFoundError):  # gone when it took the target's name
            os.unlink(name, dir_fd=dir_fd)
        os.close(handle)


def _new_temporary(mode: int, dir_fd: int) -> tuple[str, int]:
    while True:
        name = f".tah-{os.getpid()}-{secrets.token_hex(8)}.tmp"
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=dir_fd)
        with suppress(OSError):  # a file system without locks: it is then never taken for a stray either
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(handle).st_nlink:
            return name, handle
        os.close(handle)  # removed as a stray before it was locked


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _write_from_start(handle: int, data: bytes) -> None:
    os.lseek(handle, 0, os.SEEK_SET)
    _write_all(handle, data)
    os.ftruncate(handle, len(data))
    os.fsync(handle)


def _keep_owner(handle: int, like: os.stat_result) -> tuple[str, ...]:
    own = os.fstat(handle)
    if (own.st_uid, own.st_gid) == (like.st_uid, like.st_gid):
        return ()
    for uid in (like.st_uid, -1):
        with suppress(PermissionError):
            os.fchown(handle, uid, like.st_gid)
            break
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) == (like.st_uid, like.st_gid):
        return ()
    return ("Its owner or group could not be kept: the file now belongs to the account of this kernel.",)


def _copy_attributes(source: int, target: int) -> None:
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        for name in set(os.listxattr(source)) - _NOT_COPIED:
            with suppress(OSError):  # some belong to the system alone
                os.setxattr(target, name, os.getxattr(source, name))


def _refuse_taken(name: str, dir_fd: int) -> None:
    with suppress(FileNotFoundError):
        os.stat(name, dir_fd=dir_fd, follow_symlinks=False)
        raise FileExistsError(name)


def _sync_folder(dir_fd: int) -> None:
    """Make the name durable; best effort, for not every file system can sync a folder."""
    with suppress(OSError):
        handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=dir_fd)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
