"""Interrupts at every place a run can be: back in a second, nothing left running, and the next cell works."""

import random
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.kernel.conftest import Open
from tests.kernel.front_end import FrontEnd, Ran
from tests.kernel.project import EDIT, READ, Project, call, says

SLEEP = call("execute_command", command=["sh", "hold.sh"])


@pytest.fixture
def project(project: Project) -> Project:
    """One with a command that starts another one and tells its own process id."""
    (project.folder / "hold.sh").write_text("echo $$ > pid\nsleep 300 &\nwait\n")
    return project


def interrupted(front_end: FrontEnd, ran: Ran, *queued: Ran) -> None:
    """Interrupt the running cell; it must be back within a second, and what was queued with it."""
    started = time.monotonic()
    front_end.manager.interrupt_kernel()
    front_end.until(lambda: ran.done and all(cell.done for cell in queued), limit_s=5)
    assert time.monotonic() - started < 1
    assert ran.status == "error"
    assert ran.reply is not None
    assert ran.reply["ename"] == "KeyboardInterrupt"
    assert front_end.run("6 * 7", limit_s=5).text == "42"


def living(pid_file: Path) -> list[psutil.Process]:
    """The command's process and its children, as far as they live."""
    try:
        process = psutil.Process(int(pid_file.read_text()))
        return [p for p in [process, *process.children(recursive=True)] if p.status() != psutil.STATUS_ZOMBIE]
    except psutil.NoSuchProcess:
        return []


def test_while_the_model_streams(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran = front_end.submit(f"{project.script([*says('thinking about it'), {'waits': 60}])}\ngo")
    front_end.until(lambda: any("thinking" in str(m) for f in front_end.frames.values() for m in f.messages))
    queued = front_end.submit("1 + 1")
    interrupted(front_end, ran, queued)
    assert queued.status == "aborted"
    assert "■ Stopped by you" in ran.text
    assert "Traceback" not in ran.text
    assert project.records("run.ended")[0]["reason"] == "interrupted"
    assert "thinking about it" in project.records("message.finished")[0]["text"]


def test_while_a_command_runs(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran = front_end.submit(f"{project.script(SLEEP, says('done'))} --allow execute_command\ngo")
    pid = project.folder / "pid"
    front_end.until(lambda: pid.exists() and len(living(pid)) == 2)
    group = living(pid)
    interrupted(front_end, ran)
    _, alive = psutil.wait_procs(group, timeout=2)
    assert alive == []
    assert "■ Stopped by you" in ran.text


def test_the_line_names_the_call_that_was_interrupted(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran = front_end.submit(f"{project.script(SLEEP, says('done'))} --allow execute_command\ngo")
    pid = project.folder / "pid"
    front_end.until(lambda: pid.exists() and len(living(pid)) == 2)
    interrupted(front_end, ran)
    assert ran.outputs[-1]["traceback"] == ["■ Stopped by you during: Run sh hold.sh"]


@pytest.mark.parametrize("hello", [True, False], ids=["card", "input"])
def test_while_an_approval_waits(open_kernel: Open, project: Project, hello: bool) -> None:
    front_end = open_kernel(hello=hello)
    ran = front_end.submit(f"{project.edits()}\nchange it")
    if hello:
        front_end.until(lambda: any(m.get("cards") for f in front_end.frames.values() for m in f.messages))
    else:
        front_end.until(lambda: front_end.prompts)
    interrupted(front_end, ran)
    assert project.a == "x = 1\n"
    assert project.records("approval.answered")[0]["outcome"] == "interrupted"


def test_headless(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran = front_end.submit(f"{project.script(SLEEP, says('done'))} --allow execute_command\ngo", allow_stdin=False)
    pid = project.folder / "pid"
    front_end.until(lambda: pid.exists() and len(living(pid)) == 2)
    interrupted(front_end, ran)
    assert front_end.frames == {}


def test_while_it_starts(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran = front_end.submit(f"{project.script([{'waits': 60}])}\ngo")
    front_end.until(lambda: "tah is starting…" in ran.text)
    front_end.manager.interrupt_kernel()
    front_end.until(lambda: ran.done, limit_s=10)  # an import under way is finished first
    assert ran.status == "error"
    assert front_end.run("6 * 7").text == "42"
    again = front_end.run(f"{project.script(says('here'), name='next.json')}\nagain")
    assert again.status == "ok", again.text


def test_stop_in_the_frame_ends_the_run_as_an_interrupt_does(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran = front_end.submit(f"{project.script(SLEEP, says('done'))} --allow execute_command\ngo")
    pid = project.folder / "pid"
    front_end.until(lambda: pid.exists() and len(living(pid)) == 2)
    group = living(pid)
    queued = front_end.submit("1 + 1")
    started = time.monotonic()
    front_end.send(front_end.frame(), {"type": "stop", "id": 1})
    front_end.until(lambda: ran.done and queued.done, limit_s=5)
    assert time.monotonic() - started < 1
    assert ran.reply is not None
    assert ran.reply["ename"] == "KeyboardInterrupt"
    assert queued.status == "aborted"
    assert psutil.wait_procs(group, timeout=2)[1] == []


def test_an_interrupt_behind_the_end_does_not_cost_the_cells_reply(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    front_end.run("get_ipython().kernel._execute_sleep = 1.0")  # ipykernel's own pause before each reply, made long
    ran = front_end.submit(f"{project.script(says('here'))}\nhello")
    front_end.until(lambda: "✓ Done" in ran.text)
    front_end.manager.interrupt_kernel()
    front_end.until(lambda: ran.done, limit_s=10)
    assert ran.status == "ok", ran.text
    assert front_end.run("6 * 7").text == "42"


def test_the_next_request_goes_on_with_what_was_done(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran = front_end.submit(f"{project.script(READ, EDIT, [{'waits': 60}])} --allow edit_file\ngo")
    front_end.until(lambda: project.a == "x = 2\n")
    interrupted(front_end, ran)
    answer = front_end.run(f"{project.script(says('going on'), name='next.json')}\ngo on")
    assert answer.status == "ok"
    assert "run 2" in answer.text
    assert len(project.sessions) == 1


def test_a_cell_of_the_user_is_interrupted_as_ever(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    front_end.run(f"{project.script(says('hello'))}\nhello")
    front_end.run("1 / 0")  # the first traceback of a kernel takes IPython seconds
    ran = front_end.submit("print('in', flush=True)\nimport threading; threading.Event().wait(60)")
    front_end.until(lambda: "in" in ran.text)
    interrupted(front_end, ran)


def test_at_random_moments_each_run_that_began_has_one_end(open_kernel: Open, project: Project) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    front_end = open_kernel()
    front_end.run(f"{project.script(says('here'), name='first.json')}\nimport everything")
    for number in range(12):
        first_line = project.script([*says("looking"), *READ], SLEEP, [{"waits": 60}], name=f"s{number}.json")
        allow = chance.choice(["", " --allow execute_command"])
        ran = front_end.submit(f"{first_line}{allow}\ngo", allow_stdin=chance.random() < 0.7)
        with suppress(TimeoutError):
            front_end.until(lambda ran=ran: ran.done, limit_s=chance.random() * chance.choice([0.05, 0.2, 0.6]))
        if not ran.done:
            interrupted(front_end, ran)
    started = [record["run"] for record in project.records("run.started")]
    assert [record["run"] for record in project.records("run.ended")] == started
    assert len(started) > 1
    assert not (project.folder / "pid").exists() or living(project.folder / "pid") == []
