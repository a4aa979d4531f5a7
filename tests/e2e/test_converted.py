"""What nbconvert makes of a record: pages to read, Markdown, sanitised or not."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from nbconvert import HTMLExporter, MarkdownExporter
from nbformat import NotebookNode
from playwright.sync_api import BrowserContext, Page

from tests.e2e.conftest import RESULTS
from tests.kernel.project import EDIT, READ, Project, call, says
from tests.support.active_html import active_in
from tests.support.headless import execute

FAULTS = (Path(__file__).parents[1] / "support" / "legibility.js").read_text(encoding="utf-8")

PICTURES = RESULTS / "pictures"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    folder = tmp_path / "project"
    folder.mkdir()
    return Project(folder)


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
    assert "<details>" in body
    assert "jupyter.widget" not in body
    assert "Error displaying widget" not in body


def test_sanitised_nothing_is_lost_and_only_folds_are_shown_as_tags(project: Project) -> None:
    """nbconvert's own list has no element that folds, and shows such tags as text; a table gets one of its own."""
    notebook = worked(project)
    html, _ = HTMLExporter(template_name="lab", sanitize_html=True).from_notebook_node(notebook)
    record = html.partition('data-mime-type="text/html"')[2].partition("</main>")[0]
    assert pieces_in(record) == list(PIECES)
    assert "<strong>month first</strong>" in record
    assert set(re.findall(r"&lt;/?(\w+)", record)) <= {"details", "summary", "tbody"}
    assert "style=" not in record, "what it says does not hang on a colour"


def test_as_markdown_the_record_is_one_block_of_html_that_reads_well(project: Project) -> None:
    markdown, _ = MarkdownExporter().from_notebook_node(worked(project))
    drawn = MarkdownIt("commonmark", {"html": True}).render(markdown)
    assert pieces_in(drawn) == list(PIECES)
    record = drawn[drawn.index("<details") :]
    assert "<h1>" not in record, "what a command printed is no Markdown"
    assert "widget" not in markdown


def test_the_markdown_of_a_record_reads_the_same_where_html_is_off(project: Project) -> None:
    """As GitHub and others show ``text/markdown``."""
    [output] = worked(project).cells[1].outputs
    drawn = MarkdownIt("commonmark", {"html": False}).enable("table").render(output.data["text/markdown"])
    text = "".join(_Text.of(drawn))
    order = ["run 1 · Done", "month first", "38", "Changed", "a.py +1 −1", "Steps (3)", "Read a.py", "Run printf"]
    at = [text.index(part) for part in order]
    assert at == sorted(at)


@pytest.mark.chromium
def test_converted_pages_are_legible_in_every_theme_and_width(project: Project, window: BrowserContext) -> None:
    """The pictures are left in ``test-results/pictures`` to look at."""
    notebook, faults = worked(project), []
    PICTURES.mkdir(parents=True, exist_ok=True)
    ways = {
        "light": HTMLExporter(theme="light"),
        "dark": HTMLExporter(theme="dark"),
        "classic": HTMLExporter(template_name="classic"),
        "sanitised": HTMLExporter(sanitize_html=True),
    }
    for name, exporter in ways.items():
        page = project.folder / f"{name}.html"
        page.write_text(exporter.from_notebook_node(notebook)[0], encoding="utf-8")
        for width in (1000, 400):
            shown = opened(window, page, width)
            record = shown.locator("details, div", has_text="tah · run 1 ·").last.locator("xpath=..")
            faults += [f"{name} {width}: {fault}" for fault in record.evaluate(FAULTS)]
            assert "+ 1  x = 2" in record.inner_text()
            shown.screenshot(path=PICTURES / f"converted-{name}-{width}.png", full_page=True)
            shown.close()
    assert not faults, "\n".join(faults)


def opened(window: BrowserContext, file: Path, width: int) -> Page:
    """The page with all that it folds open; what it would fetch is not there."""
    page = window.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    page.route(re.compile("^https?:"), lambda route: route.abort())
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    return page


@pytest.mark.case("UI-02")
def test_what_a_model_writes_is_not_active_in_a_converted_page(project: Project) -> None:
    hostile = '<script>alert(1)</script><button data-commandlinker-command="x">go</button>[y](javascript:alert(1))'
    write = call("write_file", path="b.html", content=hostile)
    script = project.script([*says(hostile), *write], says(hostile))
    notebook = execute(project, f"{script} --allow write_file\nwrite it")
    [output] = notebook.cells[1].outputs
    assert active_in(output.data["text/html"]) == []
    assert "commandlinker" not in json.dumps(output.data)
