"""The notebook's one conversation on the agent's thread: it opens the session, keeps the order of runs, folds records.

Imported on the agent's thread at the first request, because it brings everything heavy with it.
"""

import asyncio
import platform
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tah_jupyter.agent.session import Session
from tah_jupyter.agent.setup import Result
from tah_jupyter.app import open_session
from tah_jupyter.core.approvals import Answer
from tah_jupyter.core.commands import Command, SetMode, Stop
from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.events import (
    ApprovalRequested,
    Event,
    ModelChanged,
    Notice,
    RunReleased,
    SessionOpened,
    TurnEnded,
)
from tah_jupyter.core.questions import Question, Reply
from tah_jupyter.jupyter.agent_thread import AgentThread, Job
from tah_jupyter.jupyter.held import Held
from tah_jupyter.jupyter.person import FrontDesk, NotebookPerson
from tah_jupyter.jupyter.place import Place
from tah_jupyter.jupyter.settling import Settled, Settling
from tah_jupyter.jupyter.surfaces import Surface
from tah_jupyter.runtime.config import Config
from tah_jupyter.ui.phrases import Phrases
from tah_jupyter.ui.run_view import RunView
from tah_jupyter.ui.transcript import Transcript
from tah_jupyter.ui.words import Words

if TYPE_CHECKING:
    from tah_jupyter.jupyter.loaded import Loaded

__all__ = ["Conversation", "Request", "Told"]


class Request(NamedTuple):
    """What a cell asks: ``config()`` has its options in it and is read when its turn comes, as the run before it may
    have settled another model (it blocks); ``new`` begins a new session, ``from_start`` opens the model anew (the cell
    names a script, which is played from its first answer), ``released()`` is called when the cell is given back while
    the run goes on, and ``background`` says that it was given back from the start.
    """

    prompt: str
    config: Callable[[], Config]
    surface: Surface
    released: Callable[[], None] = lambda: None
    new: bool = False
    from_start: bool = False
    background: bool = False


class Told(NamedTuple):
    """How a run ended: its result, and its picture."""

    result: Result
    view: RunView


class Conversation:
    """Runs requests one after the other, in order. Methods belong to the agent's loop."""

    def __init__(self, thread: AgentThread, loaded: "Loaded") -> None:
        self.session: Session | None = None
        self.transcript = Transcript()
        self._thread = thread
        self._loaded = loaded
        self._loop = asyncio.get_running_loop()
        self._desk = FrontDesk()
        self._turn = asyncio.Lock()
        self._run = 0
        self._request: Request | None = None
        self._held: Held | None = None
        self._last_ids: dict[Path, str] = {}  # by folder: each has sessions of its own
        self._fixed: tuple[object, ...] = ()
        self.shown: set[str] = set()
        """Ids of approvals that were printed for a person, outside of the run's own output."""
        self._config = Config()
        self._settling = Settling(loaded, self.ask_person, self._secret, self._say)
        self._person = NotebookPerson(self._desk, self.ask_person, self._rescue, lambda: Words(self.language))
        self._closing: asyncio.Event | None = None
        self._keeper: Job[None] | None = None

    @property
    def language(self) -> str:
        """The language of what is shown."""
        return self._loaded.language(self._config)

    @property
    def in_background(self) -> RunView | None:
        """The run that no cell waits for, or None. Any thread."""
        try:
            view = self.transcript.run(self._run) if self._request is not None else None
        except KeyError:  # it was handed over and has not begun
            return None
        return view if view is not None and view.background and view.ended_ts is None else None

    @property
    def drawn(self) -> bool:
        """Whether a page draws the run, and so its cards. Any thread."""
        return self._request is not None and self._request.surface.drawn

    def answer(self, approval_id: str, answer: Answer) -> bool:
        """Answer an approval from outside of the run's own output. False when it came too late."""
        return self._desk.answer(approval_id, answer)

    def reply(self, question_id: str, key: str) -> bool:
        """The same for a question."""
        return self._desk.reply(question_id, Reply(key))

    def stop(self, run: int) -> None:
        """End a run. Any thread."""
        self._send(Stop(run))

    async def ask(self, request: Request) -> Told:
        """Run a request and show it on its surface. Raises TahError when no run could begin, Withdrawn when the person
        took it back while it was kept.
        """
        if self._turn.locked():
            request.surface.say(Words(self.language).say("waiting_for_run", n=self._run))
        async with self._turn:
            self._request, self._desk.surface, self._desk.released = request, request.surface, False
            try:
                config = await asyncio.to_thread(request.config)
                session = await self._session_for(await self._settling.settled(config), request)
                self._run = session.tally.runs + 1
                self._desk.released = request.background  # until here the cell waits, so its person can be asked
                request.surface.begin(partial(self.transcript.run, self._run), self._send)
                self._loop.call_soon(self._say_again)  # the run begins before it first waits
                result = await session.run(request.prompt, background=request.background)
            finally:
                self._request = self._desk.surface = self._held = None
            return Told(result, self.transcript.run(result.run))

    async def ask_person(self, question: Question) -> Reply | None:
        """Put a question to the person: inside the run where there is one, else beside the kept request."""
        if self.session is not None and self.session.running:
            return await self.session.ask(question)
        if self._request is None:
            return None
        if self._held is None:
            self._held = Held(self._request.prompt, self._request.surface, self._desk.question)
            self._request.surface.begin(self._held.picture, self._send)
        return await self._held.ask(question)

    async def _rescue(self, error: ModelError) -> str | None:
        view = self.transcript.run(self._run)
        return await self._settling.rescue(error, view.model, untouched=Phrases.untouched(view))

    async def _secret(self, prompt: str) -> str | None:
        surface = self._desk.surface
        return await surface.secret(prompt) if surface is not None and not self._desk.released else None

    def _say(self, text: str) -> None:
        """A line about what is being settled: in the run, beside the kept request, or in the cell's output."""
        if self.session is not None and self.session.running:
            self.session.runtime.emitter.emit(Notice(text=text, code="settling"))
        elif self._held is not None:
            self._held.say(text)
        elif self._desk.surface is not None:
            self._desk.surface.say(text)

    def _say_again(self) -> None:
        """What was settled while the request was kept, in the run that takes its place: a key that works, a model that
        only answers.
        """
        for text in self._held.said if self._held is not None else ():
            self._say(text)

    def _send(self, command: Command) -> None:
        """What a surface sends, from any thread."""
        session = self.session
        if session is not None and session.running:
            session.send(command)
        else:
            self._loop.call_soon_threadsafe(self._desk.take, command)

    async def _session_for(self, settled: Settled, request: Request) -> Session:
        """The open session when it fits the request, else the same one opened anew, or a new one."""
        fixed = _fixed(settled, self._loaded.place)
        if request.new or request.from_start or fixed != self._fixed:
            await self._close()
        if self.session is None:
            self._fixed = fixed
            self.session = await self._open(settled, new=request.new)
        mode = settled.config.permissions.mode
        if self.session.mode != mode:
            self.session.send(SetMode(mode))
            await asyncio.sleep(0)  # the inbox delivers on the loop's next turn
        return self.session

    async def _open(self, settled: Settled, *, new: bool) -> Session:
        """Open a session in a keeper, which holds it until :meth:`_close` or the end of the thread."""
        await self._close()
        place = self._loaded.place
        self._config, self._closing = settled.config, asyncio.Event()
        opened: asyncio.Future[Session] = asyncio.get_running_loop().create_future()
        self._keeper = self._thread.keep(partial(self._hold, settled, new, opened, self._closing))
        session = await opened
        if _root(session) == str(place.root):  # not the demo's, which is gone with its folder
            self._last_ids[place.root] = session.session_id
        self.transcript = Transcript.of(session.records)
        session.subscribe(self._told)
        return session

    async def _hold(
        self, settled: Settled, new: bool, opened: "asyncio.Future[Session]", closing: asyncio.Event
    ) -> None:
        """Hold the session open; ``opened`` gets it, or why there is none."""
        place = self._loaded.place
        try:
            async with open_session(
                root=place.root,
                folders=place.folders,
                model=settled.config.model or "",
                approver=self._desk,
                tools=None if settled.has_tools else (),
                config=settled.config,
                resume=None if new else self._last_ids.get(place.root),
                notebook=place.notebook,
                new=new,
                kernel_facts=_kernel_facts(),
                environ=self._loaded.keys,
                person=self._person,
            ) as session:
                if opened.cancelled():  # the cell was interrupted meanwhile
                    return
                opened.set_result(session)
                await closing.wait()
        except Exception as error:
            if opened.done():
                raise
            opened.set_exception(error)

    async def _close(self) -> None:
        """Close the session and wait until its log is free; an interrupt meanwhile leaves that to the next call."""
        self.session = None
        if self._closing is not None and self._keeper is not None:
            self._closing.set()
            await asyncio.wrap_future(self._keeper.future)
            self._keeper = None

    def _told(self, record: Event) -> None:
        self.transcript.apply(record)
        if self._request is None or record.run != self._run:
            return
        if isinstance(record, ModelChanged):
            self._settling.model_changed()
        if isinstance(record, RunReleased):
            self._desk.released = True
            self._request.released()
        self._request.surface.changed(checkpoint=isinstance(record, TurnEnded | ApprovalRequested))


def _root(session: Session) -> str:
    """The folder that a session was opened in."""
    return next(record.root for record in reversed(session.records) if isinstance(record, SessionOpened))


def _fixed(settled: Settled, place: Place) -> tuple[object, ...]:
    """What an open session cannot change any more."""
    config = settled.config
    plain = config._replace(permissions=config.permissions._replace(mode="default"), rows=(), problems=())
    return plain, settled.has_tools, place.root, place.folders


def _kernel_facts() -> str:
    """What the model is told of the kernel it works in."""
    versions = [
        f"{name} {module.__version__}" for name in ("IPython", "ipykernel") if (module := sys.modules.get(name))
    ]
    return ", ".join([f"Python {platform.python_version()}", *versions])
