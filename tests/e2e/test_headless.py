"""Without a page and a person: nbclient and papermill run a notebook, and how each end shows in its cells."""

import json
import re
import time
from pathlib import Path

import nbformat
import papermill
import pytest
from nbclient.exceptions import CellExecutionError

from tests.kernel.project import EDIT, READ, Project, says
from tests.support.headless import LIMIT_S, execute, text_of
from tests.support.notebook_page import write_notebook

BACK_S = 5
"""A call that would ask must be denied, and its run be over, within this."""

RECORD = {"text/html", "text/plain", "text/markdown"}

TIMED = "import time; print(time.time())"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    folder = tmp_path / "project"
    folder.mkdir()
    return Project(folder)


def test_what_would_ask_is_denied_within_seconds_and_the_next_cell_runs(project: Project) -> None:
    notebook = execute(project, TIMED, f"{project.edits()}\nchange it", TIMED)
    before, ran, after = notebook.cells[1:]
    assert float(text_of(after)) - float(text_of(before)) < BACK_S
    assert "✓ Done · 1 denied" in text_of(ran)
    assert "nobody can answer here" in text_of(ran)
    assert project.a == "x = 1\n"
    assert project.records("approval.answered")[0]["outcome"] == "unanswered"
    assert "nobody can answer here" in project.records("tool.failed")[0]["text"]
    assert project.records("run.ended")[0]["reason"] == "end_turn"


def test_with_allow_the_same_notebook_does_its_work(project: Project) -> None:
    notebook = execute(project, f"{project.edits()} --allow edit_file\nchange it", "open('a.py').read()")
    assert project.a == "x = 2\n"
    assert "✓ Done · 1 file changed" in text_of(notebook.cells[1])
    assert text_of(notebook.cells[2]) == "'x = 2\\n'"


def test_strict_stops_the_notebook_where_a_needed_call_was_denied(project: Project) -> None:
    with pytest.raises(CellExecutionError, match="nobody can answer here"):
        execute(project, f"{project.edits()} --strict\nchange it", "print('never')")
    saved = json.loads((project.folder / "work.ipynb").read_text())
    assert saved["cells"][2]["outputs"] == []


@pytest.mark.case("NB-07")
def test_the_file_holds_one_static_record_a_run_and_no_widget(project: Project) -> None:
    notebook = execute(project, f"{project.edits()} --allow edit_file\nchange it")
    [output] = notebook.cells[1].outputs
    assert set(output.data) == RECORD
    assert "widgets" not in notebook.metadata
    assert "widget-view" not in (project.folder / "work.ipynb").read_text()


CAUSE = "The script has 1 answers, and this is request 2."

ENDINGS = {
    "done": ("", [says("It is fine.")], "✓ Done", ""),
    "denied": ("", [EDIT, says("I cannot.")], "✓ Done · 1 denied: nobody can answer here", ""),
    "denied, strict": (
        " --strict",
        [EDIT, says("I cannot.")],
        "✓ Done · 1 denied: nobody can answer here",
        r"✕ Failed: 1 call was denied: nobody can answer here\. .+",
    ),
    "failed": ("", [READ], f"✕ Failed: {CAUSE}", f"✕ Failed: {re.escape(CAUSE)} Add an answer to the script."),
    "failed, keep going": (" --keep-going", [READ], f"✕ Failed: {CAUSE}", ""),
    "limit": (
        " --max-turns 1",
        [READ, READ, says("never")],
        "‖ At limit: ",
        r"✕ Failed: .*limit of turns.*",
    ),
}
"""Options, script, the record's first line, and the one line of the error that the cell ends with, if any."""


@pytest.mark.parametrize(("options", "answers", "header", "error"), ENDINGS.values(), ids=ENDINGS)
def test_each_end_is_told_by_the_record_and_by_the_cells_outcome(
    project: Project, options: str, answers: list[list[dict[str, object]]], header: str, error: str
) -> None:
    notebook = execute(project, f"{project.script(*answers)}{options}\nlook", "6 * 7", goes_on=True)
    [record, *errors] = notebook.cells[1].outputs
    for text in (record.data["text/plain"], record.data["text/html"]):
        assert f"tah · run 1 · {header}" in text
    assert [output.ename for output in errors] == ["TahError"] * bool(error)
    for output in errors:
        [line] = output.traceback
        assert re.fullmatch(error, line)
    assert text_of(notebook.cells[2]) == "42", "the kernel is there for the next cell"
    assert project.a == "x = 1\n"


@pytest.mark.parametrize("ending", [name for name, (_, _, _, error) in ENDINGS.items() if error])
def test_an_end_that_is_not_well_ends_the_notebook_there(project: Project, ending: str) -> None:
    options, answers, _, _ = ENDINGS[ending]
    with pytest.raises(CellExecutionError, match="✕ Failed: "):
        execute(project, f"{project.script(*answers)}{options}\nlook", "print('never')")
    saved = nbformat.read(project.folder / "work.ipynb", 4)
    assert set(saved.cells[1].outputs[0].data) == RECORD
    assert saved.cells[2].outputs == []


def under_papermill(project: Project, *cells: str) -> nbformat.NotebookNode:
    """Run them as ``papermill work.ipynb out.ipynb -p limit 3`` does; the file it leaves."""
    path, out = project.folder / "work.ipynb", project.folder / "out.ipynb"
    write_notebook(path, ["%load_ext tah_jupyter", *cells])
    try:
        papermill.execute_notebook(
            str(path),
            str(out),
            parameters={"limit": 3},
            cwd=str(project.folder),
            progress_bar=False,
            execution_timeout=LIMIT_S,
        )
    finally:
        saved = nbformat.read(out, 4)
    return saved


def test_papermill_runs_it_and_its_file_holds_the_record(project: Project) -> None:
    script = project.script(READ, EDIT, says("Changed **it**."))
    saved = under_papermill(project, f"{script} --allow edit_file\nchange it", "limit")
    injected, load, ran, after = saved.cells
    assert "limit = 3" in injected.source
    assert "tah 0.1" in text_of(load)
    [record] = ran.outputs
    assert set(record.data) == RECORD
    assert "✓ Done · 1 file changed" in record.data["text/plain"]
    assert text_of(after) == "3"
    assert project.a == "x = 2\n"
    assert "widgets" not in saved.metadata


def test_papermill_stops_at_a_run_that_failed_and_keeps_its_record(project: Project) -> None:
    with pytest.raises(papermill.exceptions.PapermillExecutionError, match="✕ Failed: "):
        under_papermill(project, f"{project.script(READ)}\nlook", "print('never')")
    saved = nbformat.read(project.folder / "out.ipynb", 4)
    [ran] = [cell for cell in saved.cells if cell.source.startswith("%%tah")]
    assert "✕ Failed: The script has 1 answers" in text_of(ran)
    assert saved.cells[-1].outputs == []


def test_a_second_request_without_a_person_goes_on_with_the_same_session(project: Project) -> None:
    started = time.monotonic()
    other = project.script(says("and again"), name="other.json")
    execute(project, f"{project.edits()}\none", f"{other}\ntwo")
    assert time.monotonic() - started < 40
    assert [record["prompt"] for record in project.records("run.started")] == ["one", "two"]
