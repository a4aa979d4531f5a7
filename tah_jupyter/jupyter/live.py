"""The live frame of a run in a page, and what to do when no page draws it.

The page says hello when it has drawn the frame, and again, under a new page id, after a reload. Without a hello in
3 s there are no buttons (no widget support, a page that cannot load them): the static output takes the frame's place
and questions go to ``input()``. All messages of the frame are sent from the main thread while the cell only waits:
ipykernel ties a comm to the shell that sent last, so a click comes back to the one that can take it.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tah_jupyter.core.approvals import Answer
from tah_jupyter.core.commands import Command
from tah_jupyter.core.questions import Question, Reply
from tah_jupyter.jupyter.output import Output
from tah_jupyter.jupyter.pump import MainThread
from tah_jupyter.jupyter.surfaces import Picture, Still, Voice
from tah_jupyter.ui.notebook import BATCH_S, Frame, FromPage, Hello
from tah_jupyter.ui.record import checkpoint, record
from tah_jupyter.ui.run_view import Approval
from tah_jupyter.ui.words import Words

__all__ = ["HELLO_S", "Live"]

HELLO_S = 3.0
"""How long a page may take to draw the frame; 0.06 to 0.45 s were measured."""

NOTHING = {"text/html": "", "text/plain": ""}
"""Takes no room in a page, where an output cannot be removed any more."""

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


class Live(Still):
    """A frame while the run lives, and below it the folded record that is left when the kernel does not survive.

    ``saved`` is the output of that record; ``linger(end)`` keeps ``end`` for the next request. ``on_shown()`` is called
    on the main thread once the frame of a run stands in the cell's output, which then may end; ``on_drawn(drawn)`` on
    the agent's loop once it is known whether a page draws it.
    """

    def __init__(
        self,
        main: MainThread,
        output: Output,
        saved: Output,
        language: str,
        *,
        height: int,
        linger: Callable[[Callable[[], None]], None],
        on_shown: Callable[[], None] = lambda: None,
        on_drawn: Callable[[bool], None] = lambda drawn: None,
    ) -> None:
        super().__init__(main, output, language, asks=True)
        self._saved = saved
        self._height = height
        self._linger = linger
        self._on_shown = on_shown
        self._on_drawn = on_drawn
        self._working = Words(language).say("is_working")
        self._send: Callable[[Command], None] = lambda command: None
        self._begun = self._released = self._told_why = False
        self._loop = asyncio.get_running_loop()
        self._drawn: asyncio.Future[bool] = self._loop.create_future()
        self._news = False
        self._batch: asyncio.TimerHandle | None = None
        self._frame: Frame | None = None

    def begin(self, picture: Picture, send: Callable[[Command], None]) -> None:
        super().begin(picture, send)
        self._send = send
        if self._begun:
            self._wake()
            self._main.call(self._shown)
        else:
            self._main.call(self._open)
        self._begun = True

    def release(self) -> None:
        """The cell ends now; from here on nothing but updates of what is shown reach its output. Main thread."""
        self._released = True

    def changed(self, *, checkpoint: bool) -> None:
        if self._drawn.done() and not self._drawn.result():
            super().changed(checkpoint=checkpoint)
            return
        self._wake()
        if checkpoint:
            self._main.call(self._keep)

    @property
    def drawn(self) -> bool:
        return self._drawn.done() and self._drawn.result()

    def _ask_approval(self, approval: Approval) -> Answer | None:
        self._say_why_no_buttons()
        return super()._ask_approval(approval)

    def _ask_question(self, question: Question) -> Reply | None:
        self._say_why_no_buttons()
        return super()._ask_question(question)

    def _say_why_no_buttons(self) -> None:
        """Before the first question at ``input()``: no page drew the frame, which can be mended. Main thread."""
        if not self._told_why:
            print(Words(self._language).say("buttons_off"), flush=True)
        self._told_why = True

    async def voice(self) -> Voice:
        return "page" if await asyncio.shield(self._drawn) else "stdin"

    def finish(self) -> None:
        """Put the record in the place of all that was shown. A frame whose page was reloaded stays until the next
        request: the cell's output no longer reaches that page, so the frame turns into the record there and writes it
        into the notebook.
        """
        if self._finished:
            return
        self._update()
        self._finished = True
        frame, self._frame = self._frame, None
        if (view := self.picture()) is not None and view.run:
            self._leave(record(view, language=self._language))
        elif frame is not None:
            for message in frame.withdrawn():
                frame.send(message)
        if frame is not None and frame.was_reloaded:
            self._linger(partial(_close, frame))
        elif frame is not None:
            _close(frame)

    def _leave(self, bundle: Mapping[str, Any]) -> None:
        """Put the record in the place of all that was shown; a cell that has ended can only be told what to change.
        Where no page draws, a front end (jupyter console) may draw no changes either, only what is new.
        """
        if (self._saved.shown or not self.drawn) and not self._released:
            self._output.replace_all(bundle)
            return
        self._output.show(bundle)
        if self._saved.shown:
            self._saved.show(NOTHING)

    def _open(self) -> None:
        """Show the frame, and give its page a while to say hello. Main thread."""

        def heard(command: FromPage) -> None:
            self._at_agent(self._hello if isinstance(command, Hello) else partial(self._send, command))

        frame = self._frame = Frame(run=0, language=self._language, height=self._height)
        frame.on_command(heard)
        frame.on_msg(lambda *_: self._at_agent(self._wake))  # each click is acknowledged, also a late one
        view = {"version_major": 2, "version_minor": 0, "model_id": frame.model_id}
        self._output.show({WIDGET_VIEW: view, "text/plain": self._working})
        self._shown()
        self._at_agent(partial(self._loop.call_later, HELLO_S, self._give_up))

    def _shown(self) -> None:
        """The frame stands there. A request that is kept (run 0) holds its cell until it is a run. Main thread."""
        if (view := self.picture()) is None or view.run:
            self._on_shown()

    def _at_agent(self, call: Callable[[], object]) -> None:
        """Have ``call()`` run on the agent's loop. Any thread."""
        with contextlib.suppress(RuntimeError):  # it has ended; a page may still have the frame, and the person a mouse
            self._loop.call_soon_threadsafe(call)

    def _hello(self) -> None:
        """A page has drawn the frame, so a person can answer there. Agent's loop."""
        if not self._drawn.done():
            self._drawn.set_result(True)
            self._on_drawn(True)

    def _give_up(self) -> None:
        """No page draws it: the static output takes over and questions are asked at ``input()``. Agent's loop."""
        if not self._drawn.done():
            self._drawn.set_result(False)
            self._on_drawn(False)
            self._main.call(self._swap)

    def _wake(self) -> None:
        """There is something to send: send it with the next batch. Agent's loop."""
        self._news = True
        if self._batch is None:
            self._batch = self._loop.call_later(BATCH_S, self._post)

    def _post(self) -> None:
        """Send one batch; the next one waits until the main thread has sent this. Agent's loop."""
        self._news = False
        sent = self._main.call(self._update)
        sent.add_done_callback(lambda _: self._at_agent(self._posted))

    def _posted(self) -> None:
        self._batch = self._loop.call_later(BATCH_S, self._post) if self._news else None

    def _update(self) -> None:
        """Send what the pages do not know yet. Main thread."""
        if self._frame is not None and (view := self.picture()) is not None:
            for message in self._frame.update(view):
                self._frame.send(message)

    def _keep(self) -> None:
        """Keep the folded record beside the frame. Main thread."""
        if self._frame is not None and (view := self.picture()) is not None and view.run:
            self._saved.show(checkpoint(view, saved_ts=time.time(), language=self._language))

    def _swap(self) -> None:
        """Put the static output in the place of a frame that nobody sees. Main thread."""
        frame, self._frame = self._frame, None
        if frame is not None:
            if self._released:
                self._output.show({"text/plain": self._working})
            else:
                self._output.replace_all({"text/plain": self._working})
                self._saved.shown = False
            self._save()
            _close(frame)


def _close(frame: Frame) -> None:
    """Close it and the layout that every widget brings along, so that no widget state is left to save."""
    layout = frame.layout
    frame.close()
    layout.close()
