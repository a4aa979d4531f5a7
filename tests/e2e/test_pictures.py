"""Every state of a run in a real JupyterLab, light and dark, wide and narrow: pictures, and nothing unreadable.

The pictures are left in ``test-results/pictures`` to look at.
"""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import RESULTS, SECRET, OpenNotebook
from tests.kernel.project import Project, call, says
from tests.support.lab import THEMES
from tests.support.notebook_page import NotebookPage

pytestmark = pytest.mark.chromium

PICTURES = RESULTS / "pictures"

FAULTS = (Path(__file__).parents[1] / "support" / "legibility.js").read_text(encoding="utf-8")

THEMED = "light => document.body.dataset.jpThemeLight === light"

LOAD = '''"""Reads the table of orders."""

import pandas as pd


def read(path):
    """The orders of one year, one row each."""
    df = pd.read_csv(path)
    df["date"] = pd.to_datetime(df["date"])
    return df
'''

PLAN = ("Look at data and loader", "Find the cause", "Fix it", "Run the tests")

FOUND = (
    "March is low because 12 rows written day/month, such as `03/04/2026`, are read as month/day by "
    "`pd.to_datetime` and land in other months.\n\n- 4,812 rows in all\n- 12 of them **ambiguous**\n\n"
    "```python\ndf[df.date.dt.month != 3]\n```\n\nThe loader is the place to mend it."
)

OUTPUT = (
    "import time\nfor n in range(30):\n    print(f'tests/test_load.py::test_{n} PASSED', flush=True)\ntime.sleep({s})\n"
)


def plan(now: int) -> list[dict[str, object]]:
    states = ["completed"] * now + ["in_progress"] * (now < 4) + ["pending"] * (3 - now)
    return call("todo_write", todos=[{"content": c, "status": s} for c, s in zip(PLAN, states, strict=True)])


def look() -> list[dict[str, object]]:
    return [
        *call("list_files", path="."),
        *call("read_file", path="src/load.py"),
        *call("read_file", path="tests/test_load.py"),
        *call("grep", pattern="to_datetime"),
    ]


FIX = call(
    "edit_file",
    path="src/load.py",
    old_string='    df["date"] = pd.to_datetime(df["date"])\n',
    new_string='    df["date"] = pd.to_datetime(df["date"], dayfirst=True)\n',
)
NOTE = call("write_file", path="src/notes/why.md", content="# Why dayfirst\n\nRows are written day/month.\n")


@pytest.fixture
def churn(project: Project) -> Project:
    """A project with something to mend."""
    for folder in ("src", "tests"):
        (project.folder / folder).mkdir()
    (project.folder / "src" / "load.py").write_text(LOAD)
    (project.folder / "tests" / "test_load.py").write_text("from src.load import read\n")
    for name, seconds in (("short", 0), ("long", 600)):
        (project.folder / f"{name}.py").write_text(OUTPUT.replace("{s}", str(seconds)))
    return project


def take(notebook: NotebookPage, name: str, cell: int) -> list[str]:
    """A picture in each theme and width, and what could not be read in any of them."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    page, faults = notebook.page, []
    page.add_style_tag(content="#jupyterlab-splash { display: none !important }")
    for theme, title in THEMES.items():
        page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", title)
        page.wait_for_function(
            "light => document.body.dataset.jpThemeLight === light", arg=json.dumps(theme == "light")
        )
        for width in (1600, 1000, 400):
            page.set_viewport_size({"width": width, "height": 760})
            shown = notebook.output(cell)
            shown.evaluate("e => e.closest('.jp-Cell').scrollIntoView({block: 'start'})")
            faults += [f"{name} {theme} {width}: {fault}" for fault in shown.evaluate(FAULTS)]
            page.screenshot(path=PICTURES / f"{name}-{theme}-{width}.png")
    page.set_viewport_size({"width": 1000, "height": 760})
    return faults


@contextmanager
def refusing() -> Iterator[str]:
    """A provider on loopback that refuses every key."""

    class Refusing(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.dumps({"error": {"message": "Incorrect API key provided.", "code": "invalid_api_key"}}).encode()
            self.send_response(401)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Print nothing."""

    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def test_a_run_from_its_plan_to_its_record(open_notebook: OpenNotebook, churn: Project) -> None:
    run = call("execute_command", command=["python3", "short.py"], description="run the tests")
    script = churn.script(
        [*plan(0), *look()],
        [*plan(1), {"thinks": "Dates are read month first."}, *says(FOUND), {"waits": 6}, *plan(2)],
        [*says("The loader reads month first."), *FIX, *NOTE],
        [*plan(3), *run],
        [
            *plan(4),
            *says(f"{FOUND}\n\n14 tests pass. | month | total |\n\n| month | total |\n|---|---|\n| March | 38,911 |"),
        ],
        says(
            "March was low because 12 rows written day/month were read as month/day. "
            "`read()` now passes `dayfirst=True`."
        ),
    )
    notebook = open_notebook(f"{script}\nThe March totals look wrong. Find out why, fix it, rerun the tests.", "# next")
    notebook.run(0, 1)
    expect(notebook.frame).to_contain_text("The loader is the place to mend it.")
    faults = take(notebook, "C1-working", 1)
    expect(notebook.card).to_contain_text("Approval 1 of 2")
    if not notebook.card.get_by_text("Edit src/load.py").is_visible():  # what is ready first is asked first
        notebook.press("Next approval")
    notebook.wait_card("Edit src/load.py")
    faults += take(notebook, "C2-card", 1)
    notebook.press("Deny and say why…")
    notebook.page.keyboard.type("only the loader, no notes")
    faults += take(notebook, "C2-deny-and-say-why", 1)
    notebook.page.keyboard.press("Escape")
    notebook.answer("Edit src/load.py", "Allow once")
    notebook.wait_card("Write src/notes/why.md")
    faults += take(notebook, "C2-new-file", 1)
    notebook.press("Deny and say why…")
    notebook.page.keyboard.type("only the loader, no notes")
    notebook.page.keyboard.press("Enter")
    notebook.wait_card("Run")
    faults += take(notebook, "C2-command", 1)
    notebook.answer("Run", "Allow once")
    notebook.wait_done(1)
    faults += take(notebook, "C4-record", 1)
    for summary in notebook.output(1).locator("details:not([open]) > summary").all():
        if summary.is_visible():
            summary.click()
    faults += take(notebook, "C4-record-open", 1)
    assert not faults, "\n".join(faults)


def test_a_running_command_and_what_stop_leaves(open_notebook: OpenNotebook, churn: Project) -> None:
    run = call("execute_command", command=["python3", "long.py"], description="run the tests")
    script = churn.script([*plan(0), *look()], [*plan(3), *says("Now the tests."), *run], says("never"))
    notebook = open_notebook(f"{script} --allow execute_command\nRun the tests.", "# next")
    notebook.run(0, 1)
    expect(notebook.frame.locator(".tah-tail")).to_contain_text("test_29 PASSED")
    faults = take(notebook, "C3-command", 1)
    notebook.frame.get_by_role("textbox", name="Note to the agent").click()
    notebook.page.keyboard.type("Keep the rows of Lyon as they are.")
    notebook.page.keyboard.press("Enter")
    expect(notebook.frame.locator(".tah-queued-note")).to_have_count(1)
    faults += take(notebook, "C3-note-queued", 1)
    notebook.press("Stop")
    notebook.wait_done(1)
    faults += take(notebook, "stopped", 1)
    assert not faults, "\n".join(faults)


@pytest.fixture
def models() -> Iterator[None]:
    """The person's own config names a model whose server refuses every key."""
    config = Path(os.environ["HOME"]) / ".config" / "tah" / "config.json"
    config.parent.mkdir(parents=True, exist_ok=True)
    with refusing() as url:
        entry = {"baseUrl": url, "model": "gpt-5", "apiKeyEnv": "SEEDED_SERVICE_TOKEN"}
        config.write_text(json.dumps({"models": {"refusing": entry}}))
        yield
        config.unlink()


@pytest.mark.usefixtures("models")
def test_runs_that_fail_say_why_and_what_next(open_notebook: OpenNotebook, churn: Project) -> None:
    denied = churn.script(look(), FIX, says("Then it stays as it is."))
    firsts = ("%%tah", "%%tah --model refusing", "%%tah --model nobody", denied)
    notebook = open_notebook(*(f"{first}\nFix the loader." for first in firsts))
    notebook.run(0, 1)
    notebook.wait_question("Choose a model")
    faults = take(notebook, "A-model-card", 1)
    notebook.press_choice("Cancel")
    notebook.wait_done(1)
    faults += take(notebook, "A-model-card-left", 1)
    notebook.run(2)
    notebook.wait_question("refused the key (401)")
    faults += take(notebook, "C3b-key-refused-card", 2)
    notebook.press_choice("End")
    notebook.wait_done(2)
    expect(notebook.output(2)).to_contain_text("refused the key (401)")
    expect(notebook.output(2)).to_contain_text("Your files are as they were.")
    assert SECRET not in notebook.output(2).inner_text()
    faults += take(notebook, "C3b-key-refused", 2)
    notebook.run(3)
    expect(notebook.wait_question("Choose a model")).to_contain_text("No model 'nobody'")
    faults += take(notebook, "A-unknown-model", 3)
    notebook.press_choice("Cancel")
    notebook.wait_done(3)
    notebook.run(4)
    notebook.answer("Edit src/load.py", "Deny")
    notebook.wait_done(4)
    faults += take(notebook, "denied", 4)
    assert not faults, "\n".join(faults)
