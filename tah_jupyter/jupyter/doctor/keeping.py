"""Where sessions and the person's own state are kept, and whether that can be written. Nothing is made to find out."""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from tah_jupyter.jupyter.doctor.finding import Check, Finding, Here
from tah_jupyter.jupyter.place import short, state_folder
from tah_jupyter.ui.visible import visible_line

__all__ = ["CHECKS"]


def _sessions(here: Here) -> Iterator[Finding]:
    folder = here.config.session_dir or here.place.root / ".tah" / "sessions"
    name = visible_line(short(folder)).text
    if _writable(folder):
        yield here.find("sessions", "good", "doctor_sessions_in", folder=name)
    elif _writable(state_folder()):
        instead = visible_line(short(state_folder())).text
        yield here.find("sessions", "note", "doctor_sessions_instead", _make(folder), folder=name, instead=instead)
    else:
        yield here.find("sessions", "problem", "doctor_sessions_nowhere", _make(folder), folder=name)


def _state(here: Here) -> Iterator[Finding]:
    folder = state_folder()
    name = visible_line(short(folder)).text
    if _writable(folder):
        yield here.find("state", "good", "doctor_state_in", folder=name)
    else:
        yield here.find("state", "note", "doctor_state_fixed", _make(folder), folder=name)


def _writable(folder: Path) -> bool:
    """Whether it can be written, or made: that is, whether the nearest folder above it that exists can be."""
    nearest = next(parent for parent in (folder, *folder.parents) if os.path.lexists(parent))
    return os.path.isdir(nearest) and os.access(nearest, os.W_OK | os.X_OK)


def _make(folder: Path) -> str:
    return f"!mkdir -p {shlex.quote(str(folder))}"


CHECKS: tuple[Check, ...] = (_sessions, _state)
