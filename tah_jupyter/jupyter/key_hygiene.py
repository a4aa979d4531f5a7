"""A key that was typed into a cell is saved with the notebook: after such a cell one line says so, and what to use.

Two looks, both at the text alone: names that are given a value which only a secret has (``%env OPENAI_API_KEY=…``,
``os.environ["…"] = "…"``, ``api_key="…"``), and the shapes of keys wherever they stand. Most cells have neither such a
word nor such a shape and cost a few microseconds.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from tah_jupyter.host.secrets.values import secrets_in
from tah_jupyter.jupyter.printing import tell
from tah_jupyter.ui.words import Words

if TYPE_CHECKING:
    from tah_jupyter.host.secrets.redact import Redactor

__all__ = ["holds_key", "install", "remove"]

_MAX_CHARS = 200_000  # what is longer was not typed

_HINTS = (
    *("key", "token", "secret", "passw", "credential", "bearer", "authorization", "://", "akia", "asia", "aiza", "eyj"),
    *("sk-", "xai-", "nvapi-", "tvly-", "pypi-", "glpat-", "xox", "xapp-", "sk_", "rk_", "gsk_", "hf_", "npm_", "r8_"),
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "whsec_", "sg."),
)
"""Texts, in lower case, of which each key has one: what holds none of them is not looked at again."""

_NAME = r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
_GIVEN = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf"^\s*%(?:set_)?env\s+{_NAME}\s*[=\s]\s*['\"]?(?P<value>[^\s'\"{{$][^\s'\"]*)",
        rf"""environ\s*\[\s*['"]{_NAME}['"]\s*\]\s*=\s*f?['"](?P<value>[^'"\n]+)['"]""",
        rf"""(?:putenv|setdefault|setenv)\s*\(\s*['"]{_NAME}['"]\s*,\s*['"](?P<value>[^'"\n]+)['"]""",
        rf"^\s*!?\s*export\s+{_NAME}=['\"]?(?P<value>[^\s'\"$][^\s'\"]*)",
    )
)
_ASSIGNED = re.compile(rf"""\b{_NAME}\s*=\s*['"](?P<value>[^'"\n]+)['"]""")
"""An assignment or an argument: its name alone says little (``key="amount"``), so its value must look random too."""

_PLACEHOLDER = re.compile(r"your|xxx|\.\.\.|…|<|\{|\$|example|changeme|placeholder|todo|\bname\b", re.IGNORECASE)


def holds_key(cell: str) -> bool:
    """Whether ``cell`` holds a key that would be saved with it.

    >>> holds_key("%env OPENAI_API_KEY=sk-proj-Ab1Cd2Ef3Gh4Ij5Kl6Mn"), holds_key("%env OPENAI_API_KEY")
    (True, False)
    """
    lowered = cell.lower()
    if len(cell) > _MAX_CHARS or not any(hint in lowered for hint in _HINTS):
        return False
    return any(secrets_in({name: value}) for name, value in _given(cell)) or _has_shape(cell)


def install(shell: Any, words: Callable[[], Words]) -> None:
    """Look at each cell once it has run; ``words()`` are the person's. What is found is never printed."""

    def look(result: Any) -> None:
        cell = getattr(getattr(result, "info", None), "raw_cell", None)
        if isinstance(cell, str) and holds_key(cell):
            tell(words().say("key_in_cell"))

    look.tah_key_hygiene = True  # type: ignore[attr-defined]  # by which it is found again
    shell.events.register("post_run_cell", look)


def remove(shell: Any) -> None:
    """Look no more."""
    for callback in tuple(shell.events.callbacks["post_run_cell"]):
        if getattr(callback, "tah_key_hygiene", False):
            shell.events.unregister("post_run_cell", callback)


def _given(cell: str) -> Iterator[tuple[str, str]]:
    """Names and the literal values they are given."""
    found = [match for pattern in _GIVEN for match in pattern.finditer(cell)]
    found += [match for match in _ASSIGNED.finditer(cell) if _looks_random(match["value"])]
    for match in found:
        if _PLACEHOLDER.search(match["value"]) is None and " " not in match["value"]:
            yield match["name"].upper(), match["value"]


def _looks_random(value: str) -> bool:
    runs = re.split(r"[^A-Za-z0-9]", value)
    return any(len(run) >= 12 and not run.isalpha() and not run.isdecimal() for run in runs)


def _has_shape(cell: str) -> bool:
    """Whether a key of a known shape stands in it, with the patterns that also keep keys out of the log."""
    return bool(_redactor().spans(cell))


@cache
def _redactor() -> "Redactor":
    from tah_jupyter.host.secrets.redact import Redactor  # noqa: PLC0415 - compiles patterns: not at load

    return Redactor()
