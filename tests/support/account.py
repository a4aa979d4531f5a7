"""Doing something without the rights of the superuser, whom no mode of a file stops."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["folder_for_all", "without_rights"]

_NOBODY = 65_534


@contextmanager
def folder_for_all() -> Iterator[Path]:
    """A temporary folder that every account may enter; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


@contextmanager
def without_rights() -> Iterator[None]:
    """Inside, this process opens files as an ordinary account does. Its threads too: they share the account."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
