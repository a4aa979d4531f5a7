"""Interrupts that come when a cell has ended, but its end is not told yet.

Before ipykernel sends a cell's reply it flushes what was printed and sleeps half a millisecond. While another thread
works, the agent's, that takes several, and an interrupt just then (Stop, and the square button behind it) ends the
sending: the page shows the cell as running for ever. An idle kernel ignores interrupts; so does this one from the end
of a request on.
"""

import signal
import threading
from collections.abc import Callable
from types import FrameType

__all__ = ["ignore_after_end"]


def ignore_after_end() -> Callable[[], None]:
    """Call it before a cell begins, and what it returns at its end. ipykernel sets the handler of SIGINT before each
    message and takes it back after it, so this holds for the one cell; where another handler is set it does nothing.
    """
    if threading.current_thread() is not threading.main_thread():  # the cell of a subshell
        return lambda: None
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return lambda: None
    ended = threading.Event()

    def interrupted(number: int, frame: FrameType | None) -> None:
        if not ended.is_set():
            signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, interrupted)
    return ended.set
