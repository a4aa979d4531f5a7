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

# linux/prctl.h and linux/capability.h. The right to pass the mode bits of files is capability 1.
_PR_SET_NO_NEW_PRIVS = 38
_CAPABILITY_VERSION_3 = 0x20080522
_CAP_DAC_OVERRIDE = 1

_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Take the write bits of ``folder`` and all in it, and give them back at the end of the block.

    Root passes mode bits, so as root this process, and all that it starts from now on, lose that right for good. Raises
    TahError where that cannot be done.
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


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Rights(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def _take_from_root() -> None:
    """Give up the right, and the way by which root gets it back when it starts a program. It takes no right to do."""
    if not sys.platform.startswith("linux"):
        raise TahError("Root passes write protection on this system.", next_step="Run this as another user.")
    libc = ctypes.CDLL(None, use_errno=True)
    header, rights = _Header(_CAPABILITY_VERSION_3, 0), (_Rights * 2)()
    failed = libc.capget(ctypes.byref(header), rights)
    for kind in ("effective", "permitted", "inheritable"):
        setattr(rights[0], kind, getattr(rights[0], kind) & ~(1 << _CAP_DAC_OVERRIDE))
    failed = failed or libc.capset(ctypes.byref(header), rights) or libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if failed:
        why = os.strerror(ctypes.get_errno())
        raise TahError(f"Root cannot give up passing write protection: {why}.", next_step="Run this as another user.")
