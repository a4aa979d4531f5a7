"""The main job in a real JupyterLab: a request in a cell, a card with the diff, a click, the file on disk changes."""

import time

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import SECRET, OpenNotebook
from tests.kernel.project import EDIT, READ, Project, call, says

pytestmark = pytest.mark.chromium

ANSWERED_S = 1.0
"""A click must have reached the run within this, although the cell is running."""

ALLOW_EDITS = "Allow edits in this folder for this run"


def todos(*states: str) -> list[dict[str, object]]:
    items = ("Look", "Change it", "Say so")
    return call("todo_write", todos=[{"content": c, "status": s} for c, s in zip(items, states, strict=True)])


@pytest.mark.case("NB-02")
def test_two_cells_a_card_with_the_diff_one_click_and_the_file_changes(
    open_notebook: OpenNotebook, project: Project
) -> None:
    notebook = open_notebook(f"{project.edits()}\nchange it", "6 * 7")
    notebook.run(0, 1)
    card = notebook.wait_card("Edit a.py +1 −1")
    assert card.locator("table .tah-line").all_inner_texts() == ["x = 1", "x = 2"]
    assert project.a == "x = 1\n", "nothing happens before the click"
    pressed = time.monotonic()
    notebook.press("Allow once")
    notebook.card.wait_for(state="detached")
    assert time.monotonic() - pressed < ANSWERED_S
    notebook.wait_done(1)
    assert project.a == "x = 2\n"
    assert [record["outcome"] for record in project.records("approval.answered")] == ["allowed"]
    assert project.records("run.ended")[0]["reason"] == "end_turn"
    record = notebook.output(1)
    expect(record).to_contain_text("✓ Done · 1 file changed")
    expect(record).to_contain_text("allowed once by you")
    assert record.locator("button").count() == 0
    notebook.run(2)
    expect(notebook.output(2).locator("pre")).to_have_text("42")


def test_the_plan_ticks_while_the_run_goes_on(open_notebook: OpenNotebook, project: Project) -> None:
    script = project.script(
        todos("in_progress", "pending", "pending"),
        READ,
        [*todos("completed", "in_progress", "pending"), *EDIT],
        [
            *todos("completed", "completed", "in_progress"),
            *call("edit_file", path="a.py", old_string="2", new_string="3"),
        ],
        [*todos("completed", "completed", "completed"), *says("said")],
        says("said so"),
    )
    notebook = open_notebook(f"{script}\nchange it")
    notebook.run(0, 1)
    plan = notebook.frame.locator(".tah-plan")
    states = [
        ["Done: Look", "Now: Change it", "Open: Say so"],
        ["Done: Look", "Done: Change it", "Now: Say so"],
    ]
    for before, expected in zip(("x = 1\n", "x = 2\n"), states, strict=True):
        notebook.wait_card("Edit a.py")
        assert project.a == before
        items = plan.get_by_role("listitem")
        assert [item.get_attribute("aria-label") for item in items.all()] == expected
        notebook.press("Allow once")
        expect(notebook.page.get_by_text("Allowed")).not_to_have_count(0)
    notebook.wait_done(1)
    expect(notebook.output(1)).to_contain_text("Plan 3/3")


def test_denied_with_a_reason_the_model_is_told_and_the_file_is_untouched(
    open_notebook: OpenNotebook, project: Project
) -> None:
    notebook = open_notebook(f"{project.edits()}\nchange it")
    notebook.run(0, 1)
    notebook.wait_card("Edit a.py")
    notebook.press("Deny and say why…")
    notebook.page.keyboard.type("use y instead of x")
    notebook.page.keyboard.press("Enter")
    notebook.wait_done(1)
    assert project.a == "x = 1\n"
    [answered] = project.records("approval.answered")
    assert (answered["outcome"], answered["reason"]) == ("denied", "use y instead of x")
    [failed] = project.records("tool.failed")
    assert "use y instead of x" in failed["text"]
    expect(notebook.output(1)).to_contain_text("✓ Done · 1 denied")
    expect(notebook.output(1)).to_contain_text("denied by you: use y instead of x")


def test_allowed_for_this_run_the_next_edit_in_the_folder_is_not_asked(
    open_notebook: OpenNotebook, project: Project
) -> None:
    again = call("edit_file", path="a.py", old_string="x = 2", new_string="x = 3")
    script = project.script(READ, EDIT, again, says("twice"))
    back = project.script(
        READ, call("edit_file", path="a.py", old_string="3", new_string="4"), says("x"), name="b.json"
    )
    notebook = open_notebook(f"{script}\nchange it twice", f"{back}\nand again")
    notebook.run(0, 1)
    notebook.answer("Edit a.py", ALLOW_EDITS)
    notebook.wait_done(1)
    assert project.a == "x = 3\n"
    assert len(project.records("approval.requested")) == 1
    expect(notebook.output(1)).to_contain_text("allowed by you for this run")
    notebook.run(2)
    notebook.answer("Edit a.py", "Deny")
    notebook.wait_done(2)
    assert project.a == "x = 3\n", "what was allowed for a run ends with it"


@pytest.mark.case("NB-03")
def test_under_run_all_the_cells_go_in_order_and_each_card_answers_its_own(
    open_notebook: OpenNotebook, project: Project
) -> None:
    other = call("edit_file", path="a.py", old_string="x = 2", new_string="x = 3")
    first, second = project.edits(), project.script(READ, other, says("second"), name="second.json")
    notebook = open_notebook(f"{first}\none", f"{second}\ntwo", "open('a.py').read()")
    notebook.menu("Run", "Run All Cells")
    for before in ("x = 1\n", "x = 2\n"):
        notebook.wait_card("Edit a.py")
        assert (notebook.frame.count(), notebook.card.count(), project.a) == (1, 1, before)
        notebook.answer("Edit a.py", "Allow once")
    notebook.wait_done(1, 2, 3)
    assert project.a == "x = 3\n"
    expect(notebook.output(3).locator("pre")).to_have_text("'x = 3\\n'")
    expect(notebook.output(1)).to_contain_text("tah · run 1 · ✓ Done")
    expect(notebook.output(2)).to_contain_text("tah · run 2 · ✓ Done")
    assert [record["prompt"] for record in project.records("run.started")] == ["one", "two"]
    order = [(record["type"], record["run"]) for record in project.log() if record["type"].startswith("run.")]
    assert order == [("run.started", 1), ("run.ended", 1), ("run.started", 2), ("run.ended", 2)]


def test_the_next_cell_does_not_move_while_500_lines_stream_and_the_card_comes(
    open_notebook: OpenNotebook, project: Project
) -> None:
    lines = "\n\n".join(f"Line {n} of a long answer." for n in range(250))
    script = project.script([*says(lines), *READ], [*says(lines), *EDIT], says("done"))
    notebook = open_notebook(f"{script}\nchange it", "# the next cell")
    notebook.run(0)
    notebook.page.evaluate(
        """() => {
          const next = document.querySelectorAll('.jp-CodeCell')[2];
          window.places = [];
          const note = () => {
            if (document.querySelector('.tah-frame')) window.places.push(Math.round(next.getBoundingClientRect().top));
            window.noting = requestAnimationFrame(note);
          };
          note();
        }"""
    )
    notebook.run(1)
    notebook.wait_card("Edit a.py")
    places = notebook.page.evaluate("cancelAnimationFrame(window.noting), window.places")
    assert len(places) > 10
    assert len(set(places)) == 1, f"the next cell moved: {places}"
    notebook.answer("Edit a.py", "Deny")
    notebook.wait_done(1)


@pytest.mark.case("NB-08")
def test_a_secret_of_the_kernel_is_nowhere_in_the_page_or_the_file(
    open_notebook: OpenNotebook, project: Project
) -> None:
    (project.folder / "notes.txt").write_text(f"the token is {SECRET}\n")
    read = call("read_file", path="notes.txt")
    write = call("write_file", path="copy.txt", content=f"again {SECRET}\n")
    script = project.script(read, [*says(f"It is {SECRET}."), *write], says(f"The token {SECRET} is copied."))
    notebook = open_notebook(f"{script}\ncopy it", "tah.last", "%tah sessions show 1")
    notebook.page.evaluate(
        """() => {
          window.seen = '';
          new MutationObserver(() => { window.seen += document.body.innerHTML; })
            .observe(document.querySelector('.jp-Notebook'), {childList: true, subtree: true, characterData: true});
        }"""
    )
    notebook.run(0, 1)
    notebook.answer("Write copy.txt", "Allow once")
    notebook.wait_done(1)
    notebook.run(2, 3)
    notebook.wait_done(2, 3)
    assert (project.folder / "copy.txt").read_text() == f"again {SECRET}\n", "what is written is not changed"
    seen = notebook.page.evaluate("window.seen")
    assert "again" in seen
    assert SECRET not in seen
    notebook.save()
    assert SECRET not in notebook.path.read_text()
