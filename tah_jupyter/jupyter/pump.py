"""A cell that waits for the agent: it keeps the kernel's loop turning, serves the main thread, and can be interrupted.

Why slices: on SIGINT ipykernel schedules a callback without waking the loop, so a cell that only waits would notice an
interrupt seconds later. The main thread owns display, ``input`` and the user's names; the agent hands such work over
as jobs, which run here between two slices.
"""

import asyncio
import contextlib
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any, TypeVar

from tah_jupyter.jupyter.agent_thread import SETTLE_S, Job

__all__ = ["CellEnded", "Interrupted", "MainThread", "interruptible"]

T = TypeVar("T")

SLICE_S = 0.1
"""Longest time between two looks at jobs and interrupts."""


class CellEnded(Exception):
    """No cell waits any more, so the main thread takes no jobs."""


class Interrupted(Exception):
    """The person interrupted the cell. ``settled`` says whether the work had ended before the cell gave up waiting."""

    def __init__(self, *, settled: bool) -> None:
        super().__init__("interrupted")
        self.settled = settled


class MainThread:
    """The queue of jobs for the thread that runs cells, and the two ways to serve it while waiting."""

    def __init__(self) -> None:
        self._elsewhere: Callable[[Callable[[], None]], None] | None = None
        self._jobs: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._wake: Callable[[], None] = lambda: None
        self._closed = False
        self._lock = threading.Lock()  # a job is queued before the end or refused after it, never lost between

    def call(self, job: Callable[[], T]) -> "Future[T]":
        """Have ``job()`` run on the main thread while the cell waits. Any thread.

        The future gets CellEnded when the cell ends first. When the person interrupts the job it stays open: the
        work that waits for it is cancelled, and must not take the interrupt for an answer.
        """
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                future.set_exception(CellEnded())
                return future
            self._jobs.append((job, future))
            elsewhere = self._elsewhere
        if elsewhere is not None:
            elsewhere(self._serve)
        else:
            self._wake()
        return future

    def hand_over(self, elsewhere: Callable[[Callable[[], None]], None]) -> None:
        """The cell ends and the work goes on: from now on ``elsewhere(job)`` has jobs run on the main thread, whenever
        it is free.
        """
        with self._lock:
            self._elsewhere = elsewhere
        elsewhere(self._serve)

    async def wait_for(self, work: Job[T], released: "Future[None] | None" = None) -> T | None:
        """Wait for ``work`` in the kernel's loop; None when ``released`` is done first. Raises Interrupted after an
        interrupt, else what the work raised.
        """
        loop, event = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with contextlib.suppress(RuntimeError):  # the kernel's loop has ended
                loop.call_soon_threadsafe(event.set)

        self._wake = wake
        for future in (work.future, released):
            if future is not None:
                future.add_done_callback(lambda _: wake())
        try:
            while not work.done:
                await _slice(event)
                self._serve()
                if released is not None and released.done():
                    return None
            self._serve()
        except (asyncio.CancelledError, KeyboardInterrupt):
            raise Interrupted(settled=await self._give_up(work, event)) from None
        return work.result()

    async def _give_up(self, work: Job[Any], event: asyncio.Event) -> bool:
        """Cancel the work and wait until it has settled, still serving it. A further interrupt changes nothing."""
        task = asyncio.current_task()
        if task is not None:
            task.uncancel()
        work.cancel()
        limit = time.monotonic() + SETTLE_S
        while not work.done and time.monotonic() < limit:
            with contextlib.suppress(KeyboardInterrupt):
                await _slice(event)
                self._serve()
        self._serve()
        return work.done

    def block_for(self, work: Job[T]) -> T:
        """The same without a loop, for terminal IPython: Ctrl-C arrives between two slices."""
        try:
            while not work.done:
                self._block_slice(work)
            self._serve()
        except KeyboardInterrupt:
            work.cancel()
            limit = time.monotonic() + SETTLE_S
            while not work.done and time.monotonic() < limit:
                with contextlib.suppress(KeyboardInterrupt):
                    self._block_slice(work)
            self._serve()
            raise Interrupted(settled=work.done) from None
        return work.result()

    def _block_slice(self, work: Job[Any]) -> None:
        wake = threading.Event()
        self._wake = wake.set
        work.future.add_done_callback(lambda _: wake.set())
        if not self._jobs:
            wake.wait(SLICE_S)
        self._serve()

    def close(self) -> None:
        """No cell waits any more: what is still queued gets CellEnded."""
        with self._lock:
            self._closed = True
            waiting = tuple(self._jobs)
            self._jobs.clear()
        for _, future in waiting:
            if future.set_running_or_notify_cancel():
                future.set_exception(CellEnded())

    def _serve(self) -> None:
        while self._jobs:
            job, future = self._jobs.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = job()
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)


async def _slice(event: asyncio.Event) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(SLICE_S):
            await event.wait()
    event.clear()


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Give SIGINT its usual meaning for a blocking job on the main thread: in an awaited cell ipykernel only cancels
    the cell's task, which a blocked thread never notices.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
