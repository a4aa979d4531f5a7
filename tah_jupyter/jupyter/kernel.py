"""The kernel this shell runs in: what its front end tells, its main thread, and the cell that output belongs to.

Everything here holds for ipykernel 6.17 to 7.4, whose insides differ; so it stands on what they share.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Parent", "allows_stdin", "call_on_main", "notebook_path", "parent_of", "with_parent"]


class Parent(NamedTuple):
    """A request and who sent it. What is shown while it is the parent goes there; without one it is empty."""

    ident: Any
    message: dict[str, Any]


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


def call_on_main(kernel: Any, job: Callable[[], object]) -> None:
    """Have ``job()`` run on the kernel's main thread as soon as no cell blocks that. Any thread.

    It runs at once in an idle kernel, between two steps of an awaited cell, and after one that is not. Nothing of the
    caller's context comes along, so what it shows belongs to no cell until it says :func:`with_parent`. Raises
    RuntimeError when the kernel has ended.
    """
    kernel.io_loop.asyncio_loop.call_soon_threadsafe(job, context=Context())


def parent_of(kernel: Any) -> Parent:
    """The request that output belongs to now. Main thread; in a cell it is that cell's."""
    try:
        return Parent(kernel._parent_ident["shell"], kernel.get_parent("shell"))
    except LookupError:  # ipykernel 7.0, outside the context of a request
        return Parent(b"", {})


@contextmanager
def with_parent(kernel: Any, parent: Parent) -> Iterator[None]:
    """Let what is shown meanwhile (prints, displays, messages of widgets) belong to ``parent``. Main thread, and with
    no ``await`` in between: up to ipykernel 6 there is but one parent at a time.
    """
    before = parent_of(kernel)
    _set_parent(kernel, parent)
    try:
        yield
    finally:
        _set_parent(kernel, before)


def _set_parent(kernel: Any, parent: Parent) -> None:
    """What was printed before keeps its parent: ipykernel 6.17 gives the whole buffer the one that it has when sent."""
    sys.stdout.flush()
    sys.stderr.flush()
    kernel.set_parent(parent.ident, parent.message, channel="shell")
