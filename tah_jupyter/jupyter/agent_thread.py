"""The agent's own thread: one daemon thread with its own event loop, started at first use.

Two kinds of work live on it. A *job* is a run or a question; it ends by itself or is cancelled. A *keeper* holds
something open that jobs stand on (a session, its log); it is closed after them. Shutting down keeps that order:
refuse new work, cancel jobs and give them 2 s, close keepers, leave the loop.

Only the standard library is imported here: everything heavy is imported by the work itself, on this thread.
"""

import asyncio
import atexit
import concurrent.futures.thread  # noqa: F401 - it registers its own end at import, which must come after ours
import os
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError, Future
from typing import Any, Generic, TypeVar

from tah_jupyter.core.errors import TahError

__all__ = ["AgentThread", "Job"]

T = TypeVar("T")

SETTLE_S = 2.0
"""How long cancelled work may take to end by itself (architecture, section 6)."""


class Job(Generic[T]):
    """Work on the agent's thread, as other threads see it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.future: Future[T] = Future()
        self.future.set_running_or_notify_cancel()  # who awaits it may stop waiting, but cannot end the work by that
        self._loop = loop
        self._task: asyncio.Task[None] | None = None
        self._cancelled = False

    @property
    def done(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.future.done()

    def cancel(self) -> None:
        """Ask it to end; it is :attr:`done` only when its clean-up is. Any thread."""
        try:
            self._loop.call_soon_threadsafe(self._cancel)
        except RuntimeError:  # the loop is closed, and everything on it has ended
            return

    def result(self, timeout_s: float | None = None) -> T:
        """Wait for the result. Raises what the work raised, ``concurrent.futures.CancelledError`` when it was
        cancelled, TimeoutError when it is not done in time.
        """
        return self.future.result(timeout_s)

    def _cancel(self) -> None:
        self._cancelled = True
        if self._task is not None:
            self._task.cancel()

    def _begin(self, task: "asyncio.Task[None]") -> None:
        self._task = task
        if self._cancelled:
            task.cancel()


class AgentThread:
    """Starts the thread and its loop; :meth:`close` ends both within about 4 s, also when the loop is stuck."""

    def __init__(self) -> None:
        self._jobs: set[asyncio.Task[None]] = set()
        self._keepers: set[asyncio.Task[None]] = set()
        self._ready = threading.Event()
        self._closing = False
        self.pid = os.getpid()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), name="tah-agent", daemon=True)
        self._thread.start()
        self._ready.wait()
        _close_at_exit(self)

    @property
    def alive(self) -> bool:
        """Whether work can be handed over: not after :meth:`close`, and not in a forked child."""
        return not self._closing and self.pid == os.getpid() and self._thread.is_alive()

    def submit(self, work: Callable[[], Awaitable[T]]) -> Job[T]:
        """Run ``await work()`` as a job. Any thread. Raises TahError when the thread has ended."""
        return self._start(work, self._jobs)

    def keep(self, work: Callable[[], Awaitable[T]]) -> Job[T]:
        """Run ``await work()`` as a keeper: cancelled only after all jobs have ended."""
        return self._start(work, self._keepers)

    def close(self) -> None:
        """End all work and the thread. Blocks up to about 4 s; called twice it does nothing."""
        if self._closing or self.pid != os.getpid():
            self._closing = True
            return
        self._closing = True
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(2 * SETTLE_S)

    def _start(self, work: Callable[[], Awaitable[T]], kind: "set[asyncio.Task[None]]") -> Job[T]:
        if not self.alive:
            raise TahError("The agent's thread has ended.", next_step="Restart the kernel, or %reload_ext tah_jupyter.")
        job: Job[T] = Job(self._loop)
        self._loop.call_soon_threadsafe(self._spawn, _settle(work, job.future), kind, job)
        return job

    def _spawn(self, body: "Coroutine[Any, Any, None]", kind: "set[asyncio.Task[None]]", job: Job[Any]) -> None:
        if self._stop.is_set():
            body.close()
            job.future.set_exception(CancelledError())
            return
        task = self._tasks.create_task(body)
        kind.add(task)
        task.add_done_callback(kind.discard)
        task.add_done_callback(lambda _: _settle_unstarted(job))
        job._begin(task)

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        async with asyncio.TaskGroup() as self._tasks:
            self._ready.set()
            await self._stop.wait()
            for kind in (self._jobs, self._keepers):
                ending = tuple(kind)
                for task in ending:
                    task.cancel()
                if ending:
                    await asyncio.wait(ending, timeout=SETTLE_S)


async def _settle(work: Callable[[], Awaitable[T]], future: "Future[T]") -> None:
    """Run ``work`` and put its end into ``future``: the one place where work on the thread may fail."""
    try:
        result = await work()
    except asyncio.CancelledError:
        future.set_exception(CancelledError())
        raise
    except BaseException as error:
        future.set_exception(error)
        if not isinstance(error, Exception):
            raise
    else:
        future.set_result(result)


def _settle_unstarted(job: Job[Any]) -> None:
    """A task that was cancelled before its first step never ran :func:`_settle`."""
    if not job.future.done():
        job.future.set_exception(CancelledError())


def _close_at_exit(thread: AgentThread) -> None:
    """Close before the interpreter ends its worker threads: at :mod:`atexit` it is too late to write the log from one.

    ``threading._register_atexit`` is what ``concurrent.futures`` itself uses; without it ``atexit`` has to do.
    """
    known = weakref.ref(thread)

    def close() -> None:
        living = known()
        if living is not None:
            living.close()

    getattr(threading, "_register_atexit", atexit.register)(close)
