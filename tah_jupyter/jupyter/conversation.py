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
from tah_jupyter.core.events import ApprovalRequested, Event, SessionOpened, TurnEnded
from tah_jupyter.jupyter.agent_thread import AgentThread, Job
from tah_jupyter.jupyter.place import Place
from tah_jupyter.jupyter.surfaces import Surface
from tah_jupyter.permissions.approvers import Desk
from tah_jupyter.runtime.config import Config
from tah_jupyter.ui.run_view import RunView
from tah_jupyter.ui.transcript import Transcript

__all__ = ["Conversation", "Told", "language_of"]


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
        self._last_id: str | None = None
        self._config = Config()
        self._closing: asyncio.Event | None = None
        self._keeper: Job[None] | None = None

    @property
    def language(self) -> str:
        """The language of records: that of the config, English where it says ``auto``."""
        return language_of(self._config)

    async def ask(
        self, prompt: str, config: Config, surface: Surface, *, new: bool = False, from_start: bool = False
    ) -> Told:
        """Run ``prompt`` and show it on ``surface``; ``config`` has the options of the cell in it, ``new`` begins a new
        session, ``from_start`` opens the model anew: the cell names a script, which is played from its first answer.
        Raises TahError when no run could begin.
        """
        if self._turn.locked():
            surface.say(f"waiting for run {self._run}")
        async with self._turn:
            session = await self._session_for(config, new=new, from_start=from_start)
            self._run = session.tally.runs + 1
            self._desk.surface = surface
            surface.begin(self._run, partial(self.transcript.run, self._run), session.send)
            try:
                result = await session.run(prompt)
            finally:
                self._desk.surface = None
            return Told(result, self.transcript.run(result.run))

    async def _session_for(self, config: Config, *, new: bool, from_start: bool) -> Session:
        """The open session when it fits the request, else the same one opened anew, or a new one."""
        if new or from_start or _fixed(config) != _fixed(self._config):
            await self._close()
        if self.session is None:
            self.session = await self._open(config, new=new)
        if self.session.mode != config.permissions.mode:
            self.session.send(SetMode(config.permissions.mode))
            await asyncio.sleep(0)  # the inbox delivers on the loop's next turn
        return self.session

    async def _open(self, config: Config, *, new: bool) -> Session:
        """Open a session in a keeper, which holds it until :meth:`_close` or the end of the thread."""
        await self._close()
        self._config, self._closing = config, asyncio.Event()
        opened: asyncio.Future[Session] = asyncio.get_running_loop().create_future()
        self._keeper = self._thread.keep(partial(self._hold, new, opened, self._closing))
        session = await opened
        if _root(session) == str(self._place.root):  # not the demo's, which is gone with its folder
            self._last_id = session.session_id
        self.transcript = Transcript.of(session.records)
        session.subscribe(self._told)
        return session

    async def _hold(self, new: bool, opened: "asyncio.Future[Session]", closing: asyncio.Event) -> None:
        """Hold the session open; ``opened`` gets it, or why there is none."""
        try:
            async with open_session(
                root=self._place.root,
                model=self._config.model or "",
                approver=self._desk,
                config=self._config,
                resume=None if new else self._last_id,
                notebook=self._place.notebook,
                new=new,
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
        """Close the session and wait until its log is free; an interrupt meanwhile leaves that to the next call."""
        self.session = None
        if self._closing is not None and self._keeper is not None:
            self._closing.set()
            await asyncio.wrap_future(self._keeper.future)
            self._keeper = None

    def _told(self, record: Event) -> None:
        self.transcript.apply(record)
        if self._desk.surface is not None and record.run == self._run:
            self._desk.surface.changed(checkpoint=isinstance(record, TurnEnded | ApprovalRequested))


def _root(session: Session) -> str:
    """The folder that a session was opened in."""
    return next(record.root for record in reversed(session.records) if isinstance(record, SessionOpened))


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
