"""What a kernel is taught: to take clicks, and the questions of a page that reloads, while an awaited cell runs.

ipykernel keeps every message for the main shell back until the running cell has ended. From 7.4 on it lets comm
messages pass while a cell is awaited, but not what a reloading page asks; before 7.4 nothing passes, so that a cell
which waits for a click would wait for ever. JupyterLab's subshells get round that from 7.0 on, other front ends do not.

So the stream on which the main thread gets its messages is listened to first. Messages of these few kinds, in a busy
kernel, are handled at once, in the way of 7.4; all others go on to ipykernel as they came.
"""

import asyncio
import inspect
import sys
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Any

from tah_jupyter.jupyter.kernel import Parent, parent_of, with_parent

__all__ = ["answer_while_busy"]

_ASKED_BY_PAGES = frozenset({"comm_info_request", "kernel_info_request"})
_COMMS = frozenset({"comm_open", "comm_msg", "comm_close"})
_COMMS_PASS_SINCE = (7, 4)


def answer_while_busy(kernel: Any) -> Callable[[], None]:
    """Teach ``kernel``, and return what undoes it. Main thread, both. An ipykernel that is built in another way than
    those known is left alone.
    """
    stream = _main_stream(kernel)
    pass_on = getattr(stream, "_recv_callback", None)
    if pass_on is None:
        return lambda: None
    kinds = _ASKED_BY_PAGES if _version() >= _COMMS_PASS_SINCE else _ASKED_BY_PAGES | _COMMS

    def received(message: list[Any]) -> Awaitable[None] | None:
        if _is_busy(kernel) and _kind(kernel, message) in kinds:
            return _answer(kernel, message)
        waiting: Awaitable[None] | None = pass_on(message)
        return waiting

    stream.on_recv(received, copy=False)
    return lambda: stream.on_recv(pass_on, copy=False)


def _version() -> tuple[int, ...]:
    return tuple(int(part) for part in sys.modules["ipykernel"].__version__.split(".")[:2])


def _subshells(kernel: Any) -> Any:
    """The manager of subshells, which ipykernel has from 7.0 on; else None."""
    return getattr(getattr(kernel, "shell_channel_thread", None), "manager", None)


def _main_stream(kernel: Any) -> Any:
    """Where the main thread receives: since 7.0 from the thread that reads the shell channel, else the channel."""
    subshells = _subshells(kernel)
    return kernel.shell_stream if subshells is None else subshells.get_shell_channel_to_subshell_pair(None).to_stream


def _reply_stream(kernel: Any) -> Any:
    """Where the main thread sends its replies."""
    subshells = _subshells(kernel)
    return kernel.shell_stream if subshells is None else subshells.get_subshell_to_shell_channel_socket(None)


def _is_busy(kernel: Any) -> bool:
    """Whether a message is being handled on the main thread. Up to 6.31 one task takes them from a queue."""
    lock = getattr(kernel, "_main_asyncio_lock", None)
    return bool(lock.locked()) if lock is not None else not kernel.msg_queue._getters


def _kind(kernel: Any, message: list[Any]) -> str:
    """The type of a message, read without checking its signature (that may be done only once a message)."""
    try:
        _, frames = kernel.session.feed_identities(message, copy=False)
        header = kernel.session.unpack(getattr(frames[1], "bytes", frames[1]))
        return str(header.get("msg_type", ""))
    except Exception:  # not a message of the protocol; the kernel itself will say so
        return ""


async def _answer(kernel: Any, message: list[Any]) -> None:
    """Handle one message beside the running cell.

    In a context of its own, because there the parent is the one that the kernel at large has: the running cell's, to
    which it must return.
    """
    try:
        ident, frames = kernel.session.feed_identities(message, copy=False)
        request = kernel.session.deserialize(frames, content=True, copy=False)
    except Exception:  # a wrong signature
        kernel.log.exception("Invalid message")
        return
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_handle(kernel, Parent(ident, request)), context=Context())


async def _handle(kernel: Any, request: Parent) -> None:
    """Call the kernel's own handler. A page waits for idle before it goes on, and a widget before it sends its next
    message; busy again then tells that the cell still runs.
    """
    ident, message = request
    cell = parent_of(kernel)
    kernel._publish_status("busy", "shell", parent=message)
    try:
        with with_parent(kernel, request):
            answered = kernel.shell_handlers[message["header"]["msg_type"]](_reply_stream(kernel), ident, message)
            if inspect.isawaitable(answered):  # a coroutine that never waits
                await answered
    except Exception:
        kernel.log.exception("Exception in message handler")
    finally:
        kernel._publish_status("idle", "shell", parent=message)
        kernel._publish_status("busy", "shell", parent=cell.message)
