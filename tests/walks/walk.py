"""One newcomer: a home, a project in it, JupyterLab from the installed wheel, and a notebook open in Chromium.

Whatever the newcomer reads is kept, so that in the end every command that was printed can be looked up.
"""

import json
import os
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, expect

from tah_jupyter.jupyter.grammar import COMMANDS, OPTIONS
from tests.support.lab import Lab
from tests.support.notebook_page import NotebookPage, write_notebook
from tests.walks.readme import readme

__all__ = ["LIMIT_MS", "Walk", "files_below"]

LIMIT_MS = 120_000
"""Longest wait for anything: the first request of a kernel may import litellm on a slow machine."""

_OWN = re.compile(
    r"churn/(march\.ipynb|\.ipynb_checkpoints/.*|\.tah/.*|\.virtual_documents/.*)"
    r"|\.(local/state/tah|config/tah|cache|ipython|jupyter|local/share/jupyter|npm/_logs)/.*|.*/__pycache__/.*"
)
"""Files of the home folder that may come: the notebook, the sessions, the state and config of tah, what Jupyter
(with the npm that it looks for) and Python keep."""


class Walk:
    """What a newcomer does and sees. Cells are numbered from 0."""

    def __init__(self, lab: Lab, notebook: NotebookPage) -> None:
        self.home = lab.root
        self.folder = lab.root / "churn"
        self.notebook = notebook
        self.page = notebook.page
        self.page.set_default_timeout(LIMIT_MS)
        self._seen: list[str] = []
        self._before = files_below(self.home)
        self._began = 0.0

    def open(self, *cells: str) -> list[str]:
        """Open the notebook with these cells, the README's first one before them, and run that. What it prints."""
        load = readme().load
        write_notebook(self.notebook.path, [load, *cells])
        self._before = files_below(self.home)
        self.notebook.open()
        self._began = time.monotonic()
        return self.run(0).splitlines()

    def begin(self, cell: int) -> None:
        """Run a cell that will wait for its person."""
        self.notebook.run(cell)

    def run(self, cell: int) -> str:
        """Run a cell to its end; what it shows."""
        self.begin(cell)
        return self.done(cell)

    def done(self, cell: int) -> str:
        """What a cell shows when it is done, folded parts too."""
        self.notebook.wait_done(cell, limit_ms=LIMIT_MS)
        output = self.notebook.output(cell)
        output.evaluate("area => area.querySelectorAll('details').forEach(part => { part.open = true; })")
        return self.read(output)

    def read(self, place: Locator) -> str:
        """The text of a place, in single spaces where it wraps."""
        text = "\n".join(re.sub(r"[ \t\xa0]+", " ", line).strip() for line in place.inner_text().splitlines())
        self._seen.append(text)
        return text

    def sees(self, words: str) -> None:
        """Until the frame shows ``words``."""
        expect(self.notebook.frame).to_contain_text(words, timeout=LIMIT_MS)
        self._seen.append(self.notebook.frame.inner_text())

    def sees_like(self, pattern: str) -> None:
        """Until the frame shows what ``pattern`` describes."""
        expect(self.notebook.frame).to_have_text(re.compile(f".*{pattern}.*", re.DOTALL), timeout=LIMIT_MS)

    def card(self, title: str) -> str:
        """What the card says whose title begins so, once it can be answered, in one line."""
        return " ".join(self.read(self.notebook.wait_card(title)).split())

    def choose(self, radio: str, button: str = "Use", *, remember: bool = True) -> None:
        """Mark an alternative of the card and take it."""
        card = self.notebook.card
        card.get_by_role("radio", name=re.compile(rf"^{re.escape(radio)}(,|$)")).check()
        if not remember:
            card.get_by_role("checkbox").uncheck()
        self.notebook.press_choice(button)

    def type_key(self, key: str) -> str:
        """Answer the kernel's password prompt; what it asks."""
        field = self.page.locator(".jp-Stdin-input[type=password]")
        prompt = self.read(field.locator("xpath=.."))
        field.fill(key)
        field.press("Enter")
        return prompt

    def seconds(self) -> float:
        """Since the notebook was there."""
        return time.monotonic() - self._began

    # -- what must hold of every walk

    def records(self, type: str, root: Path | None = None) -> list[dict[str, Any]]:
        """The records of this type in the logs of the project, the oldest session first."""
        logs = sorted(((root or self.folder) / ".tah" / "sessions").glob("*/log.jsonl"))
        lines = [json.loads(line) for log in logs for line in log.read_text().splitlines()[1:]]
        return [line for line in lines if line["type"] == type]

    def check_end(self, *, changed: Sequence[str] = ()) -> None:
        """Nothing but ``changed`` (paths in the project) was touched, no request ran twice, and every command that was
        printed exists and stands in the README.
        """
        after = files_below(self.home)
        touched = {path for path in after.keys() | self._before.keys() if after.get(path) != self._before.get(path)}
        strange = {path for path in touched if not _OWN.fullmatch(path)} - {f"churn/{path}" for path in changed}
        assert strange == set(), f"changed, and nobody asked for it: {sorted(strange)}"
        assert set(changed) <= {path.removeprefix("churn/") for path in touched}
        prompts = [record["prompt"] for record in self.records("run.started")]
        assert len(prompts) == len(set(prompts)), "a request had to be made twice"
        self._check_commands()

    def _check_commands(self) -> None:
        seen, known = "\n".join(self._seen), readme().commands
        for word, rest in re.findall(r"(?<!%)%tah ([a-z]+)(?: ([a-z]+))?", seen):
            assert word in COMMANDS, f"%tah {word} was printed and does not exist"
            assert word in known, f"%tah {word} was printed and is not in the README"
            command = COMMANDS[word]
            assert command.argument or not rest or word == "help", f"%tah {word} {rest}"
        for option in re.findall(r"%%tah (--[a-z-]+)", seen):
            assert option in OPTIONS, f"%%tah {option} was printed and does not exist"


def files_below(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of change of every file below ``folder``, by its path there."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            status = path.lstat()
            found[path.relative_to(folder).as_posix()] = (status.st_size, status.st_mtime_ns)
    return found
