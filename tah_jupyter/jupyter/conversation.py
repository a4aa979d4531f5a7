"""The notebook's one conversation on the agent's thread: it opens the session, keeps the order of runs, folds records.

Imported on the agent's thread at the first request, because it brings everything heavy with it.
"""

import asyncio
import platform
import sys
from functools import partial
from typing import NamedTuple

from tah_jupyter.agent.session import Result, Session
from tah_jupyter.app import open_session
from tah_jupyter.core.approvals import Answer, ApprovalRequest
from tah_jupyter.core.commands import SetMode
from tah_jupyter.core.events import ApprovalRequested, Event, TurnEnded
from tah_jupyter.jupyter.agent_thread import AgentThread, Job
from tah_jupyter.jupyter.place import Place
from tah_jupyter.jupyter.surfaces import Surface
from tah_jupyter.permissions.approvers import Desk
from tah_jupyter.runtime.config import Config
from tah_jupyter.ui.run_view import RunView
from tah_jupyter.ui.transcript import Transcript

__all__ = ["Conversation", "Request", "Told", "language_of"]


class Request(NamedTuple):
    """One request and what it asks for. ``config`` is merged already, with the options of this cell on top."""

    prompt: str
    config: Config
    new: bool = False


class Told(NamedTuple):
    """How a run ended: its result, and its picture."""

    result: Result
    view: RunView


class FrontDesk(Desk):
    """Where the run's questions go: to the page's buttons, or to whatever else the cell's surface has."""

    def __init__(self) -> None:
        super().__init__()
        self.surface: Surface | None = None

    async def __call__(self, request: ApprovalRequest) -> Answer | None:
        surface = self.surface
        voice = await surface.voice() if surface is not None else "nobody"
        if surface is None or voice == "nobody":
            return None
        return await (surface.ask(request) if voice == "stdin" else super().__call__(request))


class Conversation:
    """Runs requests one after the other, in order. Methods belong to the agent's loop."""

    def __init__(self, thread: AgentThread, place: Place) -> None:
        self.session: Session | None = None
        self.transcript = Transcript()
        self._thread = thread
        self._place = place
        self._desk = FrontDesk()
        self._turn = asyncio.Lock()
        self._run = 0
        self._config = Config()
        self._closing: asyncio.Event | None = None
        self._keeper: Job[None] | None = None

    @property
    def language(self) -> str:
        """The language of records: that of the config, English where it says ``auto``."""
        return language_of(self._config)

    async def ask(self, request: Request, surface: Surface) -> Told:
        """Run ``request`` and show it on ``surface``. Raises TahError when no run could begin."""
        if self._turn.locked():
            surface.say(f"waiting for run {self._run}")
        async with self._turn:
            session = await self._session_for(request)
            self._run = session.tally.runs + 1
            self._desk.surface = surface
            surface.begin(self._run, partial(self.transcript.run, self._run), session.send)
            try:
                result = await session.run(request.prompt)
            finally:
                self._desk.surface = None
            return Told(result, self.transcript.run(result.run))

    async def _session_for(self, request: Request) -> Session:
        """The open session when it fits the request, else the same one opened anew, or a new one."""
        resume = self.session.session_id if self.session is not None else None
        if self.session is not None and (request.new or _fixed(request.config) != _fixed(self._config)):
            await self._close()
        if self.session is None:
            self.session = await self._open(request, None if request.new else resume)
        if self.session.mode != request.config.permissions.mode:
            self.session.send(SetMode(request.config.permissions.mode))
            await asyncio.sleep(0)  # the inbox delivers on the loop's next turn
        return self.session

    async def _open(self, request: Request, resume: str | None) -> Session:
        """Open a session in a keeper, which holds it until :meth:`_close` or the end of the thread."""
        self._config, self._closing = request.config, asyncio.Event()
        opened: asyncio.Future[Session] = asyncio.get_running_loop().create_future()
        self._keeper = self._thread.keep(partial(self._hold, request, resume, opened, self._closing))
        session = await opened
        self.transcript = Transcript.of(session.records)
        session.subscribe(self._told)
        return session

    async def _hold(
        self, request: Request, resume: str | None, opened: "asyncio.Future[Session]", closing: asyncio.Event
    ) -> None:
        """Hold the session open; ``opened`` gets it, or why there is none."""
        try:
            async with open_session(
                root=self._place.root,
                model=request.config.model or "",
                approver=self._desk,
                config=request.config,
                resume=resume,
                notebook=self._place.notebook,
                new=request.new,
                kernel_facts=_kernel_facts(),
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
        if self._closing is not None and self._keeper is not None:
            self._closing.set()
            await asyncio.wrap_future(self._keeper.future)
        self.session = None

    def _told(self, record: Event) -> None:
        self.transcript.apply(record)
        if self._desk.surface is not None and record.run == self._run:
            self._desk.surface.changed(checkpoint=isinstance(record, TurnEnded | ApprovalRequested))


def _fixed(config: Config) -> Config:
    """What of a config an open session cannot change any more."""
    return config._replace(permissions=config.permissions._replace(mode="default"), rows=(), problems=())


def language_of(config: Config) -> str:
    """The language that ``ui.language`` settles."""
    return "en" if config.ui.language == "auto" else config.ui.language


def _kernel_facts() -> str:
    """What the model is told of the kernel it works in."""
    versions = [
        f"{name} {module.__version__}" for name in ("IPython", "ipykernel") if (module := sys.modules.get(name))
    ]
    return ", ".join([f"Python {platform.python_version()}", *versions])
