"""One command from start to end: its limit, its output as it comes, how it ended and what it left running."""

import errno
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack

import anyio
import msgspec

from tah_jupyter.core.errors import ToolError
from tah_jupyter.host.commands.program import with_interpreter
from tah_jupyter.host.processes.capture import Capture
from tah_jupyter.host.processes.process import Process, start
from tah_jupyter.host.processes.tree import Ending, Relic

__all__ = ["Outcome", "duration_in_words", "leftovers_in_words", "run_command"]

_NEWS_EVERY_S = 0.05
"""How often new output is told of: 20 times a second is as much as a page can draw."""

_MAX_NAMED = 10


class Outcome(msgspec.Struct, frozen=True):
    """How a command ended. ``exit_code`` is negative for a signal, None when the system does not tell."""

    exit_code: int | None
    timed_out: bool
    duration_s: float
    ending: Ending

    @property
    def failed(self) -> bool:
        """Whether it did not end by itself with exit code 0."""
        return self.timed_out or self.exit_code != 0

    @property
    def status(self) -> str:
        """How it ended in a few words, such as ``exit 0 · 6.8 s``."""
        took = duration_in_words(self.duration_s)
        if self.timed_out:
            return f"timed out · {took}"
        if self.exit_code is None:
            return f"exit code not known · {took}"
        if self.exit_code < 0:
            return f"killed by {_signal_name(-self.exit_code)} · {took}"
        return f"exit {self.exit_code} · {took}"


async def run_command(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    program: str,
    timeout_s: float,
    capture: Capture,
    on_start: Callable[[Process], object],
    on_news: Callable[[str], object],
) -> Outcome:
    """Run ``argv`` to its end, or to ``timeout_s`` seconds. Raises ToolError (``CannotStart``) when it cannot start.

    ``on_start`` is called once it runs, ``on_news`` with its new output; both on the loop.
    """
    began = time.perf_counter()
    async with AsyncExitStack() as stack:
        try:
            child = await stack.enter_async_context(start(argv, cwd=cwd, env=env, output=capture, program=program))
        except (OSError, ValueError) as error:
            raise ToolError(f"{argv[0]} could not be started: {_why(error, argv[0])}", code="CannotStart") from error
        on_start(child)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_tell_news, capture, on_news)
            with anyio.move_on_after(timeout_s) as limit:
                await child.wait()
            duration_s = time.perf_counter() - began
            timed_out = limit.cancelled_caught
            ending = await (child.end_tree() if timed_out else child.end_leftovers())
            tasks.cancel_scope.cancel()
    return Outcome(child.exit_code, timed_out, round(duration_s, 3), ending)


async def _tell_news(capture: Capture, on_news: Callable[[str], object]) -> None:
    while True:
        await anyio.sleep(_NEWS_EVERY_S)
        if text := capture.news():
            on_news(text)


def duration_in_words(seconds: float) -> str:
    """A duration for people.

    >>> duration_in_words(0.02), duration_in_words(6.84), duration_in_words(125)
    ('0.02 s', '6.8 s', '2 min 5 s')
    """
    if seconds >= 60:
        return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{max(seconds, 0.01):.2f} s"


def leftovers_in_words(outcome: Outcome) -> list[str]:
    """What became of the processes that outlived the command, one sentence for each kind."""
    ended, alive = outcome.ending.ended, outcome.ending.alive
    sentences = []
    if escaped := [relic for relic in ended if relic.escaped]:
        sentences.append(f"These had left its process group and were ended too: {_names(escaped)}.")
    if not outcome.timed_out and (left := [relic for relic in ended if not relic.escaped]):
        sentences.append(f"These were left running in its process group and were ended: {_names(left)}.")
    if alive:
        sentences.append(f"Still running, outside of its process group: {_names(alive)}.")
    return sentences


def _names(relics: Sequence[Relic]) -> str:
    more = f" and {len(relics) - _MAX_NAMED} more" if len(relics) > _MAX_NAMED else ""
    return ", ".join(map(str, relics[:_MAX_NAMED])) + more


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _why(error: OSError | ValueError, name: str) -> str:
    """Why it could not be started and what to do next, as what follows the colon."""
    match getattr(error, "errno", None):
        case errno.ENOENT:
            why = "its interpreter (the first line, #!, which must not end in CRLF) or its folder does not exist"
            return f"{why}. {with_interpreter(name)}"
        case errno.ENOEXEC:
            return f"it is neither a program for this machine nor a script with a #! line. {with_interpreter(name)}"
        case errno.E2BIG:
            return "its arguments are too long for the system. Write what is long to a file and name the file."
        case errno.EACCES | errno.EPERM:
            return "this account may not run it, or may not enter the folder. Use another program or folder."
        case errno.EAGAIN | errno.ENOMEM:
            return "the machine has no room for another process now. Try again later, with less at once."
        case _:
            return f"{(getattr(error, 'strerror', None) or str(error)).lower()}. Look at what it names."
