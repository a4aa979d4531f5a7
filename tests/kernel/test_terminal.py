"""%tah in plain IPython whose input and output are pipes: no window, no colour, and never a wait for nobody."""

import os
import subprocess
import sys

from tests.kernel.project import EDIT, READ, Project, call, says

IPYTHON = [sys.executable, "-u", "-m", "IPython", "--simple-prompt", "--no-banner", "--colors=NoColor"]
LOADED = ("%load_ext tah_jupyter", "%tah model scripted:script.json")


def typed(project: Project, *lines: str, leaves: tuple[str, ...] = ("exit", "y", ""), encoding: str = "utf-8") -> str:
    """Everything that IPython printed after ``lines`` came through its input and the input ended."""
    env = {**os.environ, **project.env, "PYTHONWARNINGS": "ignore", "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        IPYTHON, input="\n".join([*lines, *leaves]), capture_output=True, text=True, cwd=project.folder, env=env,
        timeout=50, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def test_a_person_answers_at_the_prompt(project: Project) -> None:
    project.script(READ, EDIT, says("changed it"))
    shown = typed(project, *LOADED, "%tah ask change it?", "maybe", "y", "_.text")
    assert project.a == "x = 2\n"
    assert "tah · run 1 · scripted:script.json · Ctrl-C stops" in shown, "a model may be silent for long"
    assert " + 1  x = 2" in shown
    assert "allow? maybe\nallow? y\n  ok   edit a.py +1 -1 (allowed once by you)\n" in shown
    assert "done · run 1" in shown
    assert "'changed it'" in shown
    assert shown.count("allow? ") == 2, "only a clear answer is one"


def test_words_deny_and_are_told_to_the_model(project: Project) -> None:
    project.script(READ, EDIT, says("well then"))
    shown = typed(project, *LOADED, "%tah ask change it", "leave it alone")
    assert project.a == "x = 1\n"
    assert "denied, told the agent: leave it alone" in shown
    assert "leave it alone" in project.records("tool.failed")[0]["text"]


def test_an_input_that_has_ended_is_nobody_and_never_a_hang(project: Project) -> None:
    project.script(EDIT, says("nobody there"))
    shown = typed(project, *LOADED, "%tah ask change it", leaves=("",))
    assert project.a == "x = 1\n"
    assert project.records("approval.answered")[0]["outcome"] == "unanswered"
    assert "nobody can answer here" in shown


def test_a_log_has_no_control_characters_and_no_progress(project: Project) -> None:
    project.script(call("execute_command", command=["sh", "-c", "echo working; sleep 1.2; echo on"]), says("ran"))
    shown = typed(project, *LOADED, "%tah ask go", "y")
    ours = shown[shown.index("tah · run 1") : shown.index("done · run 1")]
    assert "ok   run sh -c" in ours
    assert "..." not in ours
    assert not [character for character in ours if ord(character) < 32 and character != "\n"]


def test_what_the_encoding_of_the_terminal_cannot_say_is_escaped(project: Project) -> None:
    project.script(READ, EDIT, says("fertig ✓"))
    lines = (*LOADED, "%tah doctor", "%tah ask change it", "y", "%tah sessions show 1", "tah.last")
    shown = typed(project, *lines, encoding="ascii")
    assert "tah 0.1 \\xb7 no model chosen" in shown
    assert "\\u2713 Good" in shown
    assert "tah is starting\\u2026" in shown
    assert "fertig \\u2713" in shown
    assert "tah \\xb7 run 1 \\xb7 \\u2713 Done" in shown
    assert "Error" not in shown
    assert project.a == "x = 2\n"
