"""A project that cannot be written, for root as well."""

import ctypes
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tah_jupyter.core.errors import TahError

__all__ = ["read_only"]

# linux/prctl.h and linux/capability.h: what lets root pass the mode bits of files.
_PR_CAPBSET_DROP = 24
_CAPABILITIES = {"CAP_DAC_OVERRIDE": 1, "CAP_FOWNER": 3}

_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Take the write bits of ``folder`` and all in it, and give them back at the end of the block.

    Root passes mode bits, so as root the programs that this process starts from now on lose that right. Raises TahError
    where that cannot be done.
    """
    if os.geteuid() == 0:
        _take_from_root()
    paths = [folder, *folder.rglob("*")]
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in paths}
    try:
        for path, mode in modes.items():
            path.chmod(mode & ~_WRITE)
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


def _take_from_root() -> None:
    """The bounding set is passed on to programs that are started; what this process itself may do stays."""
    libc = ctypes.CDLL(None, use_errno=True)
    for name, number in _CAPABILITIES.items():
        if not sys.platform.startswith("linux") or libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0) != 0:
            raise TahError(f"Root cannot give up {name} here.", next_step="Run this as another user.")
