"""A page that is reloaded while a question waits, and a notebook that is opened again later."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.conftest import RESULTS, OpenNotebook
from tests.kernel.project import EDIT, READ, Project, call, says
from tests.support.headless import execute
from tests.support.lab import Lab
from tests.support.notebook_page import NotebookPage

pytestmark = pytest.mark.chromium

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
DEAD_WIDGET = "Error displaying widget"
RECORD = {"text/html", "text/plain", "text/markdown"}
FAULTS = (Path(__file__).parents[1] / "support" / "legibility.js").read_text(encoding="utf-8")
PICTURES = RESULTS / "pictures"


def outputs_of(saved: dict[str, Any], cell: int) -> list[dict[str, Any]]:
    outputs: list[dict[str, Any]] = saved["cells"][cell]["outputs"]
    return outputs


def is_clean(saved: dict[str, Any]) -> bool:
    """Whether a file holds no widget, neither its view nor its state."""
    return WIDGET_VIEW not in json.dumps(saved) and "widgets" not in saved["metadata"]


def test_after_a_reload_the_card_is_back_its_click_counts_and_the_record_is_saved(
    open_notebook: OpenNotebook, project: Project
) -> None:
    notebook = open_notebook(f"{project.edits()}\nchange it", "6 * 7")
    notebook.run(0, 1)
    notebook.wait_card("Edit a.py")
    notebook.save()
    notebook.reload()
    card = notebook.wait_card("Edit a.py +1 −1")
    assert card.locator("table .tah-line").all_inner_texts() == ["x = 1", "x = 2"]
    assert project.a == "x = 1\n"
    notebook.press("Allow once")
    expect(notebook.output(1)).to_contain_text("✓ Done · 1 file changed")
    expect(notebook.output(1)).not_to_contain_text("Waiting for you")
    assert project.a == "x = 2\n"
    notebook.run(2)
    notebook.wait_done(2)
    saved = notebook.save()
    [output] = outputs_of(saved, 1)
    assert set(output["data"]) == RECORD
    assert is_clean(saved)


def test_a_reloaded_page_can_stop_the_run_and_shows_how_it_ended(open_notebook: OpenNotebook, project: Project) -> None:
    notebook = open_notebook(f"{project.edits()}\nchange it", "6 * 7")
    notebook.run(0, 1)
    notebook.wait_card("Edit a.py")
    notebook.save()
    notebook.reload()
    notebook.wait_card("Edit a.py")
    notebook.press("Stop")
    expect(notebook.output(1)).to_contain_text("■ Stopped by you")
    notebook.run(2)
    notebook.wait_done(2)
    assert is_clean(notebook.save())
    assert project.records("approval.answered")[0]["outcome"] == "interrupted"


@pytest.mark.case("NB-07")
@pytest.mark.parametrize("plain", [False, True], ids=["lab", "notebook7"])
@pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "untrusted"])
def test_opened_again_with_a_fresh_kernel_the_record_reads_well(
    open_notebook: OpenNotebook, project: Project, lab: Lab, trusted: bool, plain: bool
) -> None:
    notebook = open_notebook(f"{project.script([*says('I look.'), *READ], EDIT, says('Changed **it**.'))}\nchange it")
    notebook.run(0, 1)
    notebook.answer("Edit a.py", "Allow once")
    notebook.wait_done(1)
    saved = notebook.save()
    assert is_clean(saved)
    close(notebook, lab)
    if not trusted:
        notebook.path.write_text(json.dumps(saved | {"metadata": saved["metadata"] | {"changed": "by another"}}))
    again = open_notebook(plain=plain)
    record = again.output(1)
    expect(record).to_contain_text("tah · run 1 · ✓ Done · 1 file changed")
    expect(record.locator("strong").first).to_have_text("it")
    expect(record).to_contain_text("a.py +1 −1 · allowed once by you")
    assert DEAD_WIDGET not in record.inner_text()
    assert record.locator("button").count() == 0
    record.get_by_text("Steps 3", exact=False).click()
    expect(record.get_by_text("✓ Read a.py")).to_be_visible()
    record.get_by_text("a.py +1 −1 · allowed once by you").click()
    diff = record.locator("details[open] pre").first
    tints = diff.locator("span").evaluate_all("all => all.map(e => getComputedStyle(e).backgroundColor)")
    assert tints == ["rgba(248, 81, 73, 0.2)", "rgba(46, 160, 67, 0.2)"]
    assert [line.split(maxsplit=2) for line in diff.inner_text().splitlines()] == [
        ["-", "1", "x = 1"],
        ["+", "1", "x = 2"],
    ]


def take(notebook: NotebookPage, name: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    notebook.page.screenshot(path=PICTURES / f"{name}.png")


def opened_folds(record: Locator) -> None:
    """Click on each fold that is closed, from the outside in."""
    closed = record.locator("details:not([open]) > summary:visible")
    while closed.count():
        closed.first.click()


PROSE = (
    "## Why\n\nMarch is **low**.\n\n1. one\n2. `two`\n\n| month | total |\n|---|---|\n| March | 38 |\n\n```\nx = 2\n```"
)


@pytest.mark.parametrize("plain", [False, True], ids=["lab", "notebook7"])
def test_untrusted_every_part_of_a_record_can_be_read_in_light_and_dark_wide_and_narrow(
    open_notebook: OpenNotebook, project: Project, lab: Lab, plain: bool
) -> None:
    """The pictures are left in ``test-results/pictures`` to look at."""
    run = call("execute_command", command=["printf", "# a title\n\n- an item"])
    script = project.script([*says("I look."), *READ], EDIT, run, says(PROSE))
    notebook = execute(project, f"{script} --allow edit_file --allow execute_command\nchange it")
    record = notebook.cells[1].outputs[0].data["text/html"]
    assert "<script" not in record
    faults: list[str] = []
    for theme, width in (("light", 1000), ("dark", 1000), ("light", 400)):
        page = open_notebook(theme=theme, width=width, plain=plain)
        output = page.output(1)
        opened_folds(output)
        text = output.inner_text()
        parts = ("✓ Done · 1 file changed", "Why", "March is low.", "two", "38", "Changed", "a.py +1 −1", "I look.")
        at = [text.index(part) for part in (*parts, "✓ Read a.py", "✓ Run printf", "# a title", "4 turns")]
        assert at == sorted(at)
        assert output.locator("td strong").first.inner_text() == "month"
        faults += [f"{theme} {width}: {fault}" for fault in output.evaluate(FAULTS)]
        take(page, f"reopened-untrusted-{'notebook7' if plain else 'lab'}-{theme}-{width}")
        page.page.close()
        lab.end_kernels()
    assert not faults, "\n".join(faults)


@pytest.mark.case("NB-07")
@pytest.mark.parametrize("plain", [False, True], ids=["lab", "notebook7"])
def test_a_notebook_whose_kernel_died_at_a_question_opens_with_what_was_known(
    open_notebook: OpenNotebook, project: Project, lab: Lab, plain: bool
) -> None:
    """The file names the frame, for a page that is reloaded while the run goes on; whoever opens it when the kernel is
    gone reads of that on a line of Jupyter's own, above the record.
    """
    notebook = open_notebook(f"{project.edits()}\nchange it")
    notebook.run(0, 1)
    notebook.wait_card("Edit a.py")
    notebook.save()
    close(notebook, lab)
    again = open_notebook(plain=plain)
    record = again.output(1).locator("details").first
    summary = record.locator("summary").first
    expect(summary).to_have_text(
        re.compile(
            r"^tah · run 1 · ◆ Waiting for you · 2 steps · Edit a\.py \+1 −1 · saved at \d\d:\d\d:\d\d; "
            r"if the kernel has ended, go on: %%tah$"
        )
    )
    take(again, f"reopened-after-a-crash-{'notebook7' if plain else 'lab'}")
    summary.click()
    expect(record).to_contain_text("Steps 2: 1 looked at, 1 edit")
    assert again.output(1).locator("button").count() == 0
    assert project.a == "x = 1\n"


@pytest.mark.case("NB-07")
def test_a_restart_at_a_question_leaves_no_button_and_a_clean_file(
    open_notebook: OpenNotebook, project: Project
) -> None:
    notebook = open_notebook(f"{project.edits()}\nchange it", "6 * 7")
    notebook.run(0, 1)
    notebook.wait_card("Edit a.py")
    notebook.menu("Kernel", "Restart Kernel…")
    notebook.page.get_by_role("button", name="Confirm Kernel Restart").click()
    output = notebook.output(1)
    expect(output).to_contain_text("✕ The kernel ended · go on: %%tah")
    expect(output.locator("details").first).to_contain_text("Waiting for you · 2 steps · Edit a.py +1 −1")
    assert output.locator("button").count() == 0
    expect(notebook.page).to_have_title(re.compile("^work"))
    notebook.wait_ready()
    assert is_clean(notebook.save())
    notebook.run(2)
    expect(notebook.output(2).locator("pre")).to_have_text("42")
    assert project.a == "x = 1\n"


def close(notebook: NotebookPage, lab: Lab) -> None:
    """Close the page and end its kernel."""
    notebook.page.close()
    lab.end_kernels()
