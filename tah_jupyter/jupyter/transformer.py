"""Makes ``%%tah``, ``%tah ask`` and ``%tah demo`` awaited, so that clicks and interrupts arrive while the cell runs.

IPython calls a magic and does not await it. A cell that is nothing but one such call is rewritten to ``await`` it;
any other place (inside ``%%time``, a loop, a function, with autoawait off) is left as it is, and the magic, finding
that it was not awaited, refuses with the reason. Works on IPython 7.34 to 9.
"""

import ast
import re
import threading
from collections.abc import Callable
from typing import Any

from tah_jupyter.jupyter.grammar import COMMANDS
from tah_jupyter.jupyter.late_interrupt import ignore_after_end

__all__ = ["AwaitedCells", "keep_question"]

_CELL = "get_ipython().run_cell_magic('tah',"
_LINE = "get_ipython().run_line_magic('tah',"


_QUESTION = re.compile(r"%tah\s+(ask\s.*\?)\s*$", re.DOTALL)


def keep_question(lines: list[str]) -> list[str]:
    """Write ``%tah ask what is here?`` as a call, before IPython takes the final ``?`` for its own help.

    A cleanup transformer, for shells of every kind; only for a cell that is nothing else.
    """
    code = _code_lines(lines)
    match = _QUESTION.match(lines[code[0]]) if len(code) == 1 else None
    if match is None:
        return lines
    return [f"{_LINE} {match[1]!r})\n" if index == code[0] else line for index, line in enumerate(lines)]


def _code_lines(lines: list[str]) -> list[int]:
    """Which lines are neither blank nor only a comment."""
    return [index for index, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]


class _Thread(threading.local):
    """Cells run on the main thread and on those of subshells; each nests for itself."""

    def __init__(self) -> None:
        self.running: list[tuple[Any, bool]] = []
        self.rewritten = False
        self.end: Callable[[], None] = lambda: None


class AwaitedCells:
    """The rewriting, and the knowledge whether the cell that runs now is a rewritten one."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._thread = _Thread()

    def install(self) -> None:
        """Join the shell's transformers and events."""
        self._shell.input_transformers_post.append(self.transform)
        self._shell.events.register("pre_run_cell", self._started)
        self._shell.events.register("post_run_cell", self._ended)

    def remove(self) -> None:
        """Leave them."""
        self._shell.input_transformers_post.remove(self.transform)
        self._shell.events.unregister("pre_run_cell", self._started)
        self._shell.events.unregister("post_run_cell", self._ended)

    def transform(self, lines: list[str]) -> list[str]:
        """Prefix the one call with ``await`` when it is the whole cell and the kernel can await it."""
        code = _code_lines(lines)
        mine = len(code) == 1 and _is_request(lines[code[0]])
        self._thread.rewritten = mine and not self._thread.running and self.why_not() == ""
        if not self._thread.rewritten:
            return lines
        self._thread.end = ignore_after_end()
        return [f"await {line}" if index == code[0] else line for index, line in enumerate(lines)]

    def take(self) -> bool:
        """Whether the running cell awaits the call that asks; true once a cell."""
        if len(self._thread.running) != 1 or not self._thread.running[0][1]:
            return False
        self._thread.running[0] = (self._thread.running[0][0], False)
        return True

    def why_not(self) -> str:
        """Why this shell cannot await a cell at all, as a key of the words; empty when it can."""
        if not self._shell.autoawait:
            return "autoawait_off"
        if self._shell.loop_runner is not self._shell.loop_runner_map["asyncio"][0]:
            return "autoawait_other"
        return ""

    def _started(self, info: Any) -> None:
        self._thread.running.append((info, self._thread.rewritten and not self._thread.running))
        self._thread.rewritten = False

    def _ended(self, result: Any) -> None:
        """Forget the cell and whatever nested in it did not report its end. IPython also reports the end of an empty
        cell that never started; that one is not on the list.
        """
        running = self._thread.running
        if len(running) == 1:
            self._thread.end()
        if result is None:
            del running[-1:]
        for index, (info, _) in enumerate(running):
            if result is not None and info is result.info:
                del running[index:]
                return


def _is_request(line: str) -> bool:
    if line.startswith(_CELL):
        return True
    command = COMMANDS.get(_argument(line).partition(" ")[0]) if line.startswith(_LINE) else None
    return command is not None and command.runs


def _argument(line: str) -> str:
    """The text after ``%tah``, from the call that IPython made of it."""
    try:
        call = ast.parse(line.strip(), mode="eval").body
        return str(ast.literal_eval(call.args[1])) if isinstance(call, ast.Call) else ""
    except (SyntaxError, ValueError, IndexError):
        return ""
