"""Facts about the kernel this shell runs in, and the one thing it is taught: to answer a reloading page while a cell
runs.

Everything here is guarded by features and version, because ipykernel's inside is not an interface.
"""

import asyncio
import os
import sys
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path
from typing import Any

__all__ = ["allows_stdin", "answer_pages_while_busy", "notebook_path"]

_ANSWERED = ("comm_info_request", "kernel_info_request")


def allows_stdin(shell: Any) -> bool:
    """Whether the front end that sent the running cell can answer ``input()``. Main thread, while the cell runs."""
    parent = shell.kernel.get_parent()
    return bool(parent.get("content", {}).get("allow_stdin", False))


def notebook_path(shell: Any) -> str:
    """The notebook of this kernel, as the front end tells it: a path, or empty.

    VS Code puts ``__vsc_ipynb_file__`` into the user's names; Jupyter Server sets ``JPY_SESSION_NAME``.
    """
    told = shell.user_ns.get("__vsc_ipynb_file__")
    path = told if isinstance(told, str) and told else os.environ.get("JPY_SESSION_NAME", "")
    return str(Path(path)) if path else ""


def answer_pages_while_busy(kernel: Any) -> Callable[[], None]:
    """Answer ``comm_info`` and ``kernel_info`` while an awaited cell holds the main shell; returns what undoes it.

    A page that reloads asks both before it draws widgets; ipykernel 7.4 answers only when the cell has ended. Older
    kernels, and those without subshells, are left alone.
    """
    manager = getattr(getattr(kernel, "shell_channel_thread", None), "manager", None)
    lock = getattr(kernel, "_main_asyncio_lock", None)
    if manager is None or lock is None or not hasattr(manager, "set_on_recv_callback") or _version() < (7, 4):
        return lambda: None

    async def shell_main(subshell_id: str | None, message: list[Any]) -> None:
        if subshell_id is None and lock.locked() and _message_type(kernel, message) in _ANSWERED:
            await _answer(kernel, message)
        else:
            await kernel.shell_main(subshell_id, message)

    manager.set_on_recv_callback(shell_main)
    return lambda: manager.set_on_recv_callback(kernel.shell_main)


def _version() -> tuple[int, ...]:
    return tuple(int(part) for part in sys.modules["ipykernel"].__version__.split(".")[:2])


def _message_type(kernel: Any, message: list[Any]) -> str:
    """The type of a message, read without checking its signature (that may be done only once a message)."""
    try:
        _, frames = kernel.session.feed_identities(message, copy=False)
        header = kernel.session.unpack(getattr(frames[1], "bytes", frames[1]))
        return str(header.get("msg_type", ""))
    except Exception:  # not a message of the protocol; the kernel itself will say so
        return ""


async def _answer(kernel: Any, message: list[Any]) -> None:
    """Handle one message beside the running cell, whose parent must stay the parent of what the cell shows.

    The page waits for idle before it goes on; busy again then tells it that the cell still runs.
    """
    cell, ident = kernel.get_parent("shell"), kernel._get_shell_context_var(kernel._shell_parent_ident)
    _, frames = kernel.session.feed_identities(message, copy=False)
    asked = {"header": kernel.session.unpack(getattr(frames[1], "bytes", frames[1]))}
    kernel._publish_status("busy", "shell", parent=asked)
    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(kernel.dispatch_shell(message, subshell_id=None, concurrent=True), context=copy_context())
    finally:
        kernel.set_parent(ident, cell, channel="shell")
        kernel._publish_status("idle", "shell", parent=asked)
        kernel._publish_status("busy", "shell", parent=cell)
