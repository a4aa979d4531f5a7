"""jupyter console, a real front end with input() and without widgets: asked in the terminal, and the record is read."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.kernel.project import EDIT, READ, Project, call, says
from tests.kernel.terminal_window import Window, open_window

CONSOLE = (sys.executable, "-m", "jupyter_console", "--kernel=python3", "--simple-prompt")


@contextmanager
def console(project: Project) -> Iterator[Window]:
    """A console whose first cell, which has nothing of ours in it, was answered. One that is typed into the moment its
    prompt stands sometimes hangs there; the cause is not known (it may miss its first outputs), so another is opened.
    """
    for _ in range(4):
        with open_window(project.folder, env=project.env, width=100, argv=CONSOLE) as window:
            window.prompt(1)
            window.enter("'heard'")
            try:
                window.until("Out[1]: 'heard'", limit_s=10)
            except TimeoutError:
                continue
            window.prompt(2)
            yield window
            return
    raise TimeoutError("no console heard its kernel")


def test_a_person_answers_in_jupyter_console(project: Project) -> None:
    again = call("edit_file", path="a.py", old_string="x = 2", new_string="x = 9")
    project.script(READ, [*says("The value is one."), *EDIT], [{"waits": 1.0}, *again], says("x is two now."))
    with console(project) as window:
        window.enter("%load_ext tah_jupyter")
        window.prompt(3)
        window.enter("%tah model scripted:script.json")
        window.prompt(4)
        window.enter("%tah ask fix it")
        window.until(lambda: window.lines[-1] == "allow?")
        assert window.since("-- approval") == [
            "-- approval -- Edit a.py  +1 -1 -----------------------------------------------",
            " - 1  x = 1",
            " + 1  x = 2",
            "asks because: in mode Ask every edit asks",
            "Edit a.py +1 -1",
            "y allow once | r allow edits in this folder for this run | n deny | ? more",
            "or type what it should do instead",
            "allow?",
        ]
        window.enter("y")
        window.until(lambda: window.text.count("allow?") == 2 and window.lines[-1] == "allow?")
        window.enter("two is right")
        window.prompt(5)
        assert "denied, told the agent: two is right" in window.lines
        assert any(line.startswith("tah · run 1 · ✓ Done") for line in window.lines)
        assert "x is two now." in window.lines, "the record is read though this front end draws no updates"
    assert project.a == "x = 2\n"
