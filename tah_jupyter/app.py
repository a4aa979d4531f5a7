"""The composition root: the only place that knows every room. Config → Runtime → Session."""

import datetime
import os
import platform
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import anyio
import msgspec

from tah_jupyter._version import __version__
from tah_jupyter.agent.prompt import Memory, Place, system_prompt
from tah_jupyter.agent.session import Session
from tah_jupyter.agent.setup import Setup
from tah_jupyter.core.approvals import Approver
from tah_jupyter.core.commands import AnswerApproval, AnswerQuestion
from tah_jupyter.core.errors import ConfigError, ToolError
from tah_jupyter.core.events import ApprovalAnswered, Event, Notice, RunEnded, SessionOpened, TurnEnded
from tah_jupyter.core.ports import Model, Person
from tah_jupyter.host.files.memory import read_memories
from tah_jupyter.host.files.workspace import RootLike, Workspace
from tah_jupyter.host.processes.tree import end_survivors
from tah_jupyter.host.secrets.watch import Watch
from tah_jupyter.models.opener import Opener
from tah_jupyter.permissions.approvers import Desk, nobody
from tah_jupyter.permissions.decide import MODES, Mode
from tah_jupyter.permissions.gate import PermissionGate, permissions_plugin
from tah_jupyter.permissions.rules import read_rules
from tah_jupyter.runtime.bus import Bus
from tah_jupyter.runtime.config import NO_FOLDERS, Config, Folders, load
from tah_jupyter.runtime.context import Context, Runtime
from tah_jupyter.runtime.plugin import load_plugins
from tah_jupyter.sessions.log import SessionLog
from tah_jupyter.sessions.reading import Reading
from tah_jupyter.sessions.recorder import SessionRecorder
from tah_jupyter.sessions.replay import close_brackets, survivors
from tah_jupyter.sessions.store import Kept, Store
from tah_jupyter.toolkit.registry import TOOLS, tools_plugin
from tah_jupyter.toolkit.services import LEDGER, RESULTS
from tah_jupyter.toolkit.tool import Tool
from tah_jupyter.tools import discover, make

__all__ = ["built_in_tools", "open_session"]

P = ParamSpec("P")
T = TypeVar("T")


def built_in_tools(workspace: Workspace, config: Config) -> list[Tool[Any, Any]]:
    """The tools of the package that this config offers, for one workspace."""
    capabilities = {"": True, "coding": config.capabilities.coding, "exec": config.capabilities.exec}
    tools = [make(name, workspace) for name in discover()]
    return [tool for tool in tools if capabilities.get(tool.capability, False)]


@asynccontextmanager
async def open_session(
    *,
    root: RootLike = ".",
    model: Model | str,
    approver: Approver = nobody,
    tools: Sequence[Tool[Any, Any]] | None = None,
    mode: Mode = "default",
    config: Config | None = None,
    resume: str | None = None,
    notebook: str = "",
    new: bool = False,
    kernel_facts: str = "",
    environ: Mapping[str, str] | None = None,
    person: Person | None = None,
    folders: Folders = NO_FOLDERS,
) -> AsyncIterator[Session]:
    """Open a session in the folder ``root``; leaving the block closes its log and connections.

    ``model`` is a Model or a name (``demo``, ``scripted:FILE``, a name of the config, ``PROVIDER/MODEL``; empty for the
    one that config or environment settle). By its name the demo works on a copy of its sample project, in a temporary
    folder that lasts as long as the session; only where ``root`` is such a project it works there.

    ``approver`` answers for a person; by default nobody does, and what would ask is denied. ``tools`` replaces the
    built-in ones, ``config`` what the files say; a ``mode`` other than ``default`` goes before the config's. ``resume``
    is a session id; else the newest session of ``notebook`` goes on, unless ``new``. ``kernel_facts`` is one line for
    the system prompt. ``person`` is whom a run may turn to when its model fails or a limit is reached, ``environ``
    where keys are looked up, at each request. ``folders`` are beside ``root``, added to the config's.

    Raises TahError (ConfigError, ModelError, LogError), with what to do next.
    """
    environ = os.environ if environ is None else environ
    mode = _known_mode(mode)
    folder = await _in_thread(_folder, root)
    config = config if config is not None else await _in_thread(load, folder, environ=environ)
    async with AsyncExitStack() as stack:
        opener = Opener(config, environ, stack)
        if isinstance(model, str):
            model, folder, is_copy = await opener.first(model, folder)
            if is_copy:  # it has no earlier session, sees nothing else, and leaves nothing
                resume, folders, config = None, NO_FOLDERS, config._replace(session_dir=None, folders=NO_FOLDERS)
        else:
            stack.push_async_callback(model.aclose)
        secrets = stack.enter_context(closing(Watch(environ)))
        store = Store(folder, config.session_dir, redactor=secrets.redactor, environ=environ)
        kept = await _in_thread(_find, store, resume, notebook, new)
        log, reading = await _opened(kept, stack)
        workspace, gone = await _in_thread(_workspace, folder, kept, folders.joined(config.folders))
        offered = await _in_thread(built_in_tools, workspace, config) if tools is None else tools
        gate, told = _gate(config, mode, offered)
        bus = Bus(SessionRecorder(log, secrets.redactor), next_seq=reading.events[-1].seq + 1 if reading.events else 1)
        runtime, broken = await _in_thread(_runtime, bus, offered, gate, approver, _Records(log, kept))
        await stack.enter_async_context(runtime)
        records = [*reading.events, *await _recover(runtime, reading.events, kept.session_id)]
        place = _place(workspace, notebook, kernel_facts)
        system = await _in_thread(_system_prompt, place, runtime, kept.session_id)
        setup = _setup(kept, model, system, records, gate, approver, config, secrets)
        session = Session(runtime, msgspec.structs.replace(setup, person=person, open_model=opener))
        problems = [problem.text for problem in (log.repaired, *reading.problems) if problem is not None]
        _announce(session, place, [*told, *gone, *broken, *problems, store.notice], resumed=kept.resumed)
        yield session


async def _opened(kept: Kept, stack: AsyncExitStack) -> tuple[SessionLog, Reading]:
    """The log of a session, and what it holds."""
    log = await _in_thread(kept.open_log)
    stack.push_async_callback(_shielded, log.close)
    return log, await _in_thread(log.read)


def _folder(root: RootLike) -> Path:
    try:
        return Workspace.of(root).root
    except (ToolError, ValueError) as error:  # here it is the person's, not the model's; a name may hold a zero byte
        raise ConfigError(f"No session can be opened in {root!s:.200}: {error}", next_step="Name a folder.") from None


def _workspace(root: Path, kept: Kept, folders: Folders) -> tuple[Workspace, list[str]]:
    """The files of a session; and which folders are left out because they are not there."""
    gone = [folder for folder in (*folders.change, *folders.read) if not os.path.isdir(folder)]
    change, read = ([folder for folder in some if folder not in gone] for some in folders)
    told = [f"The folder {folder} does not exist, so it was left out." for folder in gone]
    return Workspace(root, change, readable=[kept.results_dir, *read]), told


def _runtime(
    bus: Bus, tools: Sequence[Tool[Any, Any]], gate: PermissionGate, approver: Approver, records: "_Records"
) -> tuple[Runtime, list[str]]:
    """The house of one session, with the plugins of other packages; and what of those could not be used."""
    runtime = Runtime(bus=bus).use(tools_plugin(tools)).use(permissions_plugin(gate=gate, approver=approver))
    plugins, problems = load_plugins()
    for plugin in (records, *plugins):
        runtime.use(plugin)
    return runtime, problems


def _setup(
    kept: Kept,
    model: Model,
    system: str,
    records: Sequence[Event],
    gate: PermissionGate,
    approver: Approver,
    config: Config,
    secrets: Watch,
) -> Setup:
    return Setup(
        session_id=kept.session_id,
        model=model,
        system=system,
        records=tuple(records),
        answer=_answerer(approver),
        set_mode=partial(_set_mode, gate),
        end_run=gate.end_run,
        mode=lambda: gate.mode,
        redact=secrets.redactor.redact,
        look_again=secrets.look_again,
        max_turns=config.budget.max_turns,
        pass_env=config.pass_env,
        vision=config.capabilities.vision,
        results_dir=kept.results_dir,
        fallbacks=config.fallback_models,
    )


async def _in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Files are read off the loop: a home on a slow network must not stop the kernel."""
    return await anyio.to_thread.run_sync(partial(work, *args, **kwargs))


async def _shielded(work: Callable[[], object]) -> None:
    """Clean up, whatever ends the session: the log is on the disk and its lease free, a copy is removed."""
    with anyio.CancelScope(shield=True):
        await _in_thread(work)


def _find(store: Store, resume: str | None, notebook: str, new: bool) -> Kept:
    return store.create() if new else store.open(resume=resume, notebook=notebook)


def _gate(config: Config, mode: Mode, tools: Sequence[Tool[Any, Any]]) -> tuple[PermissionGate, list[str]]:
    names = [name for tool in tools for name in (tool.name, *tool.aliases)]
    asked = config.permissions
    broken = "; ".join(str(problem).rstrip(".") for problem in config.problems if problem.fatal)
    rules, told = read_rules(deny=asked.deny, ask=asked.ask, allow=asked.allow, tools=names, broken=broken)
    others = [str(problem) for problem in config.problems if not problem.fatal]
    return PermissionGate(rules, asked.mode if mode == "default" else mode), [*told, *others]


def _set_mode(gate: PermissionGate, mode: str) -> None:
    gate.mode = _known_mode(mode)


def _known_mode(mode: str) -> Mode:
    """``mode`` itself. Raises ConfigError for one that does not exist: what is shown must be what holds."""
    for known in MODES:
        if known == mode:
            return known
    raise ConfigError(f"There is no mode {mode!r}.", next_step=f"Use one of: {', '.join(MODES)}.")


def _answerer(approver: Approver) -> Callable[[AnswerApproval | AnswerQuestion], bool]:
    """Answers that are sent to the session reach the approver when it is a desk; others answer by themselves."""

    def answer(command: AnswerApproval | AnswerQuestion) -> bool:
        if not isinstance(approver, Desk):
            return False
        if isinstance(command, AnswerQuestion):
            return approver.reply(command.question_id, command.reply)
        return approver.answer(command.approval_id, command.answer)

    return answer


class _Records:
    """Provides the log and the place of long results to the pipeline."""

    name = "records"
    requires: tuple[str, ...] = ()

    def __init__(self, log: SessionLog, kept: Kept) -> None:
        self._log = log
        self._kept = kept

    def setup(self, ctx: Context) -> None:
        ctx.on(self._sync_soon)
        ctx.provide(LEDGER, self._log)
        ctx.provide(RESULTS, self._kept)

    def _sync_soon(self, record: Event) -> None:
        """What a person said, and each turn, is on the disk soon; what may change something waits for it anyway."""
        if isinstance(record, ApprovalAnswered | TurnEnded | RunEnded):
            self._log.sync_soon()


async def _recover(runtime: Runtime, records: Sequence[Event], session_id: str) -> list[Event]:
    """After a crash: end what still runs, then close what is open. Returns the records that were added."""
    living = survivors(records)
    if living:
        await _in_thread(end_survivors, living)
    publish = runtime.bus.publish
    return [
        publish(end, session=session_id, run=end.run, turn=end.turn, parent=end.parent)
        for end in close_brackets(records)
    ]


def _place(workspace: Workspace, notebook: str, kernel_facts: str) -> Place:
    return Place(
        root=str(workspace.root),
        date=datetime.date.today().isoformat(),
        platform=f"{platform.system()} {platform.machine()}",
        notebook=notebook,
        kernel=kernel_facts,
    )


def _system_prompt(place: Place, runtime: Runtime, session_id: str) -> str:
    guidance = [line for tool in runtime.get(TOOLS).list() if (line := tool.guidance())]
    memories = [Memory(path, text) for path, text in read_memories(Path(place.root))]
    return system_prompt(place, guidance, memories, session_id)


def _announce(session: Session, place: Place, told: Sequence[str], *, resumed: bool) -> None:
    emit = session.runtime.emitter.emit
    emit(SessionOpened(root=place.root, notebook=place.notebook, version=__version__, resumed=resumed))
    for text in filter(None, told):
        emit(Notice(text=text, level="warning", code="opening"))
