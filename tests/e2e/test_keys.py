"""Focus and keys in a real JupyterLab: the frame takes no key that was meant for the notebook, and the other way."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenNotebook
from tests.kernel.project import EDIT, READ, Project, says
from tests.support.notebook_page import NotebookPage

pytestmark = pytest.mark.chromium

SHORTCUTS = (
    "a",
    "b",
    "c",
    "d",
    "d",
    "m",
    "x",
    "z",
    "o",
    "1",
    "0",
    "0",
    "j",
    "k",
    "Shift+M",
    "Shift+L",
    "Delete",
    "Enter",
)
"""What adds, cuts, deletes, merges, changes, moves between or restarts cells in command mode."""


def begin(open_notebook: OpenNotebook, project: Project) -> NotebookPage:
    notebook = open_notebook(f"{project.edits()}\nchange it", "# the next cell")
    notebook.run(0, 1)
    notebook.wait_card("Edit a.py")
    return notebook


def cells_of(notebook: NotebookPage) -> list[tuple[str, str]]:
    """The kind and text of every cell, as the notebook knows them."""
    cells: list[list[str]] = notebook.page.evaluate(
        "() => [...jupyterapp.shell.currentWidget.content.model.cells].map(c => [c.type, c.sharedModel.getSource()])"
    )
    return [(kind, source) for kind, source in cells]


def focus_is_on(notebook: NotebookPage) -> str:
    return str(
        notebook.page.evaluate(
            "() => { const e = document.activeElement; return e.getAttribute('aria-label') || e.className; }"
        )
    )


def answers(project: Project) -> list[str]:
    return [record["outcome"] for record in project.records("approval.answered")]


def test_no_key_in_the_frame_is_a_shortcut_of_the_notebook(open_notebook: OpenNotebook, project: Project) -> None:
    notebook = begin(open_notebook, project)
    before = cells_of(notebook)
    taller = notebook.frame.get_by_role("button", name="Taller")
    for place in (
        notebook.card,
        notebook.frame.locator(".tah-card-body"),
        notebook.frame.locator(".tah-steps"),
        taller,
    ):
        place.focus()
        for key in SHORTCUTS:
            notebook.page.keyboard.press(key)
        assert cells_of(notebook) == before
        assert notebook.mode == "command"
        assert notebook.page.locator(".jp-Dialog").count() == 0
        assert answers(project) == []
        assert notebook.frame.evaluate("frame => frame.contains(document.activeElement)")
    notebook.press("Deny")
    notebook.wait_done(1)


def test_shift_tab_from_the_next_cell_finds_the_harmless_button_and_y_allows(
    open_notebook: OpenNotebook, project: Project
) -> None:
    notebook = begin(open_notebook, project)
    notebook.page.keyboard.press("Shift+Tab")
    assert focus_is_on(notebook) == "Deny and say why: Edit a.py"
    notebook.page.keyboard.press("y")
    notebook.wait_done(1)
    assert (answers(project), project.a) == (["allowed"], "x = 2\n")


def test_escape_never_denies_or_stops_and_goes_back_to_the_notebook(
    open_notebook: OpenNotebook, project: Project
) -> None:
    notebook = begin(open_notebook, project)
    for _ in range(3):
        notebook.card.get_by_role("button", name="Deny: Edit a.py").focus()
        notebook.page.keyboard.press("Escape")
        assert notebook.page.evaluate("document.activeElement.closest('.jp-Notebook') !== null")
        assert not notebook.frame.evaluate("frame => frame.contains(document.activeElement)")
    expect(notebook.card).to_be_visible()
    notebook.frame.get_by_role("button", name="Stop run 1").focus()
    notebook.page.keyboard.press("Escape")
    assert answers(project) == []
    notebook.answer("Edit a.py", "Allow once")
    notebook.wait_done(1)


def test_keys_in_the_reason_are_text_and_run_no_cell(open_notebook: OpenNotebook, project: Project) -> None:
    notebook = begin(open_notebook, project)
    before = cells_of(notebook)
    notebook.press("Deny and say why…")
    notebook.page.keyboard.type("dd aa yn")
    notebook.page.keyboard.press("Shift+Enter")
    notebook.page.keyboard.type("x")
    assert notebook.card.get_by_role("textbox").input_value() == "dd aa yn\nx"
    assert cells_of(notebook) == before
    notebook.page.keyboard.press("Enter")
    notebook.wait_done(1)
    assert project.records("approval.answered")[0]["reason"] == "dd aa yn\nx"


def test_who_types_in_the_next_cell_while_the_card_comes_loses_no_key_and_allows_nothing(
    open_notebook: OpenNotebook, project: Project
) -> None:
    script = project.script(READ, [{"waits": 1.0}, *EDIT], says("done"))
    notebook = open_notebook(f"{script}\nchange it", "")
    notebook.run(0, 1)
    notebook.editor(2).click()
    typed = ""
    while not notebook.card.is_visible():
        notebook.page.keyboard.type("yn ")
        typed += "yn "
    for _ in range(20):
        notebook.page.keyboard.type("yrnw ")
        typed += "yrnw "
    notebook.page.keyboard.press("Enter")
    assert cells_of(notebook)[2] == ("code", f"{typed}\n")
    assert notebook.mode == "edit"
    assert notebook.editor(2).evaluate("editor => editor.contains(document.activeElement)")
    assert answers(project) == []
    assert "◆ Approve?" in notebook.page.title()
    notebook.answer("Edit a.py", "Deny")
    notebook.wait_done(1)
    assert "◆" not in notebook.page.title()
