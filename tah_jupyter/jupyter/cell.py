"""One ``%%tah`` from its first word on the screen to the cell's outcome.

The cell shows that it starts, hands the work to the agent's thread, waits in slices, and translates the end: a value in
``_``, one line, or an interrupt. Cancellation is translated here and nowhere else.
"""

import asyncio
from typing import TYPE_CHECKING

from tah_jupyter.core.errors import TahError
from tah_jupyter.jupyter.grammar import CellOptions
from tah_jupyter.jupyter.kernel import allows_stdin
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.outcome import Outcome, failed, failure_line, failure_of, stopped, unanswered
from tah_jupyter.jupyter.output import Output
from tah_jupyter.jupyter.place import remember_introduced
from tah_jupyter.jupyter.pump import Interrupted, MainThread
from tah_jupyter.runtime.config import Config

if TYPE_CHECKING:
    from tah_jupyter.jupyter.conversation import Conversation, Told
    from tah_jupyter.jupyter.surfaces import Surface

__all__ = ["Cell"]

STARTING = "tah is starting…"


class Cell:
    """The running cell."""

    def __init__(self, loaded: Loaded, options: CellOptions) -> None:
        self._shell = loaded.shell
        self._agent = loaded.agent
        self._loaded = loaded
        self._options = options
        self._main = MainThread()
        self._output = Output(loaded.shell)
        self._surface: Surface | None = None

    @property
    def begun(self) -> bool:
        """Whether a run has begun."""
        return self._surface is not None and self._surface.picture() is not None

    async def run(self) -> Outcome | None:
        """In a kernel: await it. None when no run began and later cells are to go on all the same. Raises TahError, or
        KeyboardInterrupt when the person stopped the run.
        """
        self._agent.end_lingering()
        self._output.show({"text/plain": STARTING})
        asks = allows_stdin(self._shell)
        try:
            told = await self._main.wait_for(self._agent.submit(lambda talk: self._work(talk, asks)))
        except Interrupted as interrupt:
            raise self._interrupted(interrupt) from None
        except TahError as error:
            self._refused(error)
            return None
        finally:
            self._main.close()
        return self._ended(told)

    def block(self) -> Outcome | None:
        """In a terminal: the same, blocking."""
        try:
            told = self._main.block_for(self._agent.submit(lambda talk: self._work(talk, None)))
        except Interrupted as interrupt:
            raise self._interrupted(interrupt) from None
        except TahError as error:
            self._refused(error)
            return None
        finally:
            self._main.close()
        return self._ended(told)

    async def _work(self, conversation: "Conversation", asks: bool | None) -> "Told":
        """Agent's thread: choose the surface, run, and leave the record on it, however the run ends.

        ``asks`` is whether the front end can answer ``input()``; None in a terminal.
        """
        config = await asyncio.to_thread(self._loaded.config, self._options)  # reading files may wait for a disk
        self._surface = self._surface_for(config, asks)
        try:
            options = self._options
            scripted = options.model.startswith("scripted:")
            return await conversation.ask(options.prompt, config, self._surface, new=options.new, from_start=scripted)
        finally:
            self._main.call(self._surface.finish)

    def _surface_for(self, config: Config, asks: bool | None) -> "Surface":
        """A terminal; a frame where someone can answer; else a static output, for nobody looks (nbclient)."""
        from tah_jupyter.jupyter.conversation import language_of  # noqa: PLC0415 - heavy: here, not at load
        from tah_jupyter.jupyter.surfaces import Still, Terminal  # noqa: PLC0415

        language = language_of(config)
        if asks is None:
            return Terminal(self._main, self._output, language)
        if not asks:
            return Still(self._main, self._output, language, asks=False)
        from tah_jupyter.jupyter.live import Live  # noqa: PLC0415

        saved, height = Output(self._shell), config.ui.height
        return Live(self._main, self._output, saved, language, height=height, linger=self._agent.linger)

    def _ended(self, told: "Told") -> Outcome:
        remember_introduced()
        number = self._shell.execution_count
        outcome = self._agent.last = Outcome(told.result, lambda: bool(self._shell.execution_count == number))
        if told.result.stop_reason in ("interrupted", "denied_stop"):
            raise stopped(told.view.during)
        error = failure_of(told.result)
        denied = unanswered(told.result)
        if error is None and self._options.strict and denied:
            error = TahError(
                f"{denied} {'call was' if denied == 1 else 'calls were'} denied: nobody can answer here.",
                next_step="Allow the tool with --allow NAME, or run the cell where someone can answer.",
            )
        if error is not None and not self._options.keep_going:
            raise failed(error)
        return outcome

    def _interrupted(self, interrupt: Interrupted) -> KeyboardInterrupt:
        """The run was cut off. Its record is there already when it settled, else it is left now."""
        if self._surface is not None and not interrupt.settled:
            self._surface.finish()
        picture = self._surface.picture() if self._surface is not None else None
        if picture is None:
            self._output.clear()
        return stopped(picture.during if picture is not None else None, settled=interrupt.settled)

    def _refused(self, error: TahError) -> None:
        """No run began, so there is nothing to keep but the reason."""
        if self._output.shown:
            self._output.clear()
        if not self._options.keep_going:
            raise failed(error) from None
        print(failure_line(error))
