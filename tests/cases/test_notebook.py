"""Notebook cases: who answers while the cell runs, what an old button can do, and where a key must not be.

Each runs in a real kernel, with a front end that clicks and types.
"""

import time

import pytest

from tests.kernel.conftest import Open
from tests.kernel.front_end import WIDGET, Frame, FrontEnd, Ran
from tests.kernel.project import EDIT, READ, Project, call, says


def waiting_card(front_end: FrontEnd, frame: Frame) -> str:
    """Wait until the frame shows a card; returns its approval's id."""
    front_end.until(lambda: any(message.get("cards") for message in frame.messages))
    return str([message for message in frame.messages if message.get("cards")][-1]["cards"][0]["id"])


def answer(
    front_end: FrontEnd, frame: Frame, approval: str, word: str = "allow", reason: str = "", id: int = 1
) -> None:
    front_end.send(
        frame, {"type": "answer", "id": id, "approval": approval, "answer": word, "scope": "once", "reason": reason}
    )


def begun(front_end: FrontEnd, cell: str) -> tuple[Ran, Frame, str]:
    """Run a cell up to its waiting card."""
    ran = front_end.submit(cell)
    frame = front_end.frame()
    return ran, frame, waiting_card(front_end, frame)


@pytest.mark.case("NB-02")
@pytest.mark.parametrize("subshell", [True, False], ids=["subshell", "plain"])
def test_a_click_is_taken_while_the_cell_runs(open_kernel: Open, project: Project, subshell: bool) -> None:
    front_end = open_kernel(subshell=subshell)
    ran, frame, approval = begun(front_end, f"{project.edits()}\nchange it")
    clicked = time.monotonic()
    answer(front_end, frame, approval)
    front_end.until(lambda: project.a == "x = 2\n" and ran.done, limit_s=5)
    assert time.monotonic() - clicked < 1
    assert ran.status == "ok"
    assert [record["outcome"] for record in project.records("approval.answered")] == ["allowed"]


@pytest.mark.case("NB-02")
def test_without_a_page_that_draws_it_asks_at_input(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel(hello=False)
    front_end.answers += ["", "maybe", "?", "r", "y"]
    project.script(READ, call("execute_command", command=["touch", "made"]), says("made"))
    ran = front_end.run("%%tah --model scripted:script.json\ngo")
    assert ran.status == "ok"
    assert (project.folder / "made").exists()
    assert len(front_end.prompts) == 4, "r allows what the grant covers; nothing unclear is an answer"
    assert "touch made" in front_end.prompts[0]
    assert WIDGET not in ran.mimes


@pytest.mark.case("NB-02")
def test_a_denial_with_words_reaches_the_model_and_the_file_is_untouched(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel(hello=False)
    front_end.answers += ["use three instead"]
    ran = front_end.run(f"{project.edits()}\nchange it")
    assert ran.status == "ok"
    assert project.a == "x = 1\n"
    [failed] = project.records("tool.failed")
    assert "use three instead" in failed["text"]
    assert "denied by you: use three instead" in ran.text


@pytest.mark.case("NB-02")
def test_a_denying_click_with_a_reason_reaches_the_model(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran, frame, approval = begun(front_end, f"{project.edits()}\nchange it")
    answer(front_end, frame, approval, "deny", "not this file")
    front_end.until(lambda: ran.done)
    assert project.a == "x = 1\n"
    assert "not this file" in project.records("tool.failed")[0]["text"]


@pytest.mark.case("NB-02")
def test_where_nobody_can_answer_a_call_is_denied_at_once_and_the_notebook_goes_on(
    open_kernel: Open, project: Project
) -> None:
    front_end = open_kernel()
    front_end.run(f"{project.script(says('here'), name='first.json')}\nimport everything", allow_stdin=False)
    started = time.monotonic()
    first = front_end.submit(f"{project.edits()}\nchange it", allow_stdin=False)
    second = front_end.submit("'next'", allow_stdin=False)
    front_end.until(lambda: second.done)
    assert time.monotonic() - started < 5
    assert (first.status, second.status) == ("ok", "ok")
    assert "✓ Done · 1 denied" in first.text
    assert "nobody can answer here" in first.text
    assert project.a == "x = 1\n"
    assert front_end.frames == {}
    assert {record["outcome"] for record in project.records("approval.answered")} == {"unanswered"}


def test_with_allow_the_same_notebook_does_its_work_without_a_person(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran = front_end.run(f"{project.edits()} --allow edit_file\nchange it", allow_stdin=False)
    assert ran.status == "ok"
    assert project.a == "x = 2\n"


def test_an_allow_of_one_cell_does_not_reach_the_next(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    front_end.run(f"{project.edits()} --allow edit_file\nchange it", allow_stdin=False)
    back = call("edit_file", path="a.py", old_string="x = 2", new_string="x = 3")
    front_end.run(f"{project.script(READ, back, says('no'))}\nagain", allow_stdin=False)
    assert project.a == "x = 2\n"


def test_strict_ends_the_cell_with_an_error_when_nobody_could_answer(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran = front_end.run(f"{project.edits()} --strict\nchange it", allow_stdin=False)
    assert ran.status == "error"
    assert "✕ Failed: 1 call was denied: nobody can answer here." in ran.text


@pytest.mark.case("NB-03")
def test_cells_run_in_order_and_an_approval_counts_for_its_own_cell_only(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    edits = [call("edit_file", path="a.py", old_string=f"x = {n}", new_string=f"x = {n + 1}") for n in (1, 2, 3)]
    cells = [
        front_end.submit(f"{project.script(READ, edit, says('ok'), name=f's{n}.json')}\nrun {n}")
        for n, edit in enumerate(edits)
    ]
    seen: list[str] = []
    for number, cell in enumerate(cells):
        front_end.until(lambda: len([f for f in front_end.frames.values() if "_anywidget_id" in f.state]) > len(seen))
        frame = front_end.frame()
        approval = waiting_card(front_end, frame)
        for old in seen:  # a click on an earlier card, sent through the frame of this one
            answer(front_end, frame, old, id=99)
        assert project.a == f"x = {number + 1}\n"
        answer(front_end, frame, approval)
        front_end.until(lambda cell=cell: cell.done)
        seen.append(approval)
    assert project.a == "x = 4\n"
    assert [cell.status for cell in cells] == ["ok"] * 3
    runs = [record["run"] for record in project.records("run.ended")]
    assert runs == [1, 2, 3]


@pytest.mark.case("NB-03")
def test_an_interrupt_at_a_waiting_approval_clears_the_queue(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran, _, _ = begun(front_end, f"{project.edits()}\nchange it")
    queued = [front_end.submit(f"{project.edits()}\nagain"), front_end.submit("1 + 1")]
    front_end.manager.interrupt_kernel()
    front_end.until(lambda: ran.done and all(cell.done for cell in queued))
    assert ran.status == "error"
    assert {cell.status for cell in queued} <= {"aborted", "error"}
    assert project.a == "x = 1\n"
    assert front_end.run("6 * 7").text == "42"


@pytest.mark.case("NB-05")
def test_an_interrupt_at_a_waiting_approval_is_not_recorded_as_a_no(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran, frame, approval = begun(front_end, f"{project.edits()}\nchange it")
    front_end.manager.interrupt_kernel()
    front_end.until(lambda: ran.done)
    [answered] = project.records("approval.answered")
    assert answered["outcome"] == "interrupted"
    assert project.records("run.ended")[0]["reason"] == "interrupted"
    answer(front_end, frame, approval)  # a late click, on a card that is gone
    assert front_end.run("1 + 1").text == "2"
    assert project.a == "x = 1\n"


@pytest.mark.case("NB-05")
def test_a_second_click_comes_too_late_and_the_page_is_told(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran, frame, approval = begun(front_end, f"{project.script(READ, EDIT, [{'waits': 5}, *says('done')])}\nchange it")
    answer(front_end, frame, approval, id=1)
    front_end.until(lambda: any(message.get("cards") == [] for message in frame.messages))
    answer(front_end, frame, approval, "deny", id=2)
    front_end.until(lambda: {"type": "ack", "id": 2, "late": True} in frame.messages, limit_s=2)
    front_end.manager.interrupt_kernel()
    front_end.until(lambda: ran.done)
    assert [record["outcome"] for record in project.records("approval.answered")] == ["allowed"]


@pytest.mark.case("NB-05")
@pytest.mark.case("NB-07")
def test_a_kernel_that_dies_at_a_waiting_approval_leaves_it_unanswered(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    _, frame, approval = begun(front_end, f"{project.edits()}\nchange it")
    front_end.restart(kill=True)
    front_end.run("%load_ext tah_jupyter")
    answer(front_end, frame, approval)  # the old button, in a page that still shows it
    ran = front_end.run(f"{project.script(says('I see'))}\nwhat happened?")
    assert ran.status == "ok"
    assert project.a == "x = 1\n"
    assert [record["outcome"] for record in project.records("approval.answered")] == ["unanswered"]
    assert project.records("tool.started")[-1]["tool"] == "read_file", "the edit never ran"


@pytest.mark.case("NB-07")
def test_ids_of_an_old_kernel_open_nothing_in_a_new_one(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    _, _, old = begun(front_end, f"{project.edits()}\nchange it")
    front_end.restart(kill=True)
    front_end.run("%load_ext tah_jupyter")
    ran, frame, new = begun(front_end, f"{project.edits()}\nchange it")
    assert new != old
    answer(front_end, frame, old, id=7)
    front_end.until(lambda: {"type": "ack", "id": 7, "late": True} in frame.messages)
    assert project.a == "x = 1\n"
    answer(front_end, frame, new, "deny")
    front_end.until(lambda: ran.done)
    assert project.a == "x = 1\n"


@pytest.mark.case("NB-07")
def test_what_is_saved_while_an_approval_waits_reads_without_a_kernel(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran, _, _ = begun(front_end, f"{project.edits()}\nchange it")
    front_end.until(lambda: "text/html" in ran.mimes)
    [saved] = [output for output in ran.outputs if "text/html" in output.get("data", {})]
    assert WIDGET not in saved["data"]
    assert "Edit a.py" in saved["data"]["text/html"]
    assert "<button" not in saved["data"]["text/html"]
    front_end.manager.interrupt_kernel()
    front_end.until(lambda: ran.done)


@pytest.mark.case("NB-07")
def test_the_end_leaves_one_static_record_and_no_widget(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran, frame, approval = begun(front_end, f"{project.edits()}\nchange it")
    answer(front_end, frame, approval)
    front_end.until(lambda: ran.done)
    [output] = ran.outputs
    assert set(output["data"]) == {"text/html", "text/plain", "text/markdown"}
    assert frame.closed
    assert front_end.run("import ipywidgets; len(ipywidgets.widgets.widget._instances)").text == "0"


@pytest.mark.case("NB-08")
def test_a_key_is_nowhere_but_in_the_environment(open_kernel: Open, project: Project) -> None:
    key = "sk-proj-" + "Zq8Lw3Xn5Rt7Yv2B" * 2
    project.env |= {"OPENAI_API_KEY": key, "IPYTHONDIR": str(project.state / "ipython")}
    (project.folder / "notes.txt").write_text(f"the key is {key}\n")
    front_end = open_kernel()
    read = call("read_file", path="notes.txt")
    write = call("write_file", path="copy.txt", content=f"again {key}\n")
    ran = front_end.submit(f"{project.script(read, write, says(f'it is {key}'))}\ncopy it")
    frame = front_end.frame()
    front_end.until(lambda: any(message.get("cards") for message in frame.messages))
    card = [message for message in frame.messages if message.get("cards")][-1]["cards"][0]["id"]
    front_end.send(
        frame, {"type": "answer", "id": 1, "approval": card, "answer": "allow", "scope": "once", "reason": ""}
    )
    front_end.until(lambda: ran.done)
    looks = [
        front_end.run(code).outputs for code in ("%tah", "%tah config", "tah", "tah.last", "_", "%tah sessions show 1")
    ]
    assert (project.folder / "copy.txt").read_text() == f"again {key}\n", "what the agent writes is not changed"
    seen = str([ran.outputs, looks, frame.state, frame.messages])
    assert key not in seen
    assert all(key not in session.joinpath("log.jsonl").read_text() for session in project.sessions)
    front_end.run("get_ipython().history_manager.writeout_cache()")
    history = b"".join(path.read_bytes() for path in project.state.rglob("history.sqlite*"))
    assert history
    assert key.encode() not in history
