"""What a check looks at, and what it finds."""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from tah_jupyter.jupyter.kernel import allows_stdin
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.place import Place
from tah_jupyter.runtime.config import Config
from tah_jupyter.ui.words import Words

__all__ = ["Check", "Finding", "Here", "State", "here"]

State: TypeAlias = Literal["good", "note", "problem", "unknown"]
"""As it should be; worth knowing; something does not work; could not be looked at."""


class Finding(NamedTuple):
    """One line of the report. ``check`` is its stable name for programs, ``about`` the same for people, ``meaning``
    what holds and what follows from it, ``fix`` what to copy and run, empty where nothing is to be done.
    """

    check: str
    state: State
    about: str
    meaning: str
    fix: str = ""


class Here(NamedTuple):
    """All that checks may look at. ``kernel`` is None in a terminal; ``stdin`` says whether the cell that asks could
    answer ``input()``; ``page`` whether a page has drawn a frame, None when none was tried; with ``ask_service`` the
    key is tried.
    """

    shell: Any
    kernel: Any
    place: Place
    config: Config
    words: Words
    keys: Mapping[str, str]
    environ: Mapping[str, str]
    stdin: bool
    page: bool | None
    ask_service: bool

    def find(self, check: str, state: State, meaning: str, fix: str = "", **values: object) -> Finding:
        """A finding in the words ``doctor_about_CHECK`` (what was looked at) and ``meaning`` (a key), filled with
        ``values``.
        """
        about = self.words.say(f"doctor_about_{check}")
        return Finding(check, state, about, self.words.say(meaning, **values), fix)


Check: TypeAlias = Callable[[Here], Iterator[Finding]]
"""Yields what it finds. It may raise: then it could not look, and the others go on."""


def here(loaded: Loaded, *, ask_service: bool) -> Here:
    """What there is to look at in this kernel. Main thread, while the asking cell runs. Raises ConfigError."""
    kernel = getattr(loaded.shell, "kernel", None)
    return Here(
        shell=loaded.shell,
        kernel=kernel,
        place=loaded.place,
        config=loaded.config(),
        words=loaded.words,
        keys=loaded.keys,
        environ=os.environ,
        stdin=kernel is None or allows_stdin(loaded.shell),
        page=loaded.page_drawn,
        ask_service=ask_service,
    )
