"""Standing instructions: the AGENTS.md and CLAUDE.md of a folder and of the folders above it."""

import os
from pathlib import Path

from tah_jupyter.core.errors import ToolError
from tah_jupyter.host.files.workspace import Workspace

__all__ = ["MEMORY_FILES", "read_memories"]

MEMORY_FILES = ("AGENTS.md", "CLAUDE.md")
"""Names that agents agree on; in one folder the first that exists is read, since the second mostly repeats it."""

_MAX_BYTES = 1 << 20


def read_memories(root: Path) -> list[tuple[str, str]]:
    """(path, text) of the instructions for ``root``, the outermost folder first so that the nearest has the last word.

    It climbs to the top of the repository that holds ``root``, or not at all when there is none. Blocks on small files.
    """
    found: list[tuple[str, str]] = []
    for folder in reversed(_folders(root)):
        memory = _first(folder)
        if memory is not None:
            found.append(memory)
    return found


def _folders(root: Path) -> list[Path]:
    above = [root, *root.parents]
    top = next((n for n, folder in enumerate(above) if os.path.exists(folder / ".git")), 0)
    return above[: top + 1]


def _first(folder: Path) -> tuple[str, str] | None:
    workspace = Workspace(folder)
    for name in MEMORY_FILES:
        try:
            snapshot = workspace.read_if_exists(name, max_bytes=_MAX_BYTES)
        except (ToolError, OSError):  # not a regular file, or not readable: no instructions from it
            continue
        if snapshot is not None:
            return str(folder / name), snapshot.data.decode("utf-8", "replace")
    return None
