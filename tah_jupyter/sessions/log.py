"""The session log: one file, one line a record, appended by one writer. It is the truth (law 1).

A record is written together with its newline by a single ``os.write``, so a crash can cut the last line but never mix
two; what it cut is moved aside when the log is next opened. This is the only place that writes to a log.
"""

import os
import threading
import weakref
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from tah_jupyter.core.errors import LogError
from tah_jupyter.sessions.lease import Lease
from tah_jupyter.sessions.reading import HEADER, Problem, Reading, check_header, is_record, parse_log
from tah_jupyter.sessions.syncing import Syncer

__all__ = ["SessionLog"]

_open_logs: "weakref.WeakSet[SessionLog]" = weakref.WeakSet()


class SessionLog:
    """A log that is open for writing. :meth:`append` may be called from any thread, best from the loop's."""

    def __init__(self, path: Path, fd: int, lease: Lease, repaired: Problem | None) -> None:
        self.path = path
        self.repaired = repaired
        self._fd = fd
        self._lease = lease
        self._size = os.fstat(fd).st_size
        self._lock = threading.Lock()
        self._torn = False
        self._syncer = Syncer(fd)
        _open_logs.add(self)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> "SessionLog":
        """Take the writer's lease of the log at ``path``, make the file when there is none, repair a torn last line.

        Blocks for as long as the disk does; call it in a thread. The folder must exist. :attr:`repaired` says what was
        repaired. Raises LogError when another writer holds the lease (it names it), when the file is not a log or of
        a newer format, and when the disk refuses.
        """
        path = Path(path)
        try:
            lease = Lease.take(path.with_suffix(".lease"))
        except OSError as error:
            raise _unusable(path, error) from error
        try:
            fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                return cls(path, fd, lease, _make_ready(fd, path))
            except BaseException:
                os.close(fd)
                raise
        except OSError as error:
            lease.release()
            raise _unusable(path, error) from error
        except BaseException:
            lease.release()
            raise

    def append(self, record: bytes) -> None:
        """Append one record, the JSON of one event without newline, in one write.

        Raises LogError when it cannot be written whole; the file is then as it was before, and the next append
        works again as soon as the disk does.
        """
        line = record + b"\n"
        self._check_open()
        with self._lock:
            if self._torn:
                self._roll_back()
            try:
                written = os.write(self._fd, line)
            except OSError as error:
                self._fail(error)
            if written != len(line):
                self._fail(None)
            self._size += written

    def read(self) -> Reading:
        """All events so far and what could not be read. Blocks; call it in a thread when the log may be long."""
        self._check_open()
        with self._lock:
            size = os.fstat(self._fd).st_size
        return parse_log(_read_at(self._fd, 0, size), self.path)

    async def sync(self) -> None:
        """Wait until everything appended so far is on the disk. Raises LogError when the disk refuses."""
        self._check_open()
        try:
            await self._syncer.sync()
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def sync_soon(self) -> None:
        """Have it brought to the disk without waiting; an error comes with the next :meth:`sync`."""
        self._check_open()
        self._syncer.sync_soon()

    def close(self) -> None:
        """Let go of file and lease; waits up to 2 s for a sync that is under way. A second time it does nothing."""
        _open_logs.discard(self)
        if self._fd < 0:
            return
        self._syncer.close()
        with self._lock:
            os.close(self._fd)
            self._fd = -1
        self._lease.release()

    def _check_open(self) -> None:
        if self._fd < 0:
            raise LogError(f"The session log {self.path} is closed in this process.")

    def _fail(self, error: OSError | None) -> NoReturn:
        """Take a record that is not whole back out of the file, and say why it is not there."""
        self._torn = True
        with suppress(OSError):  # else it is tried again before the next record
            self._roll_back()
        raise _unwritable(self.path, error) from error

    def _roll_back(self) -> None:
        size = os.fstat(self._fd).st_size
        rest = _read_at(self._fd, self._size, size - self._size)
        # whole lines there were written although an interrupt kept us from counting them
        self._size += rest.rfind(b"\n") + 1
        if self._size < size:
            os.ftruncate(self._fd, self._size)
        self._torn = False

    def _abandon(self) -> None:
        """After a fork the child lets go; the log stays the parent's."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)
            self._syncer.abandon()
            self._lease.abandon()


def _abandon_all() -> None:
    for log in list(_open_logs):
        log._abandon()


os.register_at_fork(after_in_child=_abandon_all)


def _make_ready(fd: int, path: Path) -> Problem | None:
    """Check line 1, write it when there is none, and end the file at the end of a record."""
    size = os.fstat(fd).st_size
    last = _last_newline(fd, size) + 1
    if last:
        check_header(_read_at(fd, 0, min(size, 4096)), path)
    problem = _repair(fd, path, last, size) if last < size else None
    if not last and os.fstat(fd).st_size == 0 and os.write(fd, HEADER) != len(HEADER):
        os.ftruncate(fd, 0)
        raise _unwritable(path, None)
    return problem


def _repair(fd: int, path: Path, last: int, size: int) -> Problem:
    """Move the bytes behind the last newline into a file beside the log; a record that lacks nothing but its newline
    gets it.
    """
    torn = _read_at(fd, last, size - last)
    number = _count_lines(fd, last) + 1
    if is_record(torn) and os.write(fd, b"\n") == 1:
        return Problem("torn", number, f"Line {number} was complete but for its end, which was added.")
    aside = _keep(torn, path)
    os.ftruncate(fd, last)
    return Problem("torn", number, f"Line {number} was cut off; its {len(torn)} bytes were moved to {aside.name}.")


def _keep(torn: bytes, path: Path) -> Path:
    for number in range(1, 10_000):
        aside = path.with_name(f"{path.stem}.torn-{number}")
        try:
            with open(aside, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
                file.write(torn)
                file.flush()
                os.fsync(file.fileno())
        except FileExistsError:
            continue
        return aside
    raise LogError(f"Too many torn parts of {path} are kept.", next_step=f"Delete the {path.stem}.torn files.")


def _last_newline(fd: int, size: int, step: int = 65_536) -> int:
    """Where the last newline is, or -1."""
    end = size
    while end > 0:
        start = max(0, end - step)
        if (found := _read_at(fd, start, end - start).rfind(b"\n")) >= 0:
            return start + found
        end = start
    return -1


def _count_lines(fd: int, size: int, step: int = 1 << 20) -> int:
    return sum(_read_at(fd, start, min(step, size - start)).count(b"\n") for start in range(0, size, step))


def _read_at(fd: int, start: int, length: int) -> bytes:
    parts = []
    while length > 0 and (part := os.pread(fd, length, start)):
        parts.append(part)
        start, length = start + len(part), length - len(part)
    return b"".join(parts)


def _unusable(path: Path, error: OSError) -> LogError:
    return LogError(
        f"The session log {path} cannot be opened ({error.strerror}).",
        next_step="Make its folder writable, or free space on its disk.",
    )


def _unwritable(path: Path, error: OSError | None) -> LogError:
    return LogError(
        f"The session log {path} cannot be written ({error.strerror if error else 'the disk is full'}).",
        next_step="Free space on its disk; what was logged before is whole.",
    )
