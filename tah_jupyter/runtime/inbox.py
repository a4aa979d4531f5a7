"""Commands come in here, from any thread: a click, a key, a magic, an interrupt. The run reads them on its own loop."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable

from tah_jupyter.core.commands import Command

__all__ = ["Inbox"]


class Inbox:
    """A thread-safe way onto the loop. ``deliver(command)`` is called on the loop, in order of :meth:`send`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, deliver: Callable[[Command], None]) -> None:
        self._loop = loop
        self._deliver = deliver
        self._waiting: deque[Command] = deque()
        self._lock = threading.Lock()

    def send(self, command: Command) -> None:
        """Hand over a command; returns at once. After the loop has closed it does nothing."""
        with self._lock:
            self._waiting.append(command)
        try:
            self._loop.call_soon_threadsafe(self._drain)
        except RuntimeError:  # the loop is closed: nobody is left to tell
            self._waiting.clear()

    def _drain(self) -> None:
        while self._waiting:
            self._deliver(self._waiting.popleft())
