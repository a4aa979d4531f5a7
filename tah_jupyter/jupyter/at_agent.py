"""A command of ``%tah`` that needs the agent's thread: for the network, or for what would block the kernel."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.pump import CellEnded, Interrupted, MainThread
from tah_jupyter.jupyter.secret import read_secret

__all__ = ["at_agent", "secret_on"]

T = TypeVar("T")


def at_agent(loaded: Loaded, work: Callable[[MainThread], Awaitable[T]]) -> T:
    """Run ``await work(main)`` on the agent's thread and wait for it, serving the jobs it has for the main thread.
    Raises what the work raised, KeyboardInterrupt when the person interrupted it.
    """
    main = MainThread()
    try:
        return main.block_for(loaded.agent.submit(lambda _: work(main)))
    except Interrupted:
        raise KeyboardInterrupt from None
    finally:
        main.close()


def secret_on(main: MainThread) -> Callable[[str], Awaitable[str | None]]:
    """Typing a secret on the main thread, for work on the agent's."""

    async def secret(prompt: str) -> str | None:
        try:
            return await asyncio.wrap_future(main.call(partial(read_secret, prompt)))
        except CellEnded:
            return None

    return secret
