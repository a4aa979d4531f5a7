"""One ``%%tah`` from its first word on the screen to the cell's outcome.

The cell shows that it starts, hands the work to the agent's thread, waits in slices, and translates the end: a value in
``_``, one line, or an interrupt. Cancellation is translated here and nowhere else. A cell that is released ends early;
what is shown afterwards reaches its output through the kernel's main thread whenever that is free.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING

from tah_jupyter.core.errors import TahError
from tah_jupyter.jupyter.agent_thread import Job
from tah_jupyter.jupyter.grammar import CellOptions
from tah_jupyter.jupyter.kernel import allows_stdin, call_on_main, parent_of, with_parent
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.outcome import Outcome, Withdrawn, failed, failure_line, failure_of, stopped, unanswered
from tah_jupyter.jupyter.output import Output
from tah_jupyter.jupyter.place import remember_introduced
from tah_jupyter.jupyter.printing import tell
from tah_jupyter.jupyter.pump import Interrupted, MainThread
from tah_jupyter.runtime.config import Config

if TYPE_CHECKING:
    from tah_jupyter.jupyter.conversation import Conversation, Told
    from tah_jupyter.jupyter.surfaces import Surface

__all__ = ["Cell"]


class Cell:
    """The running cell."""

    def __init__(self, loaded: Loaded, options: CellOptions) -> None:
        self._shell = loaded.shell
        self._agent = loaded.agent
        self._loaded = loaded
        self._words = loaded.words
        self._options = options
        self._main = MainThread()
        self._output = Output(loaded.shell)
        self._surface: Surface | None = None
        self._released: Future[None] = Future()

    @property
    def begun(self) -> bool:
        """Whether a run has begun."""
        view = self._surface.picture() if self._surface is not None else None
        return view is not None and view.run > 0

    async def run(self) -> Outcome | None:
        """In a kernel: await it. None when no run began and later cells are to go on all the same, or when the cell was
        released. Raises TahError, or KeyboardInterrupt when the person stopped the run.
        """
        self._agent.end_lingering()
        self._output.show({"text/plain": self._words.say("starting")})
        asks = allows_stdin(self._shell)
        job = self._agent.submit(lambda talk: self._work(talk, asks))
        waits = True
        try:
            told = await self._main.wait_for(job, self._released)
            waits = told is not None
        except Interrupted as interrupt:
            raise self._interrupted(interrupt) from None
        except TahError as error:
            self._refused(error)
            return None
        except Withdrawn:
            self._clear()
            raise stopped(None, self._words) from None
        finally:
            if waits:
                self._main.close()
        if told is None:
            self._let_go(job)
            return None
        return self._ended(told)

    def block(self) -> Outcome | None:
        """In a terminal: the same, blocking. Only the first request takes long enough to begin that it is said."""
        if self._agent.conversation is None:
            tell(self._words.say("starting"))
        try:
            told = self._main.block_for(self._agent.submit(lambda talk: self._work(talk, None)))
        except Interrupted as interrupt:
            raise self._interrupted(interrupt) from None
        except TahError as error:
            self._refused(error)
            return None
        except Withdrawn:
            raise stopped(None, self._words) from None
        finally:
            self._main.close()
        return self._ended(told)

    async def _work(self, conversation: "Conversation", asks: bool | None) -> "Told":
        """Agent's thread: choose the surface, run, and leave the record on it, however the run ends.

        ``asks`` is whether the front end can answer ``input()``; None in a terminal.
        """
        from tah_jupyter.jupyter.conversation import Request  # noqa: PLC0415 - heavy: here, not at load

        options = self._options
        config = await asyncio.to_thread(self._loaded.config, options)  # reading files may wait for a disk
        self._surface = surface = self._surface_for(config, asks)
        request = Request(
            options.prompt,
            partial(self._loaded.config, options),
            surface,
            released=self._release,
            new=options.new,
            from_start=options.model.startswith("scripted:"),
            background=options.bg and asks is True,
        )
        try:
            return await conversation.ask(request)
        finally:
            self._main.call(surface.finish)

    def _surface_for(self, config: Config, asks: bool | None) -> "Surface":
        """A terminal; a frame where someone can answer; else a static output, for nobody looks (nbclient)."""
        from tah_jupyter.jupyter.surfaces import Still  # noqa: PLC0415
        from tah_jupyter.jupyter.terminal import Terminal  # noqa: PLC0415

        language = self._loaded.language(config)
        if asks is None:
            return Terminal(self._main, self._output, language)
        if not asks:
            return Still(self._main, self._output, language, asks=False)
        from tah_jupyter.jupyter.live import Live  # noqa: PLC0415

        return Live(
            self._main,
            self._output,
            Output(self._shell),
            language,
            height=config.ui.height,
            linger=self._agent.linger,
            on_shown=self._release if self._options.bg else lambda: None,
            on_drawn=partial(setattr, self._loaded, "page_drawn"),
        )

    def _release(self) -> None:
        """Let the cell end while the run goes on. Any thread."""
        if not self._released.done():
            self._released.set_result(None)

    def _let_go(self, job: "Job[Told]") -> None:
        """The cell ends and the run goes on: what it shows still belongs to this cell."""
        kernel = self._shell.kernel
        parent = parent_of(kernel)

        def elsewhere(serve: Callable[[], None]) -> None:
            def of_this_cell() -> None:
                with with_parent(kernel, parent):
                    serve()

            call_on_main(kernel, of_this_cell)

        if self._surface is not None:
            self._surface.release()
        self._main.hand_over(elsewhere)
        job.future.add_done_callback(lambda _: self._main.call(partial(self._settled, job)))

    def _settled(self, job: "Job[Told]") -> None:
        """The run of a released cell is over: nobody waits for its outcome, so it is only kept and shown. Main."""
        error = job.future.exception()
        if error is None:
            self._keep(job.result())
        elif not self.begun:  # there is no record that says it
            line = (
                failure_line(error, self._words) if isinstance(error, TahError) else f"■ {self._words.say('stopped')}"
            )
            self._output.show({"text/plain": line})
        self._main.close()

    def _keep(self, told: "Told") -> Outcome:
        remember_introduced()
        number = self._shell.execution_count
        outcome = self._agent.last = Outcome(
            told.result, lambda: bool(self._shell.execution_count == number), self._words
        )
        return outcome

    def _ended(self, told: "Told") -> Outcome:
        outcome = self._keep(told)
        if told.result.stop_reason in ("interrupted", "denied_stop"):
            raise stopped(told.view.during, self._words)
        error = failure_of(told.result)
        denied = unanswered(told.result)
        if error is None and self._options.strict and denied:
            words = self._words
            error = TahError(words.count("strict_denied", denied), next_step=words.say("strict_next"))
        if error is not None and not self._options.keep_going:
            raise failed(error, self._words)
        return outcome

    def _interrupted(self, interrupt: Interrupted) -> KeyboardInterrupt:
        """The run was cut off. Its record is there already when it settled, else it is left now."""
        if self._surface is not None and not interrupt.settled:
            self._surface.finish()
        picture = self._surface.picture() if self._surface is not None else None
        if picture is None or not picture.run:
            self._clear()
        return stopped(picture.during if picture is not None else None, self._words, settled=interrupt.settled)

    def _clear(self) -> None:
        if self._output.shown:
            self._output.clear()

    def _refused(self, error: TahError) -> None:
        """No run began, so there is nothing to keep but the reason."""
        self._clear()
        if not self._options.keep_going:
            raise failed(error, self._words) from None
        tell(failure_line(error, self._words))
