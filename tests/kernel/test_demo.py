"""The demo in real kernels: as a command that checks itself, and as ``%tah demo`` beside a person's own work."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tah_jupyter.models.sample.project import draw_sample
from tests.house.source import ROOT
from tests.kernel.conftest import Open
from tests.kernel.front_end import Frame, FrontEnd, Ran
from tests.kernel.project import Project, says


def demo(out: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "tah_jupyter.jupyter.demo", "--out", str(out), *options],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "TAH_PERMISSIONS_MODE": "accept_edits", "TAH_MODEL": "nobody"},  # answers for nobody
        timeout=55,
        check=False,
    )


def last_line(done: "subprocess.CompletedProcess[str]") -> str:
    assert done.stderr == ""
    return done.stdout.rstrip("\n").rpartition("\n")[2]


def test_the_command_does_the_main_job_and_counts_it(tmp_path: Path) -> None:
    done = demo(tmp_path)
    assert last_line(done) == "demo: ok · 16 calls · 3 approvals · 1 file changed", done.stdout
    assert done.returncode == 0
    seed = int(done.stdout.split()[2])
    assert f"--seed {seed}" in done.stdout.partition("\n")[0]
    for seen in ("In [2]:", "Plan 4/4", "◆ Approve? Edit", "      - ", "      + ", "\x1b"):
        assert (seen in done.stdout) == (seen != "\x1b"), seen
    changed = [
        path for path, text in draw_sample(seed).files.items() if (tmp_path / "project" / path).read_text() != text
    ]
    assert changed == [draw_sample(seed).broken_in]
    _check_keepsakes(tmp_path)


def _check_keepsakes(out: Path) -> None:
    notebook = nbformat.read(out / "demo.ipynb", 4)
    nbformat.validate(notebook)
    assert [cell.cell_type for cell in notebook.cells] == ["markdown", "code", "code"]
    [record] = notebook.cells[2].outputs
    assert set(record.data) == {"text/html", "text/plain", "text/markdown"}
    page = (out / "demo.html").read_text()
    assert record.data["text/html"] in page
    assert "<script" not in page
    assert "http" not in page, "nothing is fetched"


def test_a_second_demo_makes_room_and_the_same_seed_draws_the_same_project(tmp_path: Path) -> None:
    for _ in range(2):
        done = demo(tmp_path, "--seed", "12")
        assert last_line(done).startswith("demo: ok"), done.stdout
        assert draw_sample(12).broken_in in done.stdout


def test_a_denied_edit_makes_it_fail(tmp_path: Path) -> None:
    done = demo(tmp_path, "--seed", "3", "--deny")
    assert done.returncode == 1
    assert last_line(done).startswith("demo: FAILED: no edit was made (Not run: denied by the person")
    assert "run outside of the agent, the tests fail" in done.stdout


def test_a_project_that_cannot_be_written_makes_it_fail_for_root_too(tmp_path: Path) -> None:
    done = demo(tmp_path, "--seed", "3", "--read-only")
    assert done.returncode == 1
    assert last_line(done).startswith("demo: FAILED: no edit was made (library/totals.py is read-only"), done.stdout
    assert os.access(tmp_path / "project" / "README.md", os.W_OK)
    assert os.stat(tmp_path / "project" / "README.md").st_mode & 0o200, "the bits are given back"


def _script(path: Path, edit: dict[str, str], *, claims: str) -> str:
    look = [
        {"calls": "todo_write", "args": {"todos": [{"content": "all", "status": "completed"}]}},
        {"calls": "read_file", "args": {"path": "library/load.py"}},
        {"calls": "read_file", "args": {"path": "library/totals.py"}},
        {"calls": "read_file", "args": {"path": "test_library.py"}},
        {"calls": "grep", "args": {"pattern": "def "}},
    ]
    tests = [{"calls": "execute_command", "args": {"command": ["python3", "-B", "-m", "unittest"]}}]
    answers = [look, tests, [{"calls": "edit_file", "args": edit}], tests, [{"says": claims}]]
    path.write_text(json.dumps(answers))
    return f"scripted:{path}"


def test_a_wrong_edit_makes_it_fail_whatever_the_model_claims(tmp_path: Path) -> None:
    wrong = {"path": "library/totals.py", "old_string": "len(values) - size)", "new_string": "len(values) - size + 2)"}
    model = _script(tmp_path / "wrong one.json", wrong, claims="All tests pass now.")
    done = demo(tmp_path / "out", "--seed", "3", "--model", model)
    assert done.returncode == 1
    assert last_line(done) == "demo: FAILED: the agent did not see the tests pass", done.stdout


def test_an_edit_in_the_wrong_place_makes_it_fail_though_the_tests_pass(tmp_path: Path) -> None:
    beside = {
        "path": "test_library.py",
        "old_string": draw_sample(3).files["test_library.py"],
        "new_string": "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_nothing(self): pass\n",
    }
    model = _script(tmp_path / "cheat.json", beside, claims="All tests pass now.")
    done = demo(tmp_path / "out", "--seed", "3", "--model", model)
    assert done.returncode == 1
    assert last_line(done) == (
        "demo: FAILED: the mistake was in library/totals.py, and what changed is test_library.py"
    ), done.stdout


@pytest.mark.parametrize("script", ["[]", "not json"])
def test_a_run_that_fails_makes_it_fail(tmp_path: Path, script: str) -> None:
    (tmp_path / "empty.json").write_text(script)
    done = demo(tmp_path / "out", "--model", f"scripted:{tmp_path / 'empty.json'}")
    assert done.returncode == 1
    assert last_line(done).startswith("demo: FAILED: "), done.stdout


def test_what_is_no_demo_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "thesis.txt").write_text("precious")
    done = demo(tmp_path)
    assert done.returncode == 1
    assert "is no sample project. Choose another folder with --out." in last_line(done)
    assert (tmp_path / "project" / "thesis.txt").read_text() == "precious"


def cards(frame: Frame) -> list[str]:
    return [card["id"] for message in frame.messages for card in message.get("cards", ())]


def clicked_through(front_end: FrontEnd, cell: str) -> Ran:
    """Run a cell and allow every card once."""
    ran = front_end.submit(cell)
    frame = front_end.frame()
    seen: list[str] = []
    while not ran.done:
        front_end.until(lambda: ran.done or set(cards(frame)) - set(seen))
        for id in dict.fromkeys(cards(frame)):
            if id not in seen:
                seen.append(id)
                answer = {"type": "answer", "id": len(seen), "approval": id, "answer": "allow", "scope": "once"}
                front_end.send(frame, answer)
    assert ran.status == "ok", ran.text
    return ran


def test_tah_demo_works_beside_a_persons_own_session_and_leaves_it_as_it_was(
    open_kernel: Open, project: Project
) -> None:
    front_end = open_kernel()
    own = front_end.run(f"{project.script(says('hello'), says('still here'))}\nhello")
    assert "run 1" in own.text
    before = sorted(path for path in project.folder.rglob("*") if ".tah" not in path.parts)
    ran = clicked_through(front_end, "%tah demo")
    assert "now all 10 pass" in ran.text
    assert "scripted demo, no language model" in ran.text
    assert "on a copy of a sample project in a temporary folder (6 files), not on your files" in ran.text
    again = clicked_through(front_end, "%tah demo")
    assert "run 1" in again.text, "a new project is drawn each time"
    assert re.search(r"now all \d+ pass", again.text)
    assert sorted(path for path in project.folder.rglob("*") if ".tah" not in path.parts) == before
    back = front_end.run("%%tah\nare you there?")
    assert back.status == "ok"
    assert "run 2" in back.text, "the same session as before the demo"
    assert len(project.sessions) == 1
    assert "scripted:script.json" in front_end.run("%tah model").text


def test_as_the_model_of_the_config_it_says_what_it_is(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    assert front_end.run("%tah model demo").text.strip() == "scripted demo, no language model"
    ran = front_end.run("%%tah\nWhat is in this folder?", allow_stdin=False)
    assert "cannot answer that request" in ran.text
    assert "scripted demo, no language model" in ran.text
    assert project.a == "x = 1\n"
