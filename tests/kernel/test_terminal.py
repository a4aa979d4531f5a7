"""%tah in plain IPython, without a kernel: it blocks, asks at the prompt, and Ctrl-C ends the run."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.kernel.project import EDIT, READ, Project, says

IPYTHON = [sys.executable, "-u", "-m", "IPython", "--simple-prompt", "--no-banner", "--colors=NoColor"]


def start(project: Project) -> "subprocess.Popen[str]":
    env = {**os.environ, **project.env, "PYTHONWARNINGS": "ignore"}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        IPYTHON, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True, cwd=project.folder, env=env
    )


def typed(project: Project, *lines: str) -> str:
    """Everything that IPython printed after a person typed ``lines`` and left."""
    with start(project) as process:
        return process.communicate("\n".join([*lines, "exit", "y", ""]), timeout=50)[0]


def test_a_person_answers_at_the_prompt(project: Project) -> None:
    project.script(READ, EDIT, says("changed it"))
    shown = typed(
        project,
        "%load_ext tah_jupyter",
        "%tah model scripted:script.json",
        "%tah ask change it?",
        "maybe",
        "y",
        "_.text",
    )
    assert project.a == "x = 2\n"
    assert "tah · run 1 · scripted:script.json · Ctrl-C stops" in shown, "a model may be silent for long"
    assert "+ 1  x = 2" in shown
    assert "✓ Done" in shown
    assert "'changed it'" in shown
    assert shown.count("allow? ") == 2, "only a clear answer is one"


def test_words_deny_and_are_told_to_the_model(project: Project) -> None:
    project.script(READ, EDIT, says("well then"))
    typed(project, "%load_ext tah_jupyter", "%tah model scripted:script.json", "%tah ask change it", "leave it alone")
    assert project.a == "x = 1\n"
    assert "leave it alone" in project.records("tool.failed")[0]["text"]


def test_ctrl_c_ends_the_run_and_the_prompt_is_back(project: Project) -> None:
    project.script([*says("thinking"), {"waits": 60}])
    with start(project) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("%load_ext tah_jupyter\n%tah model scripted:script.json\nprint('re' + 'ady')\n")
        process.stdin.write("%tah ask go\n")
        process.stdin.flush()
        _wait_for_run(project.folder, process)
        process.send_signal(signal.SIGINT)
        shown = process.communicate("print(6 * 7)\nexit\ny\n", timeout=30)[0]
    assert "■ Stopped by you" in shown
    assert "42" in shown
    assert project.records("run.ended")[0]["reason"] == "interrupted"


def _wait_for_run(folder: Path, process: "subprocess.Popen[str]") -> None:
    """Until the log says that a message has begun; the log is a file, so this looks until it does."""
    while process.poll() is None:
        for log in folder.glob(".tah/sessions/*/log.jsonl"):
            if "message.started" in log.read_text():
                return
