"""A small project with a script for its model, and what its session log says afterwards."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["EDIT", "Project", "call", "says"]

Step = dict[str, Any]


def says(text: str) -> list[Step]:
    return [{"says": text}]


def call(tool: str, **args: Any) -> list[Step]:
    return [{"calls": tool, "args": args}]


EDIT = call("edit_file", path="a.py", old_string="x = 1", new_string="x = 2")
READ = call("read_file", path="a.py")


class Project:
    """A folder with ``a.py``, a notebook's name, and scripts for ``--model scripted:FILE``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "pyproject.toml").write_text("")
        (folder / "a.py").write_text("x = 1\n")
        self.state = folder.parent / f"{folder.name}-state"
        self.state.mkdir()
        self.env = {"JPY_SESSION_NAME": str(folder / "work.ipynb"), "XDG_STATE_HOME": str(self.state)}

    def script(self, *answers: Sequence[Step], name: str = "script.json") -> str:
        """Write what the model will answer; returns the first line of the cell that uses it."""
        (self.folder / name).write_text(json.dumps([list(answer) for answer in answers]))
        return f"%%tah --model scripted:{name}"

    def edits(self) -> str:
        """The usual script: read, edit (which asks), and say so."""
        return self.script(READ, EDIT, says("changed it"))

    @property
    def a(self) -> str:
        return (self.folder / "a.py").read_text()

    @property
    def sessions(self) -> list[Path]:
        return sorted((self.folder / ".tah" / "sessions").iterdir())

    def log(self) -> list[dict[str, Any]]:
        """The records of the only session."""
        [session] = self.sessions
        return [json.loads(line) for line in (session / "log.jsonl").read_text().splitlines()[1:]]

    def records(self, type: str) -> list[dict[str, Any]]:
        return [record for record in self.log() if record["type"] == type]
