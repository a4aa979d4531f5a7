"""Without a page and a person: nbclient runs a notebook, nbconvert shows it."""

import json
import time
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
from markdown_it import MarkdownIt
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter, MarkdownExporter
from nbformat import NotebookNode

from tests.kernel.project import EDIT, READ, Project, call, says
from tests.support.active_html import active_in
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


def execute(project: Project, *cells: str) -> NotebookNode:
    """Run a notebook of the project, as ``jupyter execute`` does; the file afterwards."""
    path = project.folder / "work.ipynb"
    write_notebook(path, ["%load_ext tah_jupyter", *cells])
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=40, resources={"metadata": {"path": str(project.folder)}})
    try:
        client.execute()
    finally:
        nbformat.write(notebook, path)
    return nbformat.read(path, as_version=4)


def text_of(cell: NotebookNode) -> str:
    return "\n".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in cell.outputs)


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


ANSWER = "The loader reads **month first**.\n\n| month | total |\n|---|---|\n| March | 38 |\n\nSo `x = 2` it is."

PIECES = (
    "tah · run 1 · ✓ Done · 1 file changed",
    "month first",
    "March",
    "So ",
    "a.py +1 −1",
    "- 1  x = 1",
    "+ 1  x = 2",
)
"""What a reader of the record must find, in this order."""


def worked(project: Project) -> NotebookNode:
    """A notebook in which the agent has edited a file and run a command whose output looks like Markdown."""
    run = call("execute_command", command=["printf", "# a title\n\n- an item\n\n    code"])
    script = project.script(READ, EDIT, run, says(ANSWER))
    return execute(project, f"{script} --allow edit_file --allow execute_command\nchange it")


def pieces_in(html: str) -> list[str]:
    """The pieces as they are found one after the other in the text of ``html``."""
    text, at, found = "".join(_Text.of(html)), 0, []
    for piece in PIECES:
        place = text.find(piece, at)
        if place >= 0:
            found.append(piece)
            at = place
    return found


class _Text(HTMLParser):
    """Collects the text of a page, without scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._hidden = 0

    @classmethod
    def of(cls, html: str) -> list[str]:
        reader = cls()
        reader.feed(html)
        return reader.parts

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def test_as_html_the_record_reads_well(project: Project) -> None:
    html, _ = HTMLExporter(template_name="lab").from_notebook_node(worked(project))
    body = html.partition("<body")[2]
    assert pieces_in(body) == list(PIECES)
    assert "<strong>month first</strong>" in body
    assert "<td>March</td>" in body
    assert "jupyter.widget" not in body
    assert "Error displaying widget" not in body


def test_sanitised_nothing_of_the_record_is_lost(project: Project) -> None:
    """nbconvert's own list of tags has no ``details`` and shows such tags as text; what they hold must be there."""
    html, _ = HTMLExporter(template_name="lab", sanitize_html=True).from_notebook_node(worked(project))
    body = html.partition("<body")[2]
    assert pieces_in(body) == list(PIECES)
    assert "<strong>month first</strong>" in body


def test_as_markdown_the_record_is_one_block_of_html_that_reads_well(project: Project) -> None:
    markdown, _ = MarkdownExporter().from_notebook_node(worked(project))
    drawn = MarkdownIt("commonmark", {"html": True}).render(markdown)
    assert pieces_in(drawn) == list(PIECES)
    record = drawn[drawn.index("<details") :]
    assert "<h1>" not in record, "what a command printed is no Markdown"
    assert "widget" not in markdown


@pytest.mark.case("UI-02")
def test_what_a_model_writes_is_not_active_in_a_converted_page(project: Project) -> None:
    hostile = '<script>alert(1)</script><button data-commandlinker-command="x">go</button>[y](javascript:alert(1))'
    write = call("write_file", path="b.html", content=hostile)
    script = project.script([*says(hostile), *write], says(hostile))
    notebook = execute(project, f"{script} --allow write_file\nwrite it")
    [output] = notebook.cells[1].outputs
    assert active_in(output.data["text/html"]) == []
    assert "commandlinker" not in json.dumps(output.data)


def test_a_second_request_without_a_person_goes_on_with_the_same_session(project: Project) -> None:
    started = time.monotonic()
    other = project.script(says("and again"), name="other.json")
    execute(project, f"{project.edits()}\none", f"{other}\ntwo")
    assert time.monotonic() - started < 40
    assert [record["prompt"] for record in project.records("run.started")] == ["one", "two"]
