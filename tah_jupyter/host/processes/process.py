"""The one place that starts processes.

    async with start(["pytest", "-q"], cwd=folder, env=environment(), output=capture) as child:
        with anyio.move_on_after(30) as limit:
            await child.wait()
        ending = await child.end_tree() if limit.cancelled_caught else await child.end_leftovers()

Leaving the block in any way, by an exception or a cancellation too, ends what still runs, so nothing is left behind.
There is no shell: the program gets its arguments as they are. It leads its own session and process group, and its
standard input is empty.
"""

import atexit
import errno
import os
import subprocess
import threading
import time
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from signal import SIGKILL
from typing import TypeVar

import anyio
import psutil

from tah_jupyter.host.processes.drain import Drain, Enough, Flag, Sink
from tah_jupyter.host.processes.guard import Guard
from tah_jupyter.host.processes.tree import MARK, TERM_GRACE_S, Ending, Tree

__all__ = ["CANCEL_GRACE_S", "Enough", "Process", "Sink", "kill_all", "start"]

T = TypeVar("T")

CANCEL_GRACE_S = 0.3
"""How long a process may take to end after TERM when its call was cancelled (seconds)."""

_DRAIN_S = 0.3  # a process that left the group may hold the pipe for ever
_REAP_S = 0.5

_running: set["Process"] = set()


@asynccontextmanager
async def start(
    argv: Sequence[str],
    *,
    cwd: str | os.PathLike[str],
    env: Mapping[str, str],
    output: Sink,
    errors: Sink | None = None,
    program: str | None = None,
    guarded: bool = True,
) -> AsyncIterator["Process"]:
    """Start ``argv`` in the folder ``cwd`` with exactly the environment ``env``.

    ``output`` gets what it prints, ``errors`` what it prints on standard error (default: both go to ``output``, in
    order); when the block is left they have all of it. ``program`` is the file to run where that is not ``argv[0]``
    looked up on the PATH of ``env``. ``guarded``: it also dies when this process is killed, at the cost of one more
    small process. Raises OSError when it cannot be started.
    """
    # No await between the fork and the `try`: a cancellation cannot slip in and leave an orphan (cpython#103847).
    child = Process(argv, cwd=cwd, env=env, output=output, errors=errors, program=program, guarded=guarded)
    try:
        await child._read_start_time()
        yield child
    finally:
        await child._settle()


def kill_all() -> None:
    """KILL every command of this process and all they started, at once; also done when the interpreter exits."""
    for child in tuple(_running):
        child.kill()


class Process:
    """A running command. Made by :func:`start` only."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: str | os.PathLike[str],
        env: Mapping[str, str],
        output: Sink,
        errors: Sink | None,
        program: str | None,
        guarded: bool,
    ) -> None:
        mark = uuid.uuid4().hex
        self._guard = Guard() if guarded else None
        try:
            self._popen = subprocess.Popen(
                list(argv),
                executable=program,
                cwd=cwd,
                env={**env, MARK: mark},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if errors is None else subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except BaseException:
            if self._guard is not None:
                self._guard.close()
            raise
        self.tree = Tree(self._popen.pid, time.time(), mark)
        self.exit_code: int | None = None
        self._reaping = threading.Lock()
        self._reaped = False
        self._exited = Flag()
        self._released = Flag()
        pipes = [(self._popen.stdout, output), (self._popen.stderr, errors)]
        self._pipes = [(pipe, sink) for pipe, sink in pipes if pipe is not None and sink is not None]
        self._waiter = threading.Thread(target=self._await_exit, name=f"tah-wait-{self.pid}", daemon=True)
        try:
            self._attend()
        except BaseException as error:
            self._give_up()
            if isinstance(error, RuntimeError):  # what Python says when the system has no thread left
                raise BlockingIOError(errno.EAGAIN, str(error)) from error
            raise
        _running.add(self)

    def _attend(self) -> None:
        """Begin to watch it, to wait for it and to read what it prints."""
        if self._guard is not None:
            self._guard.watch(self.pid)
        self._waiter.start()
        self._drain = Drain(self._pipes, name=f"tah-read-{self.pid}", on_refusal=self._kill_group)

    def _give_up(self) -> None:
        """End it at once: nobody can attend to it."""
        self._kill_group()
        self._popen.wait()
        for pipe, _ in self._pipes:
            pipe.close()
        if self._guard is not None:
            self._guard.close()

    @property
    def pid(self) -> int:
        """Its number, which is also that of its process group."""
        return self.tree.pid

    @property
    def created(self) -> float:
        """Its start time in seconds since the epoch, as the system reports it."""
        return self.tree.created

    async def wait(self) -> int | None:
        """Wait until it ends; returns its exit code: negative for a signal, None when the system does not tell.

        Raises what a sink raised. The last of the output may still arrive until the block of :func:`start` is left.
        """
        await self._exited.wait()
        if self._drain.failure is not None:
            raise self._drain.failure
        return self.exit_code

    async def end_tree(self, grace_s: float = TERM_GRACE_S) -> Ending:
        """End it and all it started, also what left its group: TERM, then KILL after ``grace_s`` seconds."""
        return await _in_thread(lambda: self.tree.end(grace_s))

    async def end_leftovers(self, grace_s: float = TERM_GRACE_S) -> Ending:
        """After it ended by itself: end what it left running in its group, and name what runs on outside of it."""
        return await _in_thread(lambda: self.tree.end(grace_s, spare_escaped=True))

    def kill(self) -> None:
        """KILL it and all it started, at once, from any thread. Blocking for some milliseconds."""
        self._kill_group()
        self.tree.signal(SIGKILL)

    def _kill_group(self) -> None:
        with self._reaping:
            if not self._reaped:  # until then its number cannot be anybody else's
                self.tree.signal_group(SIGKILL)

    async def _read_start_time(self) -> None:
        with suppress(psutil.Error):  # it may have ended already
            created = await _in_thread(lambda: psutil.Process(self.pid).create_time())
            self.tree = Tree(self.pid, created, self.tree.mark)

    def _await_exit(self) -> None:
        self.exit_code = _exit_code(self._popen)
        self._exited.set()

    async def _settle(self) -> None:
        """End what runs, take in the last output, reap. A second cancellation only cuts the waiting short."""
        try:
            with anyio.CancelScope(shield=True):
                if not self._exited.is_set:
                    await self.end_tree(CANCEL_GRACE_S)
                with anyio.move_on_after(_DRAIN_S):
                    await self._drain.done.wait()
        except BaseException:
            self._kill_group()
            raise
        finally:
            threading.Thread(target=self._release, name=f"tah-reap-{self.pid}", daemon=True).start()
            with anyio.move_on_after(_REAP_S, shield=True):  # one that cannot be killed is left to its thread
                await self._released.wait()

    def _release(self) -> None:
        """Reap it, end what it left in its group where nobody has yet, close the pipes, let the guard go."""
        self._waiter.join()
        with self._reaping:
            self._popen.wait()
            self._reaped = True
        if self._group_exists():
            self.tree.end(CANCEL_GRACE_S, spare_escaped=True)
        self._drain.stop()
        if self._guard is not None:
            self._guard.close()
        _running.discard(self)
        self._released.set()

    def _group_exists(self) -> bool:
        try:
            os.killpg(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:  # it does, and is another user's
            return True
        return True


def _exit_code(popen: "subprocess.Popen[bytes]") -> int | None:
    """Wait for the end without reaping, so that the number stays taken while the rest of the group is looked for."""
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        return popen.wait()
    try:
        end = os.waitid(os.P_PID, popen.pid, os.WEXITED | os.WNOWAIT)
    except ChildProcessError:  # other code of this process reaped it, or told the system not to keep exit codes
        return None
    assert end is not None
    return end.si_status if end.si_code == os.CLD_EXITED else -end.si_status


async def _in_thread(work: Callable[[], T]) -> T:
    """Run blocking ``work`` in a thread of its own right: ending a tree must not queue behind other work."""
    return await anyio.to_thread.run_sync(work, limiter=anyio.CapacityLimiter(1))


def _forget_all() -> None:
    """After a fork the commands, and the pipes their guards watch, are the parent's alone."""
    for child in tuple(_running):
        if child._guard is not None:
            child._guard.forget()
    _running.clear()


os.register_at_fork(after_in_child=_forget_all)
atexit.register(kill_all)
