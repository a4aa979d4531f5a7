"""Terminal IPython as a place that shows a run: lines that scroll by, and below them the few that still change.

Everything is printed by jobs on the main thread, which waits in slices and so sees Ctrl-C. A clock on the agent's loop
asks for a look once a second, because silence is no event.
"""

import asyncio
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import Any, TextIO, TypeVar

from IPython.core.getipython import get_ipython

from tah_jupyter.core.approvals import Answer
from tah_jupyter.core.commands import Command
from tah_jupyter.core.questions import Question, Reply
from tah_jupyter.jupyter.output import Output
from tah_jupyter.jupyter.printing import sayable
from tah_jupyter.jupyter.pump import MainThread
from tah_jupyter.jupyter.question import ask_question, ask_until_answered
from tah_jupyter.jupyter.secret import read_secret
from tah_jupyter.jupyter.surfaces import Picture, Still
from tah_jupyter.ui.run_view import Approval
from tah_jupyter.ui.terminal import Scroll
from tah_jupyter.ui.terminal_text import Ink, Line, wrapped
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = ["Screen", "Terminal"]

T = TypeVar("T")

DRAW_S = 0.05
"""Shortest time between two looks at a run that changes."""

TICK_S = 1.0
"""Longest time between two looks: the clocks that are shown count seconds."""

MAX_COLUMNS = 100
"""Longer rows of prose are hard to read."""

_COLOURS: dict[Ink, str] = {"faint": "2", "strong": "1", "added": "32", "removed": "31", "asks": "33", "bad": "31"}


class Screen:
    """The terminal that ``out`` writes to. Lines are printed once; live ones are replaced by whatever comes next.

    Without a terminal that can do that (a pipe, ``TERM=dumb``) there are no live lines. ``NO_COLOR`` (no-color.org) and
    IPython's own NoColor leave the colours out.
    """

    def __init__(self, out: TextIO, *, colours: bool) -> None:
        self._out = out
        self.rewrites = out.isatty() and os.environ.get("TERM", "") != "dumb"
        self._colours = colours and self.rewrites and not os.environ.get("NO_COLOR")
        self._live: list[Line] = []

    @property
    def width(self) -> int:
        """Columns that a row may take; the last one stays free, so that no terminal wraps by itself."""
        return max(10, min(shutil.get_terminal_size().columns, MAX_COLUMNS) - 1)

    def show(self, lines: Iterable[Line], live: Iterable[Line] = ()) -> None:
        """Print ``lines``, and below them ``live`` in place of the live lines before."""
        lines = tuple(lines)
        live = list(live)[-self._room() :] if self.rewrites else []
        if not lines and live == self._live:
            return
        text = self._erasure() + "".join(f"{self._inked(line)}\n" for line in lines)
        text += "\n".join(self._inked(line) for line in live)
        self._live = live
        with _uninterrupted():
            self._write(text)

    def _room(self) -> int:
        """Rows that live lines may take: a row that has scrolled away cannot be replaced."""
        return max(1, shutil.get_terminal_size().lines - 2)

    def _erasure(self) -> str:
        """Take the live lines away, one row for each. A window that became narrower may show more rows of them, but not
        every terminal does that, and to take a row too many would take away what is told only once.
        """
        return "\r" + "\x1b[A" * (len(self._live) - 1) + "\x1b[J" if self._live else ""

    def _inked(self, line: Line) -> str:
        code = _COLOURS.get(line.ink, "") if self._colours else ""
        return f"\x1b[{code}m{line.text}\x1b[0m" if code and line.text else line.text

    def _write(self, text: str) -> None:
        """Write what the terminal's encoding can say, and the rest as escapes."""
        self._out.write(sayable(text, self._out.encoding))
        self._out.flush()


class Terminal(Still):
    """The surface of one request in terminal IPython."""

    def __init__(self, main: MainThread, output: Output, language: str) -> None:
        super().__init__(main, output, language, asks=True)
        self._words = Words(language)
        self._screen = Screen(sys.stdout, colours=_shell_has_colours())
        self._scroll = Scroll(self._words, rewrites=self._screen.rewrites)
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._drawing: Future[None] | None = None

    def say(self, text: str) -> None:
        self._main.call(lambda: self._screen.show(Line(row) for row in wrapped(text, self._screen.width)))

    def begin(self, picture: Picture, send: Callable[[Command], None]) -> None:
        super().begin(picture, send)
        self._scroll = Scroll(self._words, rewrites=self._screen.rewrites)
        self._look_in(DRAW_S)

    def changed(self, *, checkpoint: bool) -> None:
        if self._timer is None or self._timer.when() > self._loop.time() + DRAW_S:
            self._look_in(DRAW_S)

    def _look_in(self, seconds: float) -> None:
        """Look at the run in ``seconds``, in place of any look that is due later. Agent's loop."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(seconds, self._look)

    def _look(self) -> None:
        """Have what is new shown, unless the main thread is busy with that, or with a question. Agent's loop."""
        if self._finished:
            return
        if self._drawing is None or self._drawing.done():
            self._drawing = self._main.call(self._show_news)
        self._look_in(TICK_S)

    def _show_news(self) -> None:
        view, now, width = self.picture(), time.time(), self._screen.width
        if view is None or self._finished:
            return
        lines = self._scroll.news(view, now=now, width=width)
        self._screen.show(lines, self._scroll.live(view, now=now, width=width))

    def _settle(self) -> None:
        """Leave nothing on the screen that still changes: something else is printed next. Main thread."""
        view, width = self.picture(), self._screen.width
        lines = self._scroll.news(view, now=time.time(), width=width, pause=True) if view is not None else []
        self._screen.show(lines)

    def _draw(self) -> None:
        """What is not told yet, and how the run ended; of a request that never became one there is nothing."""
        self._settle()
        if (view := self.picture()) is not None and view.run:
            self._screen.show(self._scroll.ending(view, self._screen.width))

    def _ask_approval(self, approval: Approval) -> Answer | None:
        self._settle()
        ask = partial(ask_until_answered, approval, self._words, self._read, show=self._screen.show)
        return self._at_prompt(lambda: ask(width=self._screen.width))

    def _ask_question(self, question: Question) -> Reply | None:
        self._settle()
        ask = partial(ask_question, question, self._words, self._read, show=self._screen.show)
        return self._at_prompt(lambda: ask(width=self._screen.width))

    def _ask_secret(self, prompt: str) -> str | None:
        """Typed without being seen; where that cannot be promised, nobody is asked."""
        if not sys.stdin.isatty():
            return None
        self._settle()
        return self._at_prompt(lambda: read_secret(sayable(visible_line(prompt).text) + " "))

    def _read(self, prompt: str) -> str:
        """A line from the person; one that comes through a pipe is shown, as a typed one is by the terminal."""
        text = input(sayable(prompt))
        if not sys.stdin.isatty():
            self._screen.show([Line(visible_line(text).text)])
        return text

    def _at_prompt(self, ask: Callable[[], T]) -> T:
        """Ask; Ctrl-C there leaves the cursor behind the prompt, so the next line begins below it."""
        try:
            return ask()
        except KeyboardInterrupt:
            self._screen.show([Line("")])
            raise


def _shell_has_colours() -> bool:
    """What IPython was told; its name for none was NoColor, and is nocolor since 9.0."""
    shell: Any = get_ipython()
    return str(getattr(shell, "colors", "")).lower() != "nocolor"


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back for the moment in which lines are written: what counts as told is on the screen, once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: held.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if held:
        raise KeyboardInterrupt
