"""Where the agent works: the folder by one rule, the folders added to it, and what this person settled about them.

Read at ``%load_ext``, so a handful of ``stat`` calls and nothing else. What may not be looked at is taken as absent, as
``os.path`` does and ``Path.exists`` does not: the home of another account is no reason to load nothing.
"""

import os
from pathlib import Path
from typing import NamedTuple

from tah_jupyter.runtime.config import NO_FOLDERS, Folders

__all__ = [
    "CHOSEN",
    "Place",
    "accept_wide",
    "accepted_wide",
    "find_place",
    "introduced",
    "is_wide",
    "remember_introduced",
    "short",
    "state_folder",
]

_MARKS = {".git": "git", "pyproject.toml": "pyproject.toml", "tah.config.json": "tah.config.json"}

CHOSEN = "chosen"
"""The mark of a folder that the person named."""


class Place(NamedTuple):
    """The workspace root, why it is that folder, the notebook (empty when the front end does not tell), and the
    ``folders`` that the person added in this kernel.
    """

    root: Path
    mark: str = ""
    notebook: str = ""
    folders: Folders = NO_FOLDERS

    @property
    def is_wide(self) -> bool:
        """Whether it is the whole home folder, a folder above it, or the whole disk."""
        return is_wide(self.root)

    @property
    def must_ask(self) -> bool:
        """Whether the person has yet to say that they mean so wide a folder."""
        return self.is_wide and self.mark != CHOSEN and not accepted_wide(self.root)


def find_place(notebook: str = "", start: Path | None = None) -> Place:
    """The nearest parent of the notebook's folder that holds ``.git``, ``pyproject.toml`` or ``tah.config.json``, else
    that folder itself (experience, section A).

    ``start`` stands in for the kernel's folder. A mark in the home folder or above it does not count: dot files kept
    in git must not open everything.
    """
    path = Path(notebook)
    folder = path.parent if path.is_absolute() and os.path.isdir(path.parent) else (start or Path.cwd())
    folder = Path(os.path.realpath(folder))
    for parent in (folder, *folder.parents):
        if is_wide(parent):
            break
        for name, mark in _MARKS.items():
            if os.path.exists(parent / name):
                return Place(parent, mark, notebook)
    return Place(folder, "", notebook)


def is_wide(folder: Path) -> bool:
    """Whether ``folder`` is the home folder or holds it, as ``/`` does.

    >>> is_wide(Path("/")), is_wide(Path.home())
    (True, True)
    """
    return _home().is_relative_to(folder) or folder == Path(folder.anchor)


def short(folder: Path) -> str:
    """``folder`` as people write it, from their home: ``~/churn``."""
    home = _home()
    if folder == home:
        return "~"
    return f"~/{folder.relative_to(home).as_posix()}" if folder.is_relative_to(home) else str(folder)


def state_folder() -> Path:
    """Where this person's own state is kept. XDG Base Directory Specification: a relative path is to be ignored."""
    state = os.environ.get("XDG_STATE_HOME", "")
    return Path(state if os.path.isabs(state) else Path.home() / ".local" / "state") / "tah"


def introduced() -> bool:
    """Whether a run has ever finished for this person."""
    return os.path.exists(state_folder() / "introduced")


def remember_introduced() -> None:
    """Note that one has. A state folder that cannot be written only means that the hint stays."""
    _note(state_folder() / "introduced")


def accepted_wide(root: Path) -> bool:
    """Whether this person said, and had it remembered, that they mean to work in the wide folder ``root``."""
    return os.path.exists(_wide(root))


def accept_wide(root: Path) -> None:
    """Remember it. A state folder that cannot be written only means that it is asked again."""
    _note(_wide(root))


def _wide(root: Path) -> Path:
    import hashlib  # noqa: PLC0415 - a millisecond at load, for the few who work in a whole home folder

    return state_folder() / "wide" / hashlib.sha256(os.fsencode(root)).hexdigest()[:16]


def _note(path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch()
    except OSError:
        return


def _home() -> Path:
    return Path(os.path.realpath(Path.home()))
