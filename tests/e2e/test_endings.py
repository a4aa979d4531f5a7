"""Stop, interrupts and what is left behind by them, in a real JupyterLab."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import expect

from tah_jupyter.ui.words import Words
from tests.e2e.conftest import OpenNotebook
from tests.kernel.project import READ, Project, call, says
from tests.support.notebook_page import NotebookPage

pytestmark = pytest.mark.chromium

BACK_MS = 1_000
"""From the click on, the cell must be back within this."""

CHILD = """\
import os, subprocess, sys, time
below = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("working", flush=True)
open("pids.txt", "w").write(f"{os.getpid()} {below.pid}")
time.sleep(600)
"""


def begin_command(open_notebook: OpenNotebook, project: Project) -> NotebookPage:
    """A run whose command is running, with a process below it."""
    (project.folder / "child.py").write_text(CHILD)
    run = call("execute_command", command=[sys.executable, "child.py"])
    script = project.script(run, says("never said"))
    notebook = open_notebook(f"{script} --allow execute_command\nrun it", "6 * 7")
    notebook.run(0, 1)
    expect(notebook.frame.locator(".tah-tail")).to_contain_text("working")
    return notebook


def pids(folder: Path) -> list[int]:
    return [int(pid) for pid in (folder / "pids.txt").read_text().split()]


def stop(notebook: NotebookPage) -> None:
    notebook.press("Stop")


def toolbar(notebook: NotebookPage) -> None:
    notebook.page.locator("[data-jp-item-name=interrupt]").click()


def menu(notebook: NotebookPage) -> None:
    notebook.menu("Kernel", "Interrupt Kernel")


def keys(notebook: NotebookPage) -> None:
    notebook.page.keyboard.press("i")
    notebook.page.keyboard.press("i")


WAYS = {"stop": stop, "toolbar": toolbar, "menu": menu, "keys": keys}

ways = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def is_back(notebook: NotebookPage, cell: int, act: Callable[[NotebookPage], None]) -> None:
    """Do it, and see the cell's number within a second of the last click or key."""
    notebook.page.evaluate(
        """cell => {
          const note = event => { window.pressedAt = event.timeStamp; };
          for (const type of ['click', 'keydown', 'mouseup']) document.addEventListener(type, note, {capture: true});
          const prompt = document.querySelectorAll('.jp-CodeCell')[cell].querySelector('.jp-InputPrompt');
          new MutationObserver(() => {
            if (/\\d/.test(prompt.textContent)) window.backAt ??= performance.now();
          }).observe(prompt, {childList: true, characterData: true, subtree: true});
        }""",
        cell,
    )
    act(notebook)
    notebook.wait_done(cell)
    took_ms = notebook.page.evaluate("window.backAt - window.pressedAt")
    assert 0 < took_ms < BACK_MS


@ways
def test_a_running_command_is_ended_and_the_next_cell_runs(
    open_notebook: OpenNotebook, project: Project, way: Callable[[NotebookPage], None]
) -> None:
    notebook = begin_command(open_notebook, project)
    running = [psutil.Process(pid) for pid in pids(project.folder)]
    is_back(notebook, 1, way)
    psutil.wait_procs(running, timeout=1)
    assert [process for process in running if process.is_running() and process.status() != "zombie"] == []
    expect(notebook.output(1)).to_contain_text("■ Stopped by you during: Run")
    assert notebook.output(1).locator("button").count() == 0
    error = notebook.output(1).locator(
        ".jp-OutputArea-output[data-mime-type$='error'], .jp-OutputArea-output[data-mime-type$='stderr']"
    )
    expect(error).to_have_text(re.compile("^■ Stopped by you during: .*child.py$"))
    [ended] = project.records("run.ended")
    assert ended["reason"] == "interrupted"
    notebook.run(2)
    expect(notebook.output(2).locator("pre")).to_have_text("42")


@pytest.mark.case("NB-05")
@pytest.mark.parametrize("way", [stop, menu])
def test_at_a_waiting_approval_the_run_ends_and_the_call_is_interrupted_not_denied(
    open_notebook: OpenNotebook, project: Project, way: Callable[[NotebookPage], None]
) -> None:
    notebook = open_notebook(f"{project.edits()}\nchange it", "6 * 7", "print('never')")
    notebook.menu("Run", "Run All Cells")
    notebook.wait_card("Edit a.py")
    notebook.cells.nth(3).locator(".jp-InputPrompt").click()
    is_back(notebook, 1, way)
    [answered] = project.records("approval.answered")
    assert answered["outcome"] == "interrupted"
    assert project.records("permission.denied") == []
    assert project.a == "x = 1\n"
    expect(notebook.output(1)).to_contain_text("■ Stopped by you")
    expect(notebook.output(1)).not_to_contain_text("denied")
    expect(notebook.prompt(2)).to_have_text("[ ]:")
    assert notebook.output(3).inner_text() == "", "what was queued is not run"
    notebook.run(2)
    expect(notebook.output(2).locator("pre")).to_have_text("42")


front_ends = pytest.mark.parametrize("plain", [False, True], ids=["lab", "notebook7"])

CAUSE = "The script has 1 answers, and this is request 2"
END = Words().say("fail_end")


def run_all(notebook: NotebookPage) -> None:
    notebook.menu("Run", "Run All Cells")


def lines_below_the_record(notebook: NotebookPage, cell: int) -> list[str]:
    """The text of each output of a cell but the first, which is the record."""
    return [text.strip() for text in notebook.output(cell).locator(".jp-OutputArea-output").all_inner_texts()[1:]]


@front_ends
def test_run_all_goes_on_after_a_run_that_is_done(open_notebook: OpenNotebook, project: Project, plain: bool) -> None:
    notebook = open_notebook(f"{project.script(READ, says('It is fine.'))}\nlook", "6 * 7", plain=plain)
    run_all(notebook)
    expect(notebook.output(2).locator("pre")).to_have_text("42")
    expect(notebook.output(1)).to_contain_text("✓ Done")
    assert lines_below_the_record(notebook, 1) == []


@front_ends
def test_run_all_ends_at_a_run_that_failed(open_notebook: OpenNotebook, project: Project, plain: bool) -> None:
    notebook = open_notebook(f"{project.script(READ)}\nlook", "6 * 7", plain=plain)
    run_all(notebook)
    notebook.answer(CAUSE, END)
    notebook.wait_done(1)
    expect(notebook.output(1)).to_contain_text(f"✕ Failed: {CAUSE}.")
    expect(notebook.output(1)).to_contain_text("Your files are as they were.")
    assert lines_below_the_record(notebook, 1) == [f"✕ Failed: {CAUSE}. Add an answer to the script."]
    expect(notebook.prompt(2)).to_have_text("[ ]:")
    assert notebook.output(2).inner_text() == "", "what was queued is not run"
    notebook.run(2)
    expect(notebook.output(2).locator("pre")).to_have_text("42")


@front_ends
def test_run_all_goes_on_after_a_failure_where_the_cell_says_so(
    open_notebook: OpenNotebook, project: Project, plain: bool
) -> None:
    notebook = open_notebook(f"{project.script(READ)} --keep-going\nlook", "6 * 7", plain=plain)
    run_all(notebook)
    notebook.answer(CAUSE, END)
    expect(notebook.output(2).locator("pre")).to_have_text("42")
    expect(notebook.output(1)).to_contain_text(f"✕ Failed: {CAUSE}.")
    assert lines_below_the_record(notebook, 1) == []


def test_run_all_ends_at_a_stop_in_notebook_7(open_notebook: OpenNotebook, project: Project) -> None:
    notebook = open_notebook(f"{project.edits()}\nchange it", "6 * 7", plain=True)
    run_all(notebook)
    notebook.wait_card("Edit a.py")
    notebook.press("Stop")
    notebook.wait_done(1)
    expect(notebook.output(1)).to_contain_text("■ Stopped by you")
    expect(notebook.output(1)).to_contain_text("The next %%tah goes on from here.")
    [line] = lines_below_the_record(notebook, 1)
    assert line.startswith("■ Stopped by you")
    expect(notebook.prompt(2)).to_have_text("[ ]:")
    assert project.a == "x = 1\n"
