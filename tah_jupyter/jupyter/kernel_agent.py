"""The agent of one kernel: its thread, started at first use, its conversation, and what it answered last."""

import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from tah_jupyter.jupyter.agent_thread import AgentThread, Job
    from tah_jupyter.jupyter.conversation import Conversation
    from tah_jupyter.jupyter.loaded import Loaded

__all__ = ["KernelAgent"]

T = TypeVar("T")


class KernelAgent:
    """Made at load, when it costs nothing; the thread starts with the first :meth:`submit`."""

    def __init__(self, loaded: "Loaded") -> None:
        self._loaded = loaded
        self.last: Any = None
        self._thread: AgentThread | None = None
        self._conversation: Conversation | None = None
        self._lingering: list[Callable[[], None]] = []

    @property
    def conversation(self) -> "Conversation | None":
        """The conversation, once there was a request."""
        return self._conversation

    def submit(self, work: "Callable[[Conversation], Awaitable[T]]") -> "Job[T]":
        """Run ``await work(conversation)`` on the agent's thread, which also imports what is heavy."""
        thread = self._living_thread()

        async def begin() -> T:
            from tah_jupyter.jupyter.conversation import Conversation  # noqa: PLC0415 - heavy: here, not at load

            if self._conversation is None:
                self._conversation = Conversation(thread, self._loaded)
            return await work(self._conversation)

        return thread.submit(begin)

    def linger(self, end: Callable[[], None]) -> None:
        """Call ``end()`` on the main thread at the next request, or when everything is taken back."""
        self._lingering.append(end)

    def end_lingering(self) -> None:
        """Call what :meth:`linger` was given."""
        while self._lingering:
            self._lingering.pop()()

    def close(self) -> None:
        """End runs, close the session, leave the thread. Blocks up to about 4 s."""
        self.end_lingering()
        if self._thread is not None:
            self._thread.close()
        self._thread = self._conversation = None

    def _living_thread(self) -> "AgentThread":
        """The thread; a forked child starts its own, because threads do not survive a fork."""
        if self._thread is not None and self._thread.pid != os.getpid():
            self._thread = self._conversation = None
        if self._thread is None:
            from tah_jupyter.jupyter.agent_thread import AgentThread  # noqa: PLC0415 - not at load

            self._thread = AgentThread()
        return self._thread
