"""Where a run is shown, and who there can answer: the protocol, and a static output with ``input()``.

A surface lives on two threads. The agent's loop tells it of changes (:meth:`Surface.changed`) and asks it
(:meth:`Surface.ask`); what it shows, it shows through jobs on the main thread. It holds no state of the run: that is
the transcript's. The live frame is in :mod:`live`, a terminal's lines are in :mod:`terminal`.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Literal, Protocol, TypeVar

from IPython.core.error import StdinNotImplementedError

from tah_jupyter.core.approvals import Answer, ApprovalRequest
from tah_jupyter.core.commands import Command
from tah_jupyter.core.questions import Question, Reply
from tah_jupyter.jupyter.output import Output
from tah_jupyter.jupyter.pump import CellEnded, MainThread, interruptible
from tah_jupyter.jupyter.question import ask_question, ask_until_answered
from tah_jupyter.jupyter.secret import read_secret
from tah_jupyter.ui.record import checkpoint, record
from tah_jupyter.ui.run_view import Approval, RunView
from tah_jupyter.ui.words import Words

T = TypeVar("T")

__all__ = ["Picture", "Still", "Surface", "Voice"]

Voice = Literal["page", "stdin", "nobody"]
"""Who can answer: a page with buttons, a person at ``input()``, or nobody."""

Picture = Callable[[], RunView]


class Surface(Protocol):
    """What the conversation and the cell need of a place that shows a run."""

    def say(self, text: str) -> None:
        """Show a line about the cell itself, before a run has begun. Any thread."""
        ...

    def begin(self, picture: Picture, send: Callable[[Command], None]) -> None:
        """Show what ``picture()`` gives, which raises KeyError until something has :meth:`changed`. ``send`` takes the
        person's commands, from any thread. Called again when a kept request becomes a run. Agent's loop.
        """
        ...

    def changed(self, *, checkpoint: bool) -> None:
        """The picture changed; ``checkpoint`` says that what is shown should be worth saving now. Agent's loop."""
        ...

    @property
    def drawn(self) -> bool:
        """Whether a page draws it, cards and all. Any thread."""
        ...

    async def voice(self) -> Voice:
        """Who can answer; waits until that is known. Agent's loop."""
        ...

    async def ask(self, request: ApprovalRequest) -> Answer | None:
        """Ask by other means than a page's buttons. None when nobody can answer. Agent's loop."""
        ...

    async def ask_question(self, question: Question) -> Reply | None:
        """The same for a question that is no approval. Agent's loop."""
        ...

    async def secret(self, prompt: str) -> str | None:
        """Have the person type what nobody may see. None when nobody can. Agent's loop."""
        ...

    def picture(self) -> RunView | None:
        """The run as it stands; None before anything of it is known. Any thread."""
        ...

    def release(self) -> None:
        """The cell ends now; from here on nothing but updates of what is shown reach its output. Main thread."""
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

    def begin(self, picture: Picture, send: Callable[[Command], None]) -> None:
        self._picture = picture

    def changed(self, *, checkpoint: bool) -> None:
        if checkpoint:
            self._main.call(self._save)

    @property
    def drawn(self) -> bool:
        return False

    def release(self) -> None:
        """The cell ends now; from here on nothing but updates of what is shown reach its output. Main thread."""

    async def voice(self) -> Voice:
        return "stdin" if self._asks else "nobody"

    async def ask(self, request: ApprovalRequest) -> Answer | None:
        """One question at a time: the main thread waits in ``input()`` meanwhile."""
        async with self._turn:
            return await self._ask_on_main(request.approval_id)

    async def ask_question(self, question: Question) -> Reply | None:
        async with self._turn:
            return await self._on_main(lambda: self._ask_question(question))

    async def secret(self, prompt: str) -> str | None:
        async with self._turn:
            return await self._on_main(lambda: self._ask_secret(prompt))

    def picture(self) -> RunView | None:
        return picture_now(self._picture)

    def finish(self) -> None:
        if not self._finished:
            self._draw()
        self._finished = True

    def _draw(self) -> None:
        if (view := self.picture()) is not None and view.run:
            self._output.show(record(view, language=self._language))

    def _save(self) -> None:
        if (view := self.picture()) is not None and view.run and not self._finished:
            self._output.show(checkpoint(view, saved_ts=time.time(), language=self._language))

    async def _ask_on_main(self, approval_id: str) -> Answer | None:
        """Ask with ``input()`` on the main thread, where an interrupt can end it. None when the cell is gone.

        The question is taken from the picture: that is redacted, the request itself is not.
        """

        def ask() -> Answer | None:
            view = self.picture()
            pending = view.pending if view is not None else ()
            return self._ask_approval(next(each for each in pending if each.id == approval_id))

        return await self._on_main(ask)

    def _ask_approval(self, approval: Approval) -> Answer | None:
        return ask_until_answered(approval, Words(self._language), input)

    def _ask_question(self, question: Question) -> Reply | None:
        return ask_question(question, Words(self._language), input)

    def _ask_secret(self, prompt: str) -> str | None:
        return read_secret(prompt)

    async def _on_main(self, ask: Callable[[], T]) -> T | None:
        """What ``ask()`` gives on the main thread; None when the cell is gone or the front end cannot be asked."""

        def guarded() -> T | None:
            try:
                with interruptible():
                    return ask()
            except StdinNotImplementedError:
                return None

        try:
            return await asyncio.wrap_future(self._main.call(guarded))
        except CellEnded:
            return None


def picture_now(picture: Picture | None) -> RunView | None:
    """What ``picture`` gives, or None when there is nothing yet."""
    try:
        return None if picture is None else picture()
    except KeyError:
        return None
