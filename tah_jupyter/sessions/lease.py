"""The writer's lease: who holds it may append to a session's log, until it closes it or its process ends.

``flock`` on a file beside the log where it works: the system lets go of it when the process dies, however it dies.
Where it does not (some network homes) the file itself is the lease, and names pid, start time and host of its holder.
"""

import errno
import fcntl
import os
import secrets
import socket
from contextlib import suppress
from pathlib import Path

import msgspec
import psutil

from tah_jupyter.core.errors import LogError

__all__ = ["Holder", "Lease"]

_NO_FLOCK = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS}


class Holder(msgspec.Struct, frozen=True):
    """A process; ``created`` is its start time in seconds since the epoch, as psutil reports it."""

    pid: int
    created: float
    host: str

    @classmethod
    def me(cls) -> "Holder":
        """This process."""
        return cls(os.getpid(), psutil.Process().create_time(), socket.gethostname())

    def may_live(self) -> bool:
        """False only when it certainly has ended: a process of this host whose pid is free or was given on."""
        if self.host != socket.gethostname():
            return True
        try:
            return abs(psutil.Process(self.pid).create_time() - self.created) < 1.0
        except psutil.Error:
            return False


class Lease:
    """Held from :meth:`take` to :meth:`release`."""

    def __init__(self, path: Path, fd: int, *, locked: bool) -> None:
        self._path = path
        self._fd = fd
        self._locked = locked

    @classmethod
    def take(cls, path: Path) -> "Lease":
        """Take the lease at ``path``. Raises LogError naming who holds it."""
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _read(path)
            os.close(fd)
            raise _held(path, holder) from None
        except OSError as error:
            os.close(fd)
            if error.errno not in _NO_FLOCK:
                raise
            held = path.with_name(f"{path.name}.held")
            return cls(held, _take_file(held), locked=False)
        os.ftruncate(fd, 0)
        os.pwrite(fd, msgspec.json.encode(Holder.me()), 0)
        return cls(path, fd, locked=True)

    def release(self) -> None:
        """Let go; a second time it does nothing."""
        if self._fd < 0:
            return
        if not self._locked:
            self._path.unlink(missing_ok=True)
        # with flock the file stays: to delete it would let two writers lock two files of one name
        self.abandon()

    def abandon(self) -> None:
        """Close the file and leave the lease to the process that shares it (after a fork)."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _take_file(path: Path) -> int:
    """Put a file with our name at ``path``; one that its dead holder left is moved away first."""
    mine = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    fd = os.open(mine, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.pwrite(fd, msgspec.json.encode(Holder.me()), 0)
        for _ in range(3):
            with suppress(FileExistsError):
                os.link(mine, path)  # never half written, and never over another's
                return fd
            holder = _read(path)
            if holder is not None and holder.may_live():
                raise _held(path, holder)
            _move_away(path, holder)
        raise _held(path, _read(path))
    except BaseException:
        os.close(fd)
        raise
    finally:
        mine.unlink(missing_ok=True)


def _move_away(path: Path, stale: Holder | None) -> None:
    """Remove the lease of ``stale``, and put it back when it turns out to be another's by now."""
    aside = path.with_name(f"{path.name}.stale-{secrets.token_hex(4)}")
    try:
        os.rename(path, aside)
    except FileNotFoundError:
        return
    if _read(aside) != stale:
        with suppress(FileExistsError):
            os.link(aside, path)
    aside.unlink(missing_ok=True)


def _read(path: Path) -> Holder | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Holder)
    except (OSError, msgspec.DecodeError):
        return None


def _held(path: Path, holder: Holder | None) -> LogError:
    who = "another process"
    if holder is not None:
        here = holder.host == socket.gethostname()
        who = f"process {holder.pid}" if here else f"process {holder.pid} on {holder.host}"
        if here and holder.pid == os.getpid():
            who = f"this process ({holder.pid})"
    return LogError(
        f"The session in {path.parent} is in use by {who}.",
        next_step=f"End it there, or start a new session. If that process is gone, delete {path}.",
    )
