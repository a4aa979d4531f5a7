"""The records that the notebooks hold are what their cells give now. nbval compares the other outputs: it does not
follow an output that is replaced while its cell runs, as the record of a run replaces what was shown before.
"""

import configparser
import os
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.house.source import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SANITIZE = Path(__file__).parent / "sanitize.cfg"
LIVE_ONLY = "%tah demo"  # draws another project each time


def patterns() -> list[tuple[str, str]]:
    """What differs from run to run: the same file that nbval reads."""
    config = configparser.RawConfigParser()
    config.read_string(SANITIZE.read_text("utf-8"))
    return [(config[name]["regex"], config[name]["replace"]) for name in config.sections()]


def sanitized(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: sanitized(part) for key, part in value.items()}
    for pattern, replacement in patterns():
        value = re.sub(pattern, replacement, value)
    return value


def records(notebook: Any) -> list[Any]:
    """The static records in the outputs, by cell."""
    return [
        sanitized(dict(output["data"]))
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.source != LIVE_ONLY
        for output in cell.outputs
        if "text/markdown" in output.get("data", {})
    ]


def test_there_are_notebooks_and_patterns() -> None:
    assert NOTEBOOKS
    assert len(patterns()) == len(re.findall(r"^regex: .+\nreplace: .+$", SANITIZE.read_text("utf-8"), re.MULTILINE))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_without_a_person_leaves_the_records_it_holds(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    stored = nbformat.read(path, 4)
    fresh = nbformat.read(path, 4)
    fresh.cells = [cell for cell in fresh.cells if cell.source != LIVE_ONLY]
    NotebookClient(fresh, timeout=50, resources={"metadata": {"path": str(path.parent)}}).execute()
    assert records(stored)
    assert records(fresh) == records(stored)
    assert "widgets" not in fresh.metadata


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_holds_nothing_of_a_machine_or_a_widget(path: Path) -> None:
    text = path.read_text("utf-8")
    assert "widget" not in text
    for own in (str(ROOT), os.path.expanduser("~/"), "site-packages"):
        assert own not in text
    assert [cell.execution_count for cell in nbformat.read(path, 4).cells if cell.get("outputs")] == sorted(
        cell.execution_count for cell in nbformat.read(path, 4).cells if cell.get("outputs")
    )
