"""The same in Notebook 7."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenNotebook
from tests.kernel.project import Project

pytestmark = pytest.mark.chromium


@pytest.mark.case("NB-02")
def test_the_main_job_in_notebook_7(open_notebook: OpenNotebook, project: Project) -> None:
    notebook = open_notebook(f"{project.edits()}\nchange it", "6 * 7", plain=True)
    notebook.run(0, 1)
    card = notebook.wait_card("Edit a.py +1 −1")
    assert card.locator("table .tah-line").all_inner_texts() == ["x = 1", "x = 2"]
    assert "◆ Approve?" in notebook.page.title()
    notebook.page.keyboard.press("Shift+Tab")
    for key in ("a", "d", "d", "x"):
        notebook.page.keyboard.press(key)
    assert notebook.cells.count() == 3
    notebook.answer("Edit a.py", "Allow once")
    notebook.wait_done(1)
    assert project.a == "x = 2\n"
    expect(notebook.output(1)).to_contain_text("✓ Done · 1 file changed")
    assert "◆" not in notebook.page.title()
    notebook.run(2)
    expect(notebook.output(2).locator("pre")).to_have_text("42")
    saved = notebook.save()
    [output] = saved["cells"][1]["outputs"]
    assert set(output["data"]) == {"text/html", "text/plain", "text/markdown"}
    assert "widgets" not in saved["metadata"]


def test_stop_and_reload_in_notebook_7(open_notebook: OpenNotebook, project: Project) -> None:
    notebook = open_notebook(f"{project.edits()}\nchange it", "6 * 7", plain=True)
    notebook.run(0, 1)
    notebook.wait_card("Edit a.py")
    notebook.save()
    notebook.reload()
    notebook.wait_card("Edit a.py")
    notebook.press("Stop")
    expect(notebook.output(1)).to_contain_text("■ Stopped by you")
    notebook.run(2)
    notebook.wait_done(2)
    assert "widget-view" not in str(notebook.save())
