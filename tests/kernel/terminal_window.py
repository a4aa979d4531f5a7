"""A window with a terminal in it: a program in a pseudo-terminal, and what a person sees there.

pyte draws the screen, so tests compare what stands on it, not the bytes that came. Nothing sleeps: every wait is for
the screen, with a limit.
"""

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pyte

__all__ = ["IPYTHON", "Window", "open_window"]

LIMIT_S = 50.0
ROWS = 60
IPYTHON = (sys.executable, "-m", "IPython", "--simple-prompt", "--no-banner")

_OWN_TERMINAL = (
    "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execvp(sys.argv[1], sys.argv[1:])"
)


class Window:
    """A running program in a window of ``width`` columns."""

    def __init__(self, argv: Sequence[str], *, folder: Path, env: dict[str, str], width: int) -> None:
        self.screen = pyte.Screen(width, ROWS)
        self._stream = pyte.ByteStream(self.screen)
        self._ours, theirs = os.openpty()
        self.screen.write_process_input = self._answer  # type: ignore[method-assign]
        self.resize(width)
        ours = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PYTHONWARNINGS": "ignore", **env}
        theirs_not = ("COLUMNS", "LINES", "NO_COLOR")
        environ = {name: value for name, value in os.environ.items() if name not in theirs_not} | ours
        self.process = subprocess.Popen(
            [sys.executable, "-c", _OWN_TERMINAL, *argv],
            stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environ,
        )  # fmt: skip
        os.close(theirs)

    @property
    def lines(self) -> list[str]:
        """What stands on the screen, without the blank rows below."""
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip().split("\n")

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def since(self, start: str) -> list[str]:
        """The lines from the last one that begins with ``start`` on, times of day and lengths of time made equal."""
        lines = self.lines
        first = max(number for number, line in enumerate(lines) if line.startswith(start))
        return [re.sub(r"[\d.]+ s\b", "0 s", line) for line in lines[first:]]

    def ink(self, text: str) -> tuple[str, bool]:
        """Colour and weight of the first character of ``text`` where it stands last."""
        row = max(number for number, line in enumerate(self.screen.display) if text in line)
        shown = self.screen.display[row]
        character = self.screen.buffer[row][shown.index(text)]
        return character.fg, character.bold

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def enter(self, line: str = "") -> None:
        self.type(f"{line}\n")

    def ctrl_c(self) -> None:
        self.type("\x03")

    def ctrl_c_until(self, seen: str) -> None:
        """Ctrl-C until it is noticed: one that comes in the very moment in which readline has drawn its prompt and does
        not wait yet is noticed with the next key (CPython, ``readline_until_enter_or_signal``).
        """
        for _ in range(10):
            self.ctrl_c()
            with suppress(TimeoutError):
                return self.until(seen, limit_s=5)
        raise TimeoutError(f"Ctrl-C was not noticed\n{self.text}")

    def resize(self, width: int) -> None:
        """Make the window narrower or wider, as dragging its edge does."""
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, width, 0, 0))
        self.screen.resize(ROWS, width)

    def until(self, seen: str | Callable[[], object], *, limit_s: float = LIMIT_S) -> None:
        """Read until ``seen`` stands on the screen, or holds; TimeoutError with the screen when it does not in time."""
        end = time.monotonic() + limit_s
        while not (seen in self.text if isinstance(seen, str) else seen()):
            left = end - time.monotonic()
            if left <= 0 or not self._read(left):
                raise TimeoutError(f"not seen: {seen}\n{self.text}")

    def prompt(self, number: int) -> None:
        """Wait for IPython's prompt ``In [number]:``, with the cursor behind it."""
        self.until(lambda: self.lines[-1].startswith(f"In [{number}]:"))

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGHUP)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        os.close(self._ours)

    def _read(self, limit_s: float) -> bool:
        """Draw what comes next; False when nothing more can come."""
        ready, _, _ = select.select([self._ours], [], [], min(limit_s, 1.0))
        if not ready:
            return True
        try:
            data = os.read(self._ours, 65_536)
        except OSError:  # the program has ended
            return False
        self._stream.feed(data)
        return bool(data)

    def _answer(self, data: str) -> None:
        """What a terminal says when a program asks where the cursor is."""
        self.type(data)


@contextmanager
def open_window(
    folder: Path, *, env: dict[str, str], width: int = 80, argv: Sequence[str] = IPYTHON
) -> Iterator[Window]:
    """A window with terminal IPython in ``folder``; closed at the end, whatever runs in it."""
    window = Window(argv, folder=folder, env=env, width=width)
    try:
        yield window
    finally:
        window.close()
