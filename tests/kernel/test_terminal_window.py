"""Terminal IPython in a window: the reference screens as they stand there, every answer, and Ctrl-C at each place."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.kernel.project import EDIT, READ, Project, call, says
from tests.kernel.terminal_window import IPYTHON, Window, open_window

Open = Callable[..., Window]

PLAN = call(
    "todo_write",
    todos=[{"content": "Look at it", "status": "in_progress"}, {"content": "Fix it", "status": "pending"}],
)
STORY = "`x` is one and should be two, because whoever reads it next expects that; the tests say the same."
TESTS = call("execute_command", command=["sh", "tests.sh"])


@pytest.fixture
def open_terminal(project: Project) -> Iterator[Open]:
    """Opens a window on the project with the extension loaded and the script chosen, at prompt 3."""
    with ExitStack() as stack:

        def start(*, width: int = 80, **env: str) -> Window:
            argv = (*IPYTHON, "--colors=Linux")
            window = stack.enter_context(
                open_window(project.folder, env={**project.env, **env}, width=width, argv=argv)
            )
            window.prompt(1)
            window.enter("%load_ext tah_jupyter")
            window.prompt(2)
            window.enter("%tah model scripted:script.json")
            window.prompt(3)
            return window

        yield start


def asked(window: Window, times: int = 1) -> None:
    """Wait until the person is asked for the ``times``-th time, and the answer counts."""
    window.until(lambda: window.text.count("allow?") == times and window.lines[-1] == "allow?")


@pytest.mark.parametrize(
    ("env", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
    ids=["colour", "NO_COLOR", "dumb"],
)
def test_the_reference_screens(open_terminal: Open, project: Project, env: dict[str, str], coloured: bool) -> None:
    (project.folder / "tests.sh").write_text("echo one; echo two\nread -r line < go\n")
    project.script(PLAN, READ, [*says(STORY), *EDIT], TESTS, says("x is two now."))
    os.mkfifo(project.folder / "go")
    window = open_terminal(**env)
    window.enter("%tah ask fix it")
    asked(window)
    assert window.since("tah · run 1") == [
        "tah · run 1 · scripted:script.json · Ctrl-C stops",
        "plan 0/2  [>] Look at it  [ ] Fix it",
        "  looked at 1 thing: a.py",
        "`x` is one and should be two, because whoever reads it next expects that; the",
        "tests say the same.",
        "-- approval -- Edit a.py  +1 -1 -----------------------------------------------",
        " - 1  x = 1",
        " + 1  x = 2",
        "asks because: in mode Ask every edit asks",
        "y allow once | r allow edits in this folder for this run | n deny | ? more",
        "or type what it should do instead",
        "allow?",
    ]
    assert window.ink("+ 1  x = 2") == (("green", False) if coloured else ("default", False))
    assert window.ink("-- approval --") == ("default", coloured)
    window.enter("y")
    asked(window, 2)
    window.enter("y")
    if "TERM" not in env:
        window.until("       two")
        assert window.since("allow? y")[1].startswith("  ...  run sh tests.sh   0:0")
        assert window.since("allow? y")[1].endswith(" of 0:30")
    (project.folder / "go").write_text("on\n")
    window.prompt(4)
    assert window.since("allow? y")[:-2] == [
        "allow? y",
        "  ok   run sh tests.sh (exit 0 · 0 s, allowed once by you)",
        "x is two now.",
        "done · run 1 · 1 file changed · 4 steps · 0 s · local, no charge",
        "changed   a.py +1 -1",
    ]
    assert "  ok   edit a.py +1 -1 (allowed once by you)" in window.lines


def test_a_narrow_window_in_chinese(open_terminal: Open, project: Project) -> None:
    (project.folder / "tah.config.json").write_text(json.dumps({"ui": {"language": "zh"}}))
    project.script([*says("这个变量现在是一，应该改成二，因为后面读取它的代码需要这个数值。"), *EDIT], says("好了"))
    window = open_terminal(width=40)
    window.enter("%tah ask fix it")
    window.until("允许吗？")
    assert window.since("这个变量") == [
        "这个变量现在是一，应该改成二，因为后面",
        "读取它的代码需要这个数值。",
        "-- 审批 -- 编辑 a.py  +1 -1 -----------",
        " - 1  x = 1",
        " + 1  x = 2",
        "需要审批的原因：在“每次询问”模式下，每",
        "  次编辑都需要审批",
        "y 允许一次",
        "r 本次运行内允许编辑 此文件夹 | n 拒绝",
        "? 更多",
        "或输入应该改为怎么做",
        "允许吗？",
    ]
    window.enter("y")
    window.until("已更改   a.py +1 -1")


def test_every_answer(open_terminal: Open, project: Project) -> None:
    def edit(old: int, new: int) -> list[dict[str, Any]]:
        return call("edit_file", path="a.py", old_string=f"x = {old}", new_string=f"x = {new}")

    project.script(READ, edit(1, 2), edit(1, 3), edit(1, 4), edit(4, 5), edit(5, 6), says("that was it"))
    window = open_terminal()
    window.enter("%tah ask fix it")
    asked(window)
    for times, unclear in enumerate(("", "maybe", "a", "e", "?"), 2):
        window.enter(unclear)
        asked(window, times)
    assert "Two words or more deny, and are told to the agent. Nothing else is an answer." in window.text
    window.enter("n")
    asked(window, 7)
    window.enter("use three instead, please")
    asked(window, 8)
    assert "denied, told the agent: use three instead, please" in window.lines
    window.enter("YES")
    asked(window, 9)
    window.enter("r")
    window.prompt(4)
    assert project.a == "x = 6\n"
    assert "  no   edit a.py +1 -1 (denied by you)" in window.text.replace(" +1 -1", "").replace("a.py", "a.py +1 -1")
    assert "denied by you: use three instead, please" in " ".join(window.text.split())
    assert any("allowed by you for this run" in line for line in window.lines)


def test_what_was_typed_before_the_question_is_no_answer(open_terminal: Open, project: Project) -> None:
    project.script([*says("let me see"), {"waits": 1.5}, *EDIT], says("well"))
    window = open_terminal()
    window.enter("%tah ask fix it")
    window.until("tah · run 1")
    window.enter("y")
    window.enter("y")
    asked(window)
    window.enter("n")
    window.prompt(4)
    assert project.a == "x = 1\n"
    assert project.records("approval.answered")[0]["outcome"] == "denied"


def test_no_line_of_a_paste_is_an_answer(open_terminal: Open, project: Project) -> None:
    project.script(READ, EDIT, says("well"))
    window = open_terminal()
    window.enter("%tah ask fix it\ny\ny")
    asked(window)
    window.enter("y\ny\nx = df.groupby('month')\nprint(x)")
    asked(window, 2)
    assert project.a == "x = 1\n"
    window.enter("n")
    window.prompt(4)
    assert project.a == "x = 1\n"
    assert "reason" not in project.records("approval.answered")[0]
    assert "NameError" not in window.text, "nor does the rest of it run as code"


def test_a_window_that_becomes_narrower(open_terminal: Open, project: Project) -> None:
    (project.folder / "hold.sh").write_text("echo 'output that is too wide for a narrow window'\nread -r line < go\n")
    os.mkfifo(project.folder / "go")
    hold = call("execute_command", command=["sh", "hold.sh"])
    project.script([*says("one " * 30), *hold], says("two " * 30))
    window = open_terminal()
    window.enter("%tah ask go")
    asked(window)
    window.enter("y")
    window.until("       output that is too wide for a narrow window")
    window.resize(50)
    (project.folder / "go").write_text("on\n")
    window.prompt(4)
    rows = window.since("allow? y")
    assert rows[1].startswith("  ok   run sh hold.sh (exit 0 · 0 s, ")
    assert "two two two two two two two two two two two two" in rows
    assert max(map(len, rows)) < 50
    assert "or type what it should do instead" in window.lines


def ends(window: Window, project: Project, prompt: int = 4) -> list[str]:
    """What stands below after Ctrl-C, once the prompt is back and works."""
    window.prompt(prompt)
    assert project.records("run.ended")[-1]["reason"] == "interrupted"
    lines = window.since("stopped by you · run")
    window.enter("print(6 * 7)")
    window.prompt(prompt + 1)
    assert "42" in window.lines
    return lines


def test_ctrl_c_while_the_model_streams_keeps_what_it_said(open_terminal: Open, project: Project) -> None:
    project.script([*says("thinking about it, for long"), {"waits": 60}], says("here again"))
    window = open_terminal()
    window.enter("%tah ask go")
    window.until("thinking about it, for")
    window.ctrl_c()
    lines = ends(window, project)
    assert "thinking about it, for long" in window.lines, "the last word, which was still open, too"
    assert "■ Stopped by you" in lines
    window.enter("%tah ask and now?")
    window.until("done · run 2")
    assert "here again" in window.lines
    assert window.lines.count("tah is starting…") == 1, "only the first request has something to load"
    assert len(project.sessions) == 1, "the next request goes on in the same session"


def test_ctrl_c_while_a_command_runs(open_terminal: Open, project: Project) -> None:
    (project.folder / "hold.sh").write_text("echo begun\nexec sleep 300\n")
    project.script(call("execute_command", command=["sh", "hold.sh"]), says("no"))
    window = open_terminal()
    window.enter("%tah ask go")
    asked(window)
    window.enter("y")
    window.until("       begun")
    window.ctrl_c()
    lines = ends(window, project)
    assert "■ Stopped by you during: Run sh hold.sh" in lines
    assert any("run sh hold.sh" in line and "interrupted" in line for line in window.lines)


def test_ctrl_c_at_an_approval_ends_the_run_and_denies_nothing(open_terminal: Open, project: Project) -> None:
    project.script(EDIT, says("no"))
    window = open_terminal()
    window.enter("%tah ask go")
    asked(window)
    window.ctrl_c_until("stopped by you")
    ends(window, project)
    assert project.records("approval.answered")[0]["outcome"] == "interrupted"
    assert project.a == "x = 1\n"


def test_a_second_ctrl_c_does_not_end_ipython(open_terminal: Open, project: Project) -> None:
    project.script([*says("thinking"), {"waits": 60}])
    window = open_terminal()
    window.enter("%tah ask go")
    window.until("tah · run 1")
    window.ctrl_c()
    window.ctrl_c()
    window.ctrl_c()
    window.until("In [4]:")
    window.enter("print(6 * 7)")
    window.until("42")
    assert window.process.poll() is None


@pytest.fixture
def chooser(project: Project) -> Iterator[Window]:
    """A window in which no model is settled, at the question which one to use."""
    keys = {name: "" for name in os.environ if name.endswith("_API_KEY") or name in ("TAH_MODEL", "OPENAI_BASE_URL")}
    with open_window(project.folder, env={**project.env, **keys}) as window:
        window.prompt(1)
        window.enter("%load_ext tah_jupyter")
        window.prompt(2)
        window.enter("%tah ask why do the tests fail?")
        window.until(lambda: window.lines[-1] == "choose?")
        yield window


def choose(window: Window, label: str) -> None:
    """Answer with the number that stands before ``label``."""
    [number] = [line.split()[0] for line in window.lines if f"  {label}" in line]
    window.enter(number)


def test_a_request_is_kept_until_a_model_is_chosen_from_a_list(chooser: Window) -> None:
    assert chooser.since("-- Choose")[0].startswith(
        "-- Choose a model · your request is kept and runs when you choose -"
    )
    chooser.enter()
    chooser.until(lambda: chooser.text.count("choose?") == 2)
    choose(chooser, "Scripted demo")
    chooser.until("[Y/n]")
    chooser.enter("n")
    chooser.until("tah · run 1")
    chooser.until("allow?")
    chooser.ctrl_c_until("stopped by you")


def test_ctrl_c_at_a_question_runs_nothing(chooser: Window, project: Project) -> None:
    chooser.ctrl_c_until("In [3]:")
    assert chooser.since("■")[0] == "■ Stopped by you"
    assert not (project.folder / ".tah").exists()


def test_a_key_is_not_shown_while_it_is_typed(chooser: Window) -> None:
    choose(chooser, "Anthropic")
    chooser.until("[Y/n]")
    chooser.enter("n")
    chooser.until("not shown as you type")
    chooser.type("sk-ant-api03-0123456789")
    chooser.ctrl_c_until("In [3]:")
    assert "sk-ant" not in chooser.text
