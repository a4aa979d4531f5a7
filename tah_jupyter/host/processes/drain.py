"""Reading what a process prints, in a thread of its own, so that a flood never reaches the loop."""

import asyncio
import os
import selectors
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import IO

__all__ = ["Drain", "Enough", "Flag", "Sink"]

Sink = Callable[[bytes], object]
"""Takes the next piece of output (1 to 65,536 bytes), in a thread. It may raise :class:`Enough`."""

_CHUNK = 65_536


class Enough(Exception):
    """Raised by a sink that needs no more output: the command is killed, which is no error."""


class Flag:
    """Set once from any thread, awaited on the loop that made it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()
        self._is_set = False

    @property
    def is_set(self) -> bool:
        """Whether it is set; true at once in every thread."""
        return self._is_set

    def set(self) -> None:
        """Set it, from any thread."""
        self._is_set = True
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self) -> None:
        """Wait until it is set."""
        await self._event.wait()


class Drain:
    """Gives what comes out of the pipes to their sinks, until every writer is gone or :meth:`stop` is called.

    A sink that raises gets no more; the rest is read and dropped, so that no writer waits on a full pipe, and
    ``on_refusal()`` is called once. :attr:`failure` is what it raised, unless that was :class:`Enough`.
    """

    def __init__(self, pipes: Sequence[tuple[IO[bytes], Sink]], *, name: str, on_refusal: Callable[[], None]) -> None:
        self.failure: Exception | None = None
        self.done = Flag()
        self._pipes = pipes
        self._on_refusal = on_refusal
        self._refused = False
        self._wake_read, self._wake_write = os.pipe()
        self._thread = threading.Thread(target=self._read_all, name=name, daemon=True)
        try:
            self._thread.start()
        except BaseException:
            os.close(self._wake_read)
            os.close(self._wake_write)
            raise

    def stop(self) -> None:
        """End the reading, wait for the thread, close the pipes. Blocking, and short unless a sink blocks."""
        os.close(self._wake_write)
        self._thread.join()
        os.close(self._wake_read)
        for pipe, _ in self._pipes:
            pipe.close()

    def _read_all(self) -> None:
        with selectors.DefaultSelector() as ready:
            ready.register(self._wake_read, selectors.EVENT_READ)
            for pipe, sink in self._pipes:
                ready.register(pipe, selectors.EVENT_READ, sink)
            while len(ready.get_map()) > 1:
                for key, _ in ready.select():
                    if key.fd == self._wake_read:
                        return
                    chunk = os.read(key.fd, _CHUNK)
                    if not chunk:
                        ready.unregister(key.fileobj)
                    elif not self._refused:
                        self._give(key.data, chunk)
        self.done.set()

    def _give(self, sink: Sink, chunk: bytes) -> None:
        try:
            sink(chunk)
        except Exception as error:
            self.failure = None if isinstance(error, Enough) else error
            self._refused = True
            self._on_refusal()
