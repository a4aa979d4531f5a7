"""A request that is held, in JupyterLab and Notebook 7: a model is chosen or a key typed, then the run goes on."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenNotebook
from tests.kernel.project import Project
from tests.support.guarded_model import ANSWER, KEY, guarded_model
from tests.support.notebook_page import NotebookPage

pytestmark = [pytest.mark.chromium, pytest.mark.usefixtures("models")]

MODEL_CARD = "Choose a model"
BOTH = pytest.mark.parametrize("plain", [False, True], ids=["lab", "notebook 7"])


@pytest.fixture
def models() -> Iterator[None]:
    """The person's own config names a model that wants a key, which nobody has typed yet; none is the default."""
    config = Path(os.environ["HOME"]) / ".config" / "tah" / "config.json"
    config.parent.mkdir(parents=True, exist_ok=True)
    with guarded_model() as url:
        entry = {"baseUrl": url, "model": "small", "apiKeyEnv": "GUARDED_MODEL_KEY"}
        config.write_text(json.dumps({"models": {"guarded": entry}}))
        yield
        config.unlink()


def type_key(notebook: NotebookPage, key: str) -> None:
    """Answer the kernel's password prompt."""
    prompt = notebook.page.locator(".jp-Stdin-input[type=password]")
    prompt.fill(key)
    prompt.press("Enter")


@BOTH
def test_a_key_is_typed_where_it_is_missing_and_the_request_runs(
    open_notebook: OpenNotebook, project: Project, plain: bool
) -> None:
    notebook = open_notebook("%%tah --model guarded\nWhat is in this folder?", "6 * 7", plain=plain)
    notebook.run(0, 1)
    notebook.press_choice("Enter key")
    type_key(notebook, "not-the-key-0123456789")
    expect(notebook.card).to_contain_text("refused")
    notebook.press_choice("Enter key")
    type_key(notebook, KEY)
    notebook.wait_done(1)
    expect(notebook.output(1)).to_contain_text(ANSWER)
    expect(notebook.output(1)).to_contain_text("✓ Done")
    assert project.records("run.started")[0]["prompt"] == "What is in this folder?"
    notebook.save()
    assert KEY not in notebook.path.read_text()
    assert KEY not in json.dumps(project.log())


@BOTH
def test_the_demo_is_chosen_by_keyboard_alone_and_runs_by_itself(
    open_notebook: OpenNotebook, project: Project, plain: bool
) -> None:
    notebook = open_notebook("%%tah\nClean this table", "# the next cell", plain=plain)
    notebook.run(0, 1)
    notebook.wait_question(MODEL_CARD)
    assert "◆ Answer?" in notebook.page.title()
    keyboard = notebook.page.keyboard
    keyboard.press("Shift+Tab")
    assert notebook.focus == "Cancel"
    while not notebook.focus.startswith("Scripted demo"):
        keyboard.press("Shift+Tab")
        if notebook.page.evaluate("document.activeElement.type === 'radio'"):
            keyboard.press("ArrowUp")
    keyboard.press("Space")
    while notebook.focus != "Use":
        keyboard.press("Tab")
    keyboard.press("Enter")
    notebook.wait_done(1)
    expect(notebook.output(1)).to_contain_text("tah · run 1 · ✓ Done")
    expect(notebook.output(1)).to_contain_text("Scripted demo, no language model.")


@BOTH
def test_who_leaves_the_question_gets_the_cell_back_and_nothing_ran(
    open_notebook: OpenNotebook, project: Project, plain: bool
) -> None:
    notebook = open_notebook("%%tah\nWhat is in this folder?", "6 * 7", plain=plain)
    notebook.run(0, 1)
    notebook.wait_question(MODEL_CARD)
    notebook.press_choice("Cancel")
    notebook.wait_done(1)
    assert notebook.frame.count() == 0
    assert not (project.folder / ".tah" / "sessions").exists()
    notebook.run(2)
    expect(notebook.output(2).locator("pre")).to_have_text("42")


def test_a_question_that_waits_is_there_again_after_a_reload(open_notebook: OpenNotebook, project: Project) -> None:
    notebook = open_notebook("%%tah\nWhat is in this folder?")
    notebook.run(0, 1)
    notebook.wait_question(MODEL_CARD)
    notebook.save()
    notebook.reload()
    notebook.wait_question(MODEL_CARD)
    notebook.press_choice("Cancel")
    expect(notebook.output(1)).to_have_text("■ Stopped by you")
    assert "widget-view" not in str(notebook.save())
