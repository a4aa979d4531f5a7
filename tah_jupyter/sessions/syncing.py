"""fsync away from the loop: 30 ms on a network home (measured) is too long for whoever waits in the same thread."""

import asyncio
import os
import threading
from concurrent.futures import Future

__all__ = ["Syncer"]

SHARE_S = 0.1
"""How long those who do not wait share one round: turns of a fast model follow one another in milliseconds."""


class Syncer:
    """One daemon thread, started at first use, that brings one file to the disk; wishes made meanwhile share a round.

    It works on a descriptor of its own, so that a disk that hangs cannot keep the log from closing.
    """

    def __init__(self, fd: int) -> None:
        self._fd = os.dup(fd)
        self._wake = threading.Condition()
        self._waiting: list[Future[None]] = []
        self._wanted = False
        self._closing = False
        self._error: OSError | None = None
        self._thread: threading.Thread | None = None

    async def sync(self) -> None:
        """Wait for a round that begins after this call. Raises OSError when it, or an unwatched one before, failed."""
        mine: Future[None] = Future()
        self._ask(mine)
        await asyncio.wrap_future(mine)

    def sync_soon(self) -> None:
        """Ask for a round within :data:`SHARE_S` seconds, and go on."""
        if not self._wanted:
            self._ask(None)

    def close(self, timeout_s: float = 2.0) -> None:
        """Finish what was asked for, at most ``timeout_s`` seconds, and end the thread."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        if self._thread is None:
            os.close(self._fd)
        else:
            self._thread.join(timeout_s)

    def abandon(self) -> None:
        """After a fork: there is no thread here, and its locks may be held for ever."""
        os.close(self._fd)

    def _ask(self, waiter: "Future[None] | None") -> None:
        with self._wake:
            self._wanted = True
            if waiter is not None:
                self._waiting.append(waiter)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="tah-log-sync", daemon=True)
                self._thread.start()
            self._wake.notify()

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._wanted or self._closing)
                self._wake.wait_for(lambda: self._waiting or self._closing, timeout=SHARE_S)
                if not self._wanted:
                    break
                self._wanted = False
                waiting, self._waiting = self._waiting, []
            self._round(waiting)
        os.close(self._fd)

    def _round(self, waiting: "list[Future[None]]") -> None:
        error: OSError | None = None
        try:
            os.fsync(self._fd)
        except OSError as failed:
            error = failed
        error, self._error = error or self._error, None
        if not waiting:
            self._error = error
        for waiter in waiting:
            if not waiter.set_running_or_notify_cancel():
                continue
            if error is None:
                waiter.set_result(None)
            else:
                waiter.set_exception(error)
