"""What must hold in every kernel, from ipykernel 6.17 to 7.4, and for every front end: `make matrix` runs this in each,
`make test` in the one that is installed.

A front end without subshells sends its clicks where the cell runs, so there ipykernel before 7.4 must be taught.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from tests.kernel.conftest import Open
from tests.kernel.front_end import WIDGET, FrontEnd
from tests.kernel.project import Project, says

Timed = Callable[[str, str], AbstractContextManager[None]]
Signals = Callable[[str], object]

FRONT_ENDS = pytest.mark.parametrize("kind", ["subshell", "plain"])

CLICK_S = 5.0


@pytest.fixture
def timed(record_property: Callable[[str, object], None]) -> Timed:
    """Tells `make matrix` how long something took: ``timed(front end, what)``."""

    @contextmanager
    def measure(front_end: str, what: str) -> Iterator[None]:
        started = time.monotonic()
        yield
        record_property("timed", json.dumps([front_end, what, time.monotonic() - started]))

    return measure


def next_answer(front_end: FrontEnd) -> str:
    """What the next cell shows. ipykernel 6 still aborts a request that comes right behind an error."""
    answers = (front_end.run("6 * 7") for _ in range(20))
    return next(answer.text for answer in answers if answer.status != "aborted")


@FRONT_ENDS
def test_a_click_is_taken_while_the_cell_runs(open_kernel: Open, project: Project, timed: Timed, kind: str) -> None:
    front_end = open_kernel(subshell=kind == "subshell")
    ran = front_end.submit(f"{project.edits()}\nchange it")
    frame, approval = front_end.card()
    with timed(kind, "click"):
        front_end.click(frame, approval)
        front_end.until(lambda: any(m["type"] == "ack" for m in frame.messages), limit_s=CLICK_S)
    front_end.until(lambda: ran.done)
    assert ran.status == "ok", ran.text
    assert project.a == "x = 2\n"
    assert WIDGET not in ran.mimes, "a record is left, no frame"


@FRONT_ENDS
def test_a_click_on_deny_is_taken_too_and_later_cells_run(open_kernel: Open, project: Project, kind: str) -> None:
    front_end = open_kernel(subshell=kind == "subshell")
    ran = front_end.submit(f"{project.edits()}\nchange it")
    queued = front_end.submit("print('next', 6 * 7)")
    frame, approval = front_end.card()
    front_end.click(frame, approval, "deny")
    front_end.until(lambda: ran.done and queued.done)
    assert project.a == "x = 1\n"
    assert queued.text.strip() == "next 42"


@FRONT_ENDS
def test_a_page_that_reloads_finds_its_card_again(open_kernel: Open, project: Project, timed: Timed, kind: str) -> None:
    front_end = open_kernel(subshell=kind == "subshell")
    ran = front_end.submit(f"{project.edits()}\nchange it")
    frame, approval = front_end.card()
    with timed(kind, "reload"):
        assert front_end.ask("kernel_info_request", {}, limit_s=CLICK_S)["status"] == "ok"
        comms = front_end.ask("comm_info_request", {"target_name": "jupyter.widget"}, limit_s=CLICK_S)
        frame.messages.clear()
        front_end.page = "page-2"
        front_end.say_hello(frame)
        front_end.until(lambda: any(m["type"] == "draw" and m.get("cards") for m in frame.messages), limit_s=CLICK_S)
    assert frame.comm_id in comms["comms"]
    assert "busy" in [state for _, state in front_end.statuses][-2:], "the page sees that the cell still runs"
    front_end.click(frame, approval)
    front_end.until(lambda: ran.done)
    assert project.a == "x = 2\n"


@FRONT_ENDS
def test_an_interrupt_ends_a_card_that_waits(open_kernel: Open, project: Project, timed: Timed, kind: str) -> None:
    front_end = open_kernel(subshell=kind == "subshell")
    ran = front_end.submit(f"{project.edits()}\nchange it")
    queued = front_end.submit("1 + 1")
    front_end.card()
    with timed(kind, "interrupt"):
        front_end.manager.interrupt_kernel()
        front_end.until(lambda: ran.done and queued.done, limit_s=CLICK_S)
    assert (ran.status, queued.status) == ("error", "aborted")
    assert "■ Stopped by you" in ran.text
    assert "Traceback" not in ran.text
    assert next_answer(front_end) == "42"


def test_where_no_page_draws_frames_a_question_is_asked_at_input(
    open_kernel: Open, project: Project, timed: Timed
) -> None:
    front_end = open_kernel(hello=False)
    front_end.answers = ["y"]
    with timed("no widgets", "input()"):
        ran = front_end.run(f"{project.edits()}\nchange it")
    assert ran.status == "ok", ran.text
    [prompt] = front_end.prompts
    assert "allow?" in prompt
    assert project.a == "x = 2\n"


def test_an_interrupt_ends_input_too(open_kernel: Open, project: Project, timed: Timed) -> None:
    front_end = open_kernel(hello=False)
    ran = front_end.submit(f"{project.edits()}\nchange it")
    front_end.until(lambda: front_end.prompts)
    with timed("no widgets", "interrupt"):
        front_end.manager.interrupt_kernel()
        front_end.until(lambda: ran.done, limit_s=CLICK_S)
    assert ran.status == "error"
    assert project.a == "x = 1\n"
    assert next_answer(front_end) == "42"


def test_where_nobody_can_answer_it_is_denied_and_never_waits(
    open_kernel: Open, project: Project, timed: Timed
) -> None:
    front_end = open_kernel()
    with timed("nobody", "denial"):
        ran = front_end.run(f"{project.edits()}\nchange it", allow_stdin=False)
    assert ran.status == "ok", ran.text
    assert project.a == "x = 1\n"
    assert project.records("approval.answered")[0]["outcome"] == "unanswered"
    assert (front_end.frames, front_end.prompts) == ({}, [])


LATER = """
import asyncio, sys, threading
from IPython.display import display
from tah_jupyter.jupyter.kernel import call_on_main, parent_of, with_parent
kernel = get_ipython().kernel
mine = parent_of(kernel)

def late():
    with with_parent(kernel, mine):
        print("late", threading.current_thread() is threading.main_thread())
        print("late too", file=sys.stderr)
        display({"text/plain": "shown late"}, raw=True)

def wait():
    open("first").read()
    call_on_main(kernel, late)

async def until_signalled():
    await asyncio.to_thread(lambda: open("second").read())
"""


@pytest.fixture
def signals(project: Project) -> Signals:
    """Two pipes in the project; ``signals(name)`` lets go on what reads from one of them."""
    for name in ("first", "second"):
        os.mkfifo(project.folder / name)
    return lambda name: project.folder.joinpath(name).write_text("go on")


def test_a_job_of_another_thread_runs_on_the_idle_main_thread_and_shows_in_its_own_cell(
    open_kernel: Open, signals: Signals, timed: Timed
) -> None:
    front_end = open_kernel()
    mine = front_end.run(LATER)
    front_end.run("threading.Thread(target=wait, daemon=True).start()")
    other = front_end.run("1 + 1")
    with timed("plain", "main job"):
        signals("first")
        front_end.until(lambda: "late True" in mine.text and "shown late" in mine.text, limit_s=2)
    front_end.until(lambda: "late too" in mine.text)
    assert other.text == "2"
    assert front_end.run("print('mine')").text == "mine\n"


def test_a_job_of_another_thread_leaves_an_awaited_cell_its_output(open_kernel: Open, signals: Signals) -> None:
    front_end = open_kernel()
    mine = front_end.run(LATER)
    front_end.run("threading.Thread(target=wait, daemon=True).start()")
    other = front_end.submit("print('before')\nawait until_signalled()\nprint('after')")
    front_end.until(lambda: "before" in other.text)
    signals("first")
    front_end.until(lambda: "late too" in mine.text and "shown late" in mine.text)
    signals("second")
    front_end.until(lambda: other.done)
    assert "".join(output["text"] for output in other.outputs) == "before\nafter\n"


def test_unloading_takes_back_what_the_kernel_was_taught(open_kernel: Open, project: Project, signals: Signals) -> None:
    front_end = open_kernel()
    front_end.run(LATER)

    def ask_beside_a_cell(*, limit_s: float) -> None:
        cell = front_end.submit("print('runs')\nawait until_signalled()")
        front_end.until(lambda: "runs" in cell.text)
        try:
            front_end.ask("kernel_info_request", {}, limit_s=limit_s)
        finally:
            signals("second")
            front_end.until(lambda: cell.done)

    front_end.run(f"{project.script(says('hello'))}\nhello", allow_stdin=False)
    ask_beside_a_cell(limit_s=CLICK_S)
    front_end.run("%unload_ext tah_jupyter")
    with pytest.raises(TimeoutError):
        ask_beside_a_cell(limit_s=0.5)
    assert front_end.ask("kernel_info_request", {})["status"] == "ok"


def test_tab_offers_the_words_of_the_grammar(open_kernel: Open) -> None:
    """Up to IPython 8.5 they stand among Python's own."""
    front_end = open_kernel()
    for line, words in (
        ("%tah sh", {"show"}),
        ("%tah show ", {"todos", "tools", "cost"}),
        ("%%tah --mode p", {"plan"}),
    ):
        assert words <= set(front_end.ask("complete_request", {"code": line, "cursor_pos": len(line)})["matches"])


COLAB = """
from IPython import get_ipython

def enable_custom_widget_manager():
    get_ipython().display_pub.register_hook(with_manager)

def with_manager(message):
    for mime in message["content"].get("data", {}):
        if "widget-view" in mime:
            message["content"]["metadata"][mime] = {"colab": "our manager"}
    return message
"""


def test_colab_is_told_which_widget_manager_draws_the_frame(open_kernel: Open, project: Project) -> None:
    """Colab draws no widget but ipywidgets' own until its custom widget manager is enabled, which anywidget does. The
    module stands in for Colab's, which marks displays in this way.
    """
    package = project.folder / "google" / "colab"
    package.mkdir(parents=True)
    (package / "output.py").write_text(COLAB)
    front_end = open_kernel()
    front_end.run("import google.colab.output")
    ran = front_end.submit(f"{project.edits()}\nchange it")
    frame, approval = front_end.card()
    assert any(output.get("metadata", {}).get(WIDGET) == {"colab": "our manager"} for output in ran.outputs)
    front_end.click(frame, approval)
    front_end.until(lambda: ran.done)
    assert project.a == "x = 2\n"
