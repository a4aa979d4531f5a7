"""Where the agent works: the folder by one rule, and whether this person has been introduced.

Read at ``%load_ext``, so a handful of ``stat`` calls and nothing else.
"""

import os
from pathlib import Path
from typing import NamedTuple

__all__ = ["Place", "find_place", "introduced", "remember_introduced"]

_MARKS = {".git": "git", "pyproject.toml": "pyproject.toml", "tah.config.json": "tah.config.json"}


class Place(NamedTuple):
    """The workspace root, why it is that folder, and the notebook (empty when the front end does not tell)."""

    root: Path
    mark: str = ""
    notebook: str = ""

    @property
    def is_wide(self) -> bool:
        """Whether it is the whole home folder or the whole disk."""
        return self.root in (Path.home(), Path(self.root.anchor))

    def __str__(self) -> str:
        home = Path.home()
        shown = str(self.root)
        if self.root == home:
            shown = "~, your whole home folder"
        elif self.root.is_relative_to(home):
            shown = f"~/{self.root.relative_to(home).as_posix()}"
        return f"{shown} ({self.mark})" if self.mark else shown


def find_place(notebook: str = "", start: Path | None = None) -> Place:
    """The nearest parent of the notebook's folder that holds ``.git``, ``pyproject.toml`` or ``tah.config.json``, else
    that folder itself (experience, section A).

    ``start`` stands in for the kernel's folder. A mark in the home folder or above it does not count: dot files kept
    in git must not open everything.
    """
    path = Path(notebook)
    folder = path.parent if path.is_absolute() and path.parent.is_dir() else (start or Path.cwd())
    folder = Path(os.path.realpath(folder))
    home = Path(os.path.realpath(Path.home()))
    for parent in (folder, *folder.parents):
        if parent == home or parent == Path(parent.anchor):
            break
        for name, mark in _MARKS.items():
            if (parent / name).exists():
                return Place(parent, mark, notebook)
    return Place(folder, "", notebook)


def _introduction() -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "tah" / "introduced"


def introduced() -> bool:
    """Whether a run has ever finished for this person."""
    return _introduction().exists()


def remember_introduced() -> None:
    """Note that one has. A state folder that cannot be written only means that the hint stays."""
    try:
        _introduction().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _introduction().touch()
    except OSError:
        return
