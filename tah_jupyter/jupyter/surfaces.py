"""Where a run is shown, and who there can answer: a static output with ``input()``, or a terminal.

A surface lives on two threads. The agent's loop tells it of changes (:meth:`Surface.changed`) and asks it
(:meth:`Surface.ask`); what it shows, it shows through jobs on the main thread. It holds no state of the run: that is
the transcript's. The live frame is in :mod:`live`.
"""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Literal, Protocol

from tah_jupyter.core.approvals import Answer, ApprovalRequest
from tah_jupyter.core.commands import Command
from tah_jupyter.jupyter.output import Output
from tah_jupyter.jupyter.pump import CellEnded, MainThread, interruptible
from tah_jupyter.jupyter.question import ask_until_answered
from tah_jupyter.ui.phrases import Phrases
from tah_jupyter.ui.record import checkpoint, record
from tah_jupyter.ui.run_view import RunView
from tah_jupyter.ui.words import Words

__all__ = ["Picture", "Still", "Surface", "Terminal", "Voice"]

Voice = Literal["page", "stdin", "nobody"]
"""Who can answer: a page with buttons, a person at ``input()``, or nobody."""

Picture = Callable[[], RunView]


class Surface(Protocol):
    """What the conversation and the cell need of a place that shows a run."""

    def say(self, text: str) -> None:
        """Show a line about the cell itself, before a run has begun. Any thread."""
        ...

    def begin(self, run: int, picture: Picture, send: Callable[[Command], None]) -> None:
        """Run number ``run`` begins; ``picture()`` raises KeyError until something of it has :meth:`changed`. ``send``
        takes the person's commands, from any thread. Agent's loop.
        """
        ...

    def changed(self, *, checkpoint: bool) -> None:
        """The picture changed; ``checkpoint`` says that what is shown should be worth saving now. Agent's loop."""
        ...

    async def voice(self) -> Voice:
        """Who can answer; waits until that is known. Agent's loop."""
        ...

    async def ask(self, request: ApprovalRequest) -> Answer | None:
        """Ask by other means than a page's buttons. None when nobody can answer. Agent's loop."""
        ...

    def picture(self) -> RunView | None:
        """The run as it stands; None before anything of it is known. Any thread."""
        ...

    def finish(self) -> None:
        """Leave the record of the run; a second time it does nothing. Main thread."""
        ...


class Still:
    """A static output, replaced at checkpoints; questions by ``input()`` when ``asks``."""

    def __init__(self, main: MainThread, output: Output, language: str, *, asks: bool) -> None:
        self._main = main
        self._output = output
        self._language = language
        self._asks = asks
        self._turn = asyncio.Lock()
        self._picture: Picture | None = None
        self._finished = False

    def say(self, text: str) -> None:
        self._main.call(lambda: self._output.show({"text/plain": text}))

    def begin(self, run: int, picture: Picture, send: Callable[[Command], None]) -> None:
        self._picture = picture

    def changed(self, *, checkpoint: bool) -> None:
        if checkpoint:
            self._main.call(self._save)

    async def voice(self) -> Voice:
        return "stdin" if self._asks else "nobody"

    async def ask(self, request: ApprovalRequest) -> Answer | None:
        """One question at a time: the main thread waits in ``input()`` meanwhile."""
        async with self._turn:
            return await self._ask_on_main(request.approval_id)

    def picture(self) -> RunView | None:
        return picture_now(self._picture)

    def finish(self) -> None:
        if not self._finished:
            self._draw()
        self._finished = True

    def _draw(self) -> None:
        if (view := self.picture()) is not None:
            self._output.show(record(view, language=self._language))

    def _save(self) -> None:
        if (view := self.picture()) is not None and not self._finished:
            self._output.show(checkpoint(view, saved_ts=time.time(), language=self._language))

    async def _ask_on_main(self, approval_id: str) -> Answer | None:
        """Ask with ``input()`` on the main thread, where an interrupt can end it. None when the cell is gone.

        The question is taken from the picture: that is redacted, the request itself is not.
        """

        def ask() -> Answer | None:
            view = self.picture()
            pending = view.pending if view is not None else ()
            approval = next(each for each in pending if each.id == approval_id)
            with interruptible():
                return ask_until_answered(approval, Words(self._language), input)

        try:
            return await asyncio.wrap_future(self._main.call(ask))
        except CellEnded:
            return None


class Terminal(Still):
    """Plain text: a line when the run begins and for each step when its turn ends, the record at the end."""

    def __init__(self, main: MainThread, output: Output, language: str) -> None:
        super().__init__(main, output, language, asks=True)
        self._begun = False
        self._told: set[str] = set()
        self._phrases = Phrases(Words(language))

    def say(self, text: str) -> None:
        self._main.call(lambda: print(text, flush=True))

    def changed(self, *, checkpoint: bool) -> None:
        view = self.picture() if checkpoint or not self._begun else None
        if view is not None and not self._begun:
            self._begun = True
            self.say(self._phrases.beginning(view))
        for step in view.steps if view is not None else ():
            if step.state not in ("queued", "waiting", "running") and step.id not in self._told:
                self._told.add(step.id)
                self._main.call(partial(print, f"  {self._phrases.step(step)}", flush=True))

    def _draw(self) -> None:
        if (view := self.picture()) is not None:
            print(record(view, language=self._language)["text/plain"], flush=True)


def picture_now(picture: Picture | None) -> RunView | None:
    """What ``picture`` gives, or None when there is nothing yet."""
    try:
        return None if picture is None else picture()
    except KeyError:
        return None
