"""The sources of settings, read: files, environment variables, and what a caller hands in."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tah_jupyter.runtime.config_check import Problem, Setting, Source, check, nearest
from tah_jupyter.runtime.config_schema import Key, leaves, variable

__all__ = ["MAX_FILE_BYTES", "OWN_FILE", "PROJECT_FILE", "from_environment", "from_file", "from_values", "user_file"]

PROJECT_FILE = "tah.config.json"
OWN_FILE = "~/.config/tah/config.json"
"""How the person's own file is called in advice: the one place where models may be named (law 8)."""

MAX_FILE_BYTES = 256 * 1024
_LATER_VARIABLES = "TAH_FEATURE_"
_MARKS = ("TAH_PROCESS",)  # set on commands by host.process_tree, so that a kernel started by a command has it
_FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}

Checked = tuple[list[Setting], list[Problem]]


def user_file(environ: Mapping[str, str]) -> Path:
    """The person's own config file: under ``XDG_CONFIG_HOME`` when that is absolute, else under ``~/.config``."""
    folder = environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(folder):
        home = environ.get("HOME") or os.path.expanduser("~")
        folder = os.path.join(home, ".config")
    return Path(folder, "tah", "config.json")


def from_file(path: Path, name: str) -> Checked:
    """The settings of a config file; a file that is not there has none. ``name`` is how messages call it."""
    try:
        text = _read(path)
    except FileNotFoundError:
        return [], []
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return [], [Problem(name, 0, "", f"it cannot be read: {reason}.")]
    from tah_jupyter.runtime.located_json import JsonError, parse  # noqa: PLC0415 - a millisecond, where a file is

    try:
        value, lines = parse(text)
    except JsonError as error:
        return [], [Problem(name, error.line, "", f"{error.message}.")]
    return check(value, Source(name, lines))


def _read(path: Path) -> str:
    """The text of a regular file of a sensible size. A FIFO or device of that name must not hang the kernel."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ValueError("it is not a regular file")
        with open(handle, "rb", closefd=False) as file:
            data = file.read(MAX_FILE_BYTES + 1)
    finally:
        os.close(handle)
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(f"it is larger than {MAX_FILE_BYTES // 1024} KiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8 text") from None


def from_environment(environ: Mapping[str, str]) -> Checked:
    """The settings of ``TAH_*`` variables, one for each key: ``TAH_BUDGET_MAX_TURNS=20``, lists with commas."""
    known = {variable(path): (path, key) for path, key in leaves() if _has_variable(path, key)}
    settings: list[Setting] = []
    problems: list[Problem] = []
    for name, text in environ.items():
        if not name.startswith("TAH_") or name in _MARKS or not text.strip():
            continue
        if name.startswith(_LATER_VARIABLES):
            problems.append(Problem(name, 0, name, "it is not used by this version.", fatal=False))
        elif name not in known:
            problems.append(Problem(name, 0, name, f"no such setting; {nearest(name, known)}"))
        else:
            path, key = known[name]
            found, wrong = from_values({path: _from_text(key, text.strip())}, Source(name))
            settings += found
            problems += wrong
    return settings, problems


def _has_variable(path: str, key: Key) -> bool:
    fits = key.or_flag or key.kind in ("text", "whole", "flag", "list")
    return fits and not key.later and not path.startswith("$")


def _from_text(key: Key, text: str) -> Any:
    """The JSON value that ``text`` spells for ``key``; text that spells none is left for the check to refuse."""
    if key.kind == "list":
        return [part.strip() for part in text.split(",") if part.strip()]
    if key.kind == "flag" or key.or_flag:
        return _FLAGS.get(text.lower(), text)
    if key.kind == "whole" and len(text) < 20:
        try:
            return int(text)
        except ValueError:
            return text
    return text


def from_values(values: Mapping[str, Any], source: Source) -> Checked:
    """Settings handed in by code, by dotted path: ``{"permissions.mode": "plan"}``."""
    settings: list[Setting] = []
    problems: list[Problem] = []
    for path, value in values.items():
        tree = value
        for part in reversed(path.split(".")):
            tree = {part: tree}
        found, wrong = check(tree, source)
        settings += found
        problems += wrong
    return settings, problems
