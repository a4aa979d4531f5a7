"""Clearing away the temporary files that killed writers left behind."""

import os
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tah_jupyter.host.files import atomic, confine

__all__ = ["remove_strays"]

_UNSEARCHED = frozenset({".git", "node_modules", "__pycache__", ".venv", "site-packages"})
_MAX_ENTRIES = 20_000
"""How many entries of a folder tree are looked at, nearest to its top first: 10 to 40 ms."""


def remove_strays(bases: Iterable[Path]) -> int:
    """Remove temporary files of ours under ``bases`` whose writer is gone; returns how many.

    Stays on the file system of each base, and never raises OSError.
    """
    return sum(_remove_under(base) for base in bases)


def _remove_under(base: Path) -> int:
    removed, left = 0, _MAX_ENTRIES
    waiting = deque([base])
    while waiting and left > 0:
        folder = waiting.popleft()
        with suppress(OSError), os.scandir(folder) as entries:
            device = os.stat(base).st_dev
            for entry in entries:
                left -= 1
                if atomic.is_temporary(entry.name):
                    removed += _remove(base, folder, entry.name)
                elif _is_searched(entry, device):
                    waiting.append(Path(entry.path))
    return removed


def _is_searched(entry: "os.DirEntry[str]", device: int) -> bool:
    if entry.name in _UNSEARCHED or not entry.is_dir(follow_symlinks=False):
        return False
    return entry.stat(follow_symlinks=False).st_dev == device


def _remove(base: Path, folder: Path, name: str) -> bool:
    with suppress(OSError), confine.directory(base, folder.relative_to(base).parts) as dir_fd:
        return atomic.remove_stray(name, dir_fd=dir_fd)
    return False
