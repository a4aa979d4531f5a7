"""What the person, the folder and the machine have settled, merged: :func:`load` gives one :class:`Config`.

Order, later wins: defaults, Jupyter's own config files, the person's file, the folder's ``tah.config.json``, ``TAH_*``
variables, commands of the session. Lists of permission rules add up instead. The folder's file may tighten what is
allowed and never loosen it (law 8); trusting a folder is not built yet, so none is trusted.

Only the standard library is used here: ``%load_ext`` reads the config, and must stay light (law 9).
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from tah_jupyter.core.errors import ConfigError
from tah_jupyter.runtime.config_check import Problem, Setting, Source
from tah_jupyter.runtime.config_schema import Key, leaves
from tah_jupyter.runtime.config_sources import (
    OWN_FILE,
    PROJECT_FILE,
    from_environment,
    from_file,
    from_values,
    user_file,
)

__all__ = [
    "NO_FOLDERS",
    "Budget",
    "Capabilities",
    "Config",
    "Endpoint",
    "Folders",
    "Mode",
    "Permissions",
    "Problem",
    "Row",
    "Ui",
    "load",
]

Mode: TypeAlias = Literal["default", "accept_edits", "plan", "dont_ask", "bypass"]


class Endpoint(NamedTuple):
    """An entry of ``models``: where a model answers. ``api_key_env`` names a variable, it never holds a key; only for
    the ``route`` litellm ``base_url`` may be empty.
    """

    name: str
    base_url: str
    model: str
    api_key_env: str = ""
    context_window: int | None = None
    headers: Mapping[str, str] = {}
    route: Literal["direct", "litellm"] = "direct"

    def __repr__(self) -> str:
        return f"Endpoint({self.name!r}, {self.base_url!r}, {self.model!r}, headers={sorted(self.headers)})"


class Permissions(NamedTuple):
    """The mode and the rules, each the plain name of a tool."""

    mode: Mode = "default"
    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


class Budget(NamedTuple):
    """Where a run asks whether to go on, or ends when nobody can answer."""

    max_turns: int = 50


class Folders(NamedTuple):
    """Folders beside the workspace's own: those whose files may be changed, and those that may only be read."""

    change: tuple[Path, ...] = ()
    read: tuple[Path, ...] = ()

    def joined(self, other: "Folders") -> "Folders":
        """These and the ``other`` ones. Of a folder that both name, these say what may be done in it."""
        change, read = ([folder for folder in some if folder not in (*self.change, *self.read)] for some in other)
        return Folders((*self.change, *change), (*self.read, *read))


NO_FOLDERS = Folders()


class Ui(NamedTuple):
    """Words and sizes; ``height`` is in CSS pixels."""

    language: Literal["auto", "en", "zh"] = "auto"
    height: int = 320


class Capabilities(NamedTuple):
    """Kinds of work offered to the model. ``vision`` is None when the model decides; ``exec`` is never true without
    ``coding``.
    """

    coding: bool = True
    exec: bool = True
    vision: bool | None = None


class Row(NamedTuple):
    """One line of ``%tah config``: the dotted key, its value as JSON with secrets hidden, and where it comes from."""

    key: str
    value: str
    source: str


class Config(NamedTuple):
    """Everything that is settled. Make one with :func:`load`; ``Config()`` is the defaults.

    ``problems`` are for the person. When one of them is fatal, :attr:`fail_closed` is true and every call asks: the
    allow rules are already taken out and the mode is no looser than ``default``; the gate must ask for read-only calls
    too.
    """

    model: str | None = None
    models: Mapping[str, Endpoint] = {}
    fallback_models: tuple[str, ...] = ()
    permissions: Permissions = Permissions()
    budget: Budget = Budget()
    folders: Folders = NO_FOLDERS
    session_dir: Path | None = None
    ui: Ui = Ui()
    capabilities: Capabilities = Capabilities()
    pass_env: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def fail_closed(self) -> bool:
        """Whether a source is broken, so that everything asks until it is mended."""
        return any(problem.fatal for problem in self.problems)

    @property
    def provenance(self) -> dict[str, str]:
        """Where each value comes from, by dotted key; ``default`` when nobody set it."""
        return {row.key: row.source for row in self.rows}


def load(
    root: Path | None = None,
    *,
    jupyter: Mapping[str, Any] | None = None,
    session: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Config:
    """Read and merge all sources. Blocks on two small files; call it in a thread when a loop is running.

    ``root`` is the workspace, whose ``tah.config.json`` is read; None reads no folder's file. ``jupyter`` and
    ``session`` hold values by dotted key, such as ``{"permissions.mode": "plan"}``. ``environ`` replaces the process's
    environment, for the person's file and the ``TAH_*`` variables.

    A broken file is reported in :attr:`Config.problems` and never raises. Raises ConfigError for a mistake in
    ``session``, which comes from a command just given.
    """
    environ = os.environ if environ is None else environ
    merge = _Merge()
    merge.add(*from_values(jupyter or {}, Source("Jupyter config")))
    personal = user_file(environ)
    merge.add(*from_file(personal, _short(personal, environ)))
    if root is not None:
        merge.add(*from_file(root / PROJECT_FILE, PROJECT_FILE), of_project=True)
    merge.add(*from_environment(environ))
    settings, problems = from_values(session or {}, Source("this session", by_hand=True))
    if problems:
        raise ConfigError(problems[0].message)
    merge.add(settings, [])
    return merge.config(root or Path())


def _short(path: Path, environ: Mapping[str, str]) -> str:
    home = environ.get("HOME")
    return f"~/{path.relative_to(home)}" if home and path.is_relative_to(home) else str(path)


class _Merge:
    """The values so far, and where each was set."""

    def __init__(self) -> None:
        self.keys: dict[str, Key] = {path: key for path, key in leaves() if not key.later and path != "$schema"}
        self.values: dict[str, Any] = {path: key.default for path, key in self.keys.items() if key.kind != "table"}
        self.sources: dict[str, str] = {}
        self.problems: list[Problem] = []

    def add(self, settings: list[Setting], problems: list[Problem], *, of_project: bool = False) -> None:
        """Put the settings of one source over those before it."""
        self.problems += problems
        for setting in settings:
            if of_project and not _counts(setting.key, self.values.get(setting.path), setting.value):
                self.problems.append(_inert(setting))
            elif setting.path != "$schema":
                self.put(setting)

    def put(self, setting: Setting) -> None:
        path, key = setting.path, setting.key
        self.keys[path] = key
        if path.startswith("permissions.") and key.kind == "list":
            new = tuple(rule for rule in setting.value if rule not in self.values[path])
            self.values[path] += new
            if new:
                self.sources[path] = ", ".join(filter(None, (self.sources.get(path), setting.source)))
        else:
            self.values[path] = setting.value
            self.sources[path] = setting.source

    def config(self, root: Path) -> Config:
        values = self.values
        if any(problem.fatal for problem in self.problems):
            self.close()
        coding = values["capabilities.coding"]
        folder = values["session.dir"]
        return Config(
            model=values["model"],
            models={path.partition(".")[2]: _endpoint(path, v) for path, v in values.items() if _is_endpoint(path)},
            fallback_models=values["fallbackModels"],
            permissions=Permissions(*(values[f"permissions.{name}"] for name in Permissions._fields)),
            budget=Budget(values["budget.maxTurns"]),
            folders=Folders(*(tuple(map(_path, values[f"folders.{name}"])) for name in Folders._fields)),
            session_dir=None if folder is None else root / _path(folder),
            ui=Ui(values["ui.language"], values["ui.height"]),
            capabilities=Capabilities(
                coding is not False,
                coding.get("exec", True) if isinstance(coding, dict) else coding,
                values["capabilities.vision"],
            ),
            pass_env=values["env.pass"],
            rows=tuple(self.row(path) for path in sorted(values)),
            problems=tuple(self.problems),
        )

    def close(self) -> None:
        """Take out what lets calls pass unasked, because a check that was meant may be missing."""
        self.values["permissions.allow"] = ()
        self.sources["permissions.allow"] = "emptied because of the problems below"
        mode = self.keys["permissions.mode"]
        if self.values["permissions.mode"] not in mode.tight:
            self.values["permissions.mode"] = mode.default
            self.sources["permissions.mode"] = "default"

    def row(self, path: str) -> Row:
        shown = self.values[path]
        if isinstance(shown, dict):
            secret = self.keys[path].item
            hidden = {name for name, key in secret.keys.items() if key.secret} if secret else set()
            shown = {name: dict.fromkeys(v, "…") if name in hidden else v for name, v in shown.items()}
        return Row(path, json.dumps(shown, ensure_ascii=False), self.sources.get(path, "default"))


def _counts(key: Key, current: Any, new: Any) -> bool:
    """Whether a value of the folder's own file counts: only when it cannot loosen anything."""
    match key.in_project:
        case "inert":
            return False
        case "counts" | "adds":
            return True
        case "lowers":
            return bool(current is None or new <= current)
        case "tightens":
            # Between two tight values neither is the tighter one for every call, so the person's own stays.
            return new == current or (new in key.tight and current not in key.tight)


def _inert(setting: Setting) -> Problem:
    why = {
        "inert": "a folder's own file cannot set it",
        "lowers": "a folder's own file can only lower it",
        "tightens": f"a folder's own file can only set {' or '.join(setting.key.tight)}, and only over a looser mode",
    }[setting.key.in_project]
    message = f'"{setting.path}" is ignored: {why}. To use it, set it in {OWN_FILE}.'
    return Problem(PROJECT_FILE, setting.line, setting.path, message, fatal=False)


def _path(text: str) -> Path:
    return Path(os.path.expanduser(text))


def _is_endpoint(path: str) -> bool:
    return path.startswith("models.")


def _endpoint(path: str, entry: Mapping[str, Any]) -> Endpoint:
    name = path.partition(".")[2]
    return Endpoint(
        name=name,
        base_url=entry.get("baseUrl", "").rstrip("/"),
        model=entry.get("model", name),
        api_key_env=entry.get("apiKeyEnv", ""),
        context_window=entry.get("contextWindow"),
        headers=entry.get("headers", {}),
        route=entry.get("route", "direct"),
    )
