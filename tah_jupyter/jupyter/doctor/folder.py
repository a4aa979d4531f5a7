"""The folder: which, why, whether it can be worked in, and what takes changes back. The folders beside it."""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from tah_jupyter.jupyter.doctor.finding import Check, Finding, Here
from tah_jupyter.jupyter.place import short
from tah_jupyter.jupyter.status import place_words
from tah_jupyter.ui.visible import visible_line

__all__ = ["CHECKS"]


def _root(here: Here) -> Iterator[Finding]:
    place, name = here.place, place_words(here.place, here.words)
    if not os.path.isdir(place.root):
        yield here.find("folder", "problem", "doctor_folder_gone", "%tah folder PATH", folder=name)
    elif place.is_wide:
        yield here.find("folder", "note", "doctor_folder_wide", "%tah folder PATH", folder=name)
    elif not os.access(place.root, os.W_OK | os.X_OK):
        yield here.find("folder", "note", "doctor_folder_fixed", "%tah folder PATH", folder=name)
    else:
        yield here.find("folder", "good", "doctor_folder_is", folder=name)


def _git(here: Here) -> Iterator[Finding]:
    if any(os.path.exists(parent / ".git") for parent in (here.place.root, *here.place.root.parents)):
        yield here.find("git", "good", "doctor_git_is")
    else:
        yield here.find("git", "note", "doctor_git_none", f"!git init {_quoted(here.place.root)}")


def _added(here: Here) -> Iterator[Finding]:
    folders = here.place.folders.joined(here.config.folders)
    for folder in (*folders.change, *folders.read):
        name = visible_line(short(folder)).text
        if not os.path.isdir(folder):
            yield here.find(
                "added", "problem", "doctor_added_gone", f"%tah folder remove {_quoted(folder)}", folder=name
            )
        elif folder in folders.change and not os.access(folder, os.W_OK | os.X_OK):
            yield here.find("added", "note", "doctor_folder_fixed", folder=name)
        else:
            key = "doctor_added_change" if folder in folders.change else "doctor_added_read"
            yield here.find("added", "good", key, folder=name)


def _quoted(folder: Path) -> str:
    return shlex.quote(str(folder))


CHECKS: tuple[Check, ...] = (_root, _git, _added)
