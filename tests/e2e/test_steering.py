"""A run is steered while it works, in JupyterLab and Notebook 7: notes, one command ended, the cell given back."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenNotebook
from tests.kernel.project import EDIT, READ, Project, call, says
from tests.support.notebook_page import NotebookPage

pytestmark = pytest.mark.chromium

BOTH = pytest.mark.parametrize("plain", [False, True], ids=["lab", "notebook 7"])
LONG = call("execute_command", command=["sleep", "600"], description="wait")


def begin_long(open_notebook: OpenNotebook, project: Project, plain: bool) -> NotebookPage:
    """A run in which a command runs that would take ten minutes."""
    script = project.script([*says("Now the tests."), *LONG], says("read it"))
    notebook = open_notebook(f"{script} --allow execute_command\nRun the tests.", "# next", plain=plain)
    notebook.run(0, 1)
    expect(notebook.frame.get_by_role("button", name="End command")).to_be_visible()
    return notebook


def note(notebook: NotebookPage, text: str) -> None:
    notebook.frame.get_by_role("textbox", name="Note to the agent").click()
    notebook.page.keyboard.type(text)
    notebook.page.keyboard.press("Enter")
    expect(notebook.frame.locator(".tah-queued-note")).to_contain_text(text)


@BOTH
def test_a_note_waits_is_taken_back_and_another_is_read_at_once(
    open_notebook: OpenNotebook, project: Project, plain: bool
) -> None:
    notebook = begin_long(open_notebook, project, plain)
    note(notebook, "abd x not this")
    assert notebook.cells.count() == 3, "keys in the note are no shortcuts"
    notebook.frame.get_by_role("button", name="Withdraw note").click()
    expect(notebook.frame.locator(".tah-queued-note")).to_have_count(0)
    note(notebook, "only the loader")
    notebook.frame.get_by_role("button", name="Send now").click()
    notebook.wait_done(1)
    assert [record["text"] for record in project.records("prompt.added") if record.get("note")] == ["only the loader"]
    assert len(project.records("note.withdrawn")) == 1
    expect(notebook.output(1)).to_contain_text("✓ Done")


@BOTH
def test_one_command_is_ended_and_the_run_goes_on(open_notebook: OpenNotebook, project: Project, plain: bool) -> None:
    notebook = begin_long(open_notebook, project, plain)
    notebook.frame.get_by_role("button", name="End command: sleep 600").click()
    notebook.wait_done(1)
    expect(notebook.output(1)).to_contain_text("read it")
    assert project.records("run.ended")[0]["reason"] == "end_turn"


@BOTH
def test_the_cell_is_given_back_and_another_cell_approves(
    open_notebook: OpenNotebook, project: Project, plain: bool
) -> None:
    notebook = open_notebook(f"{project.edits()}\nchange it", "6 * 7", "%tah jobs approve 1", plain=plain)
    notebook.run(0, 1)
    notebook.wait_card("Edit a.py")
    notebook.press("Release cell")
    notebook.wait_done(1)
    expect(notebook.card).to_be_visible()
    notebook.run(2)
    expect(notebook.output(2).locator("pre")).to_have_text("42")
    assert project.a == "x = 1\n"
    notebook.run(3)
    notebook.wait_done(3)
    expect(notebook.output(1)).to_contain_text("✓ Done")
    assert project.a == "x = 2\n"
    assert notebook.frame.count() == 0


@BOTH
def test_a_run_in_the_background_is_there_after_a_reload_and_its_card_still_answers(
    open_notebook: OpenNotebook, project: Project, plain: bool
) -> None:
    script = project.script(READ, EDIT, says("changed it"))
    notebook = open_notebook(f"{script} --bg\nchange it", "6 * 7", plain=plain)
    notebook.run(0, 1)
    notebook.wait_card("Edit a.py")
    notebook.wait_done(1)
    assert not notebook.frame.get_by_role("button", name="Release cell").is_visible()
    notebook.save()
    notebook.reload()
    notebook.answer("Edit a.py", "Allow once")
    expect(notebook.output(1)).to_contain_text("✓ Done")
    assert project.a == "x = 2\n"
    assert "widget-view" not in str(notebook.save())
