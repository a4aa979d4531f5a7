"""A key that was typed into a cell is saved with the notebook: after such a cell one line says so, and what to use.

Two looks, both at the text alone: names that are given a value which only a secret has (``%env OPENAI_API_KEY=…``,
``os.environ["…"] = "…"``, ``api_key="…"``), and the shapes of keys wherever they stand. Most cells have neither such a
word nor such a shape and cost a few microseconds.
"""

from collections.abc import Callable
from typing import Any

from tah_jupyter.jupyter.printing import tell
from tah_jupyter.ui.words import Words

__all__ = ["holds_key", "install", "remove"]

_MAX_CHARS = 200_000  # what is longer was not typed

_HINTS = (
    *("key", "token", "secret", "passw", "credential", "bearer", "authorization", "://", "akia", "asia", "aiza", "eyj"),
    *("sk-", "xai-", "nvapi-", "tvly-", "pypi-", "glpat-", "xox", "xapp-", "sk_", "rk_", "gsk_", "hf_", "npm_", "r8_"),
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "whsec_", "sg."),
)
"""Texts, in lower case, of which each key has one: what holds none of them is not looked at again."""


def holds_key(cell: str) -> bool:
    """Whether ``cell`` holds a key that would be saved with it.

    >>> holds_key("%env OPENAI_API_KEY=sk-proj-Ab1Cd2Ef3Gh4Ij5Kl6Mn"), holds_key("%env OPENAI_API_KEY")
    (True, False)
    """
    lowered = cell.lower()
    if len(cell) > _MAX_CHARS or not any(hint in lowered for hint in _HINTS):
        return False
    from tah_jupyter.jupyter.typed_keys import has_key  # noqa: PLC0415 - compiles patterns: not at load

    return has_key(cell)


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
