"""Scripts as JSON files, for ``--model scripted:FILE``.

The file is a list of answers, each a step or a list of steps; a step is an object with one verb:

    {"says": "text"}   {"thinks": "text"}   {"calls": "read_file", "args": {"path": "a.py"}}
    {"waits": 0.5}     {"ends": "length"}   {"fails": "rate_limit", "message": "…"}
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec

from tah_jupyter.core.errors import ConfigError, ModelErrorKind
from tah_jupyter.models.scripts.script import Step, calls, ends, fails, says, thinks, waits

__all__ = ["read_script"]


class _Says(msgspec.Struct, forbid_unknown_fields=True):
    says: str


class _Thinks(msgspec.Struct, forbid_unknown_fields=True):
    thinks: str


class _Calls(msgspec.Struct, forbid_unknown_fields=True):
    calls: str
    args: dict[str, Any] = {}


class _Waits(msgspec.Struct, forbid_unknown_fields=True):
    waits: float


class _Ends(msgspec.Struct, forbid_unknown_fields=True):
    ends: Literal["stop", "calls", "length", "filter"]


class _Fails(msgspec.Struct, forbid_unknown_fields=True):
    fails: ModelErrorKind
    message: str = ""


_VERBS: dict[str, tuple[type[msgspec.Struct], Callable[[Any], Step]]] = {
    "says": (_Says, lambda step: says(step.says)),
    "thinks": (_Thinks, lambda step: thinks(step.thinks)),
    "calls": (_Calls, lambda step: calls(step.calls, **step.args)),
    "waits": (_Waits, lambda step: waits(step.waits)),
    "ends": (_Ends, lambda step: ends(step.ends)),
    "fails": (_Fails, lambda step: fails(step.fails, step.message)),
}


def read_script(path: Path) -> list[list[Step]]:
    """The answers in ``path``. Raises ConfigError naming the file and the answer that cannot be used."""
    try:
        answers = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"The script {path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise ConfigError(f"The script {path} is not valid JSON: {error}.") from error
    if not isinstance(answers, list):
        raise ConfigError(f"The script {path} must be a list of answers.")
    return [_answer(answer, f"answer {number} of the script {path}") for number, answer in enumerate(answers, 1)]


def _answer(answer: object, where: str) -> list[Step]:
    return [_step(step, where) for step in (answer if isinstance(answer, list) else [answer])]


def _step(step: object, where: str) -> Step:
    verbs = [verb for verb in _VERBS if isinstance(step, dict) and verb in step]
    if len(verbs) != 1:
        known = ", ".join(_VERBS)
        raise ConfigError(f"In {where}, a step must be an object with exactly one of: {known}.")
    shape, build = _VERBS[verbs[0]]
    try:
        return build(msgspec.convert(step, shape))
    except msgspec.ValidationError as error:
        raise ConfigError(f"In {where}, the step {verbs[0]!r} cannot be used: {error}.") from error
