"""From %load_ext to the end of a kernel: what a cell leaves, what a restart or a crash keeps, what a page finds."""

import signal
from pathlib import Path

import psutil
import pytest

from tests.kernel.conftest import Open
from tests.kernel.front_end import kernel_in
from tests.kernel.project import EDIT, READ, Project, call, says


def test_a_finished_run_is_the_cells_value_and_is_not_shown_twice(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran = front_end.run(f"{project.script(says('forty-two'))}\nwhat is it?", allow_stdin=False)
    assert [output["output_type"] for output in ran.outputs] == ["display_data"]
    assert front_end.run("_.text, tah.last.text, tah.last.stop_reason").text == (
        "('forty-two', 'forty-two', 'end_turn')"
    )
    assert front_end.run("Out[2].usage.requests").text == "1"
    assert front_end.run("tah.last").text.startswith("<tah run 1: end_turn; with text, ")


def test_without_a_model_the_first_line_says_that_the_first_request_lets_you_choose(project: Project) -> None:
    with kernel_in(project.folder, env=project.env) as front_end:
        loaded = front_end.run("%load_ext tah_jupyter").text
        assert "no model chosen; the first %%tah lets you choose" in loaded
        assert "New cell: %%tah" in loaded
    with kernel_in(project.folder, env={**project.env, "TAH_MODEL": "scripted:script.json"}) as front_end:
        loaded = front_end.run("%load_ext tah_jupyter").text
        assert "no model" not in loaded
        assert "New cell: %%tah" in loaded


def test_a_tool_that_is_not_there_is_named_in_the_run_that_allows_it(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran = front_end.run(f"{project.script(says('x'))} --allow edit_fiel\ngo", allow_stdin=False)
    assert "Notice: The allow rule 'edit_fiel' names no tool that is there now (did you mean edit_file?)." in ran.text


def test_a_line_asks_too_and_keeps_its_question_mark(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    project.script(says("a file"))
    assert front_end.run("%tah model scripted:script.json").status == "ok"
    ran = front_end.run("%tah ask what is here?")
    assert ran.status == "ok"
    assert project.records("run.started")[0]["prompt"] == "what is here?"


def test_braces_and_dollars_reach_the_model_as_they_are(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    project.script(says("yes"))
    front_end.run("x = 'SECRET'\n%tah model scripted:script.json")
    front_end.run("%tah ask is {x} or $x set")
    assert project.records("run.started")[0]["prompt"] == "is {x} or $x set"


@pytest.mark.parametrize(
    ("answers", "says_what"),
    [
        ([[{"fails": "key_refused", "message": "The provider refused the key (401)."}]], "refused the key (401)"),
        ([READ, READ], "limit of turns"),
    ],
    ids=["model", "limit"],
)
def test_a_failed_run_is_one_line_and_stops_run_all(
    open_kernel: Open, project: Project, answers: list[list[dict[str, object]]], says_what: str
) -> None:
    front_end = open_kernel()
    ran = front_end.submit(f"{project.script(*answers)} --max-turns 1\ngo", allow_stdin=False)
    queued = front_end.submit("1 + 1")
    front_end.until(lambda: ran.done and queued.done)
    assert (ran.status, queued.status) == ("error", "aborted")
    [line] = ran.outputs[-1]["traceback"]
    assert line.startswith("✕ Failed: ")
    assert says_what in line
    assert ran.reply is not None
    assert ran.reply["ename"].endswith("Error")


@pytest.mark.parametrize("begins", [True, False])
def test_keep_going_lets_run_all_go_on_after_a_failure(open_kernel: Open, project: Project, begins: bool) -> None:
    front_end = open_kernel()
    script = project.script([{"fails": "no_credit", "message": "No credit."}])
    first = f"{script} --keep-going" if begins else "%%tah --keep-going --model scripted:nowhere.json"
    ran = front_end.submit(f"{first}\ngo", allow_stdin=False)
    queued = front_end.submit("1 + 1")
    front_end.until(lambda: ran.done and queued.done)
    assert (ran.status, queued.status, queued.text) == ("ok", "ok", "2")
    assert "✕ Failed" in ran.text


@pytest.mark.parametrize(
    ("line", "says_what"),
    [
        ("%tah model opnai", "No model 'opnai'"),
        ("%tah model openai", "OPENAI_API_KEY"),
        ("%tah model scripted:", "Write scripted:FILE"),
        ("%config Tah.mode = 'nope'\n%tah", '"permissions.mode" cannot be "nope"'),
    ],
)
def test_a_setting_that_cannot_be_is_said_in_one_line_and_changes_nothing(
    open_kernel: Open, project: Project, line: str, says_what: str
) -> None:
    front_end = open_kernel()
    project.script(says("x"))
    front_end.run("%tah model scripted:script.json")
    ran = front_end.run(line)
    assert ran.status == "error"
    assert says_what in ran.text
    assert "Traceback" not in ran.text
    front_end.run("%config Tah.mode = ''")
    assert front_end.run("%tah model").text.splitlines()[0] == "scripted:script.json"


@pytest.mark.parametrize(
    ("first", "says_what"),
    [
        ("%%tah", "No model is chosen"),
        ("%%tah --model scripted:nowhere.json", "nowhere.json"),
        ("%%tah --model wild", "wild"),
        ("%%tah --modle x", 'No option "--modle"'),
        ("%%tah --allow no_such_tool --model scripted:script.json --mode wild", 'No mode "wild"'),
        ("%%time\n%%tah", "must be alone in its cell"),
    ],
)
def test_a_request_that_cannot_begin_says_why_in_one_line(
    open_kernel: Open, project: Project, first: str, says_what: str
) -> None:
    front_end = open_kernel()
    ran = front_end.run(f"{first}\ngo", allow_stdin=False)
    assert ran.status == "error"
    assert says_what in ran.text
    assert "Traceback" not in ran.text
    assert "tah is starting" not in ran.text
    assert front_end.run("1 + 1").text == "2"


def test_a_model_that_cannot_be_used_is_not_kept_but_the_conversation_is(open_kernel: Open, project: Project) -> None:
    project.env["JPY_SESSION_NAME"] = ""  # no notebook, so the session is known to this kernel alone
    front_end = open_kernel()
    front_end.run(f"{project.script(says('one'), says('two'))}\nfirst", allow_stdin=False)
    assert front_end.run("%%tah --model wild\nsecond", allow_stdin=False).status == "error"
    assert "scripted:script.json" in front_end.run("%tah model").text
    ran = front_end.run("%%tah\nsecond", allow_stdin=False)
    assert ran.status == "ok", ran.text
    assert "run 2" in ran.text
    assert len(project.sessions) == 1


STATE = """
ip = get_ipython()
(len(ip.input_transformers_post), len(ip.input_transformers_cleanup), len(ip.configurables), "tah" in ip.user_ns,
 [len(ip.events.callbacks[name]) for name in ("pre_run_cell", "post_run_cell")],
 [key for key in ip.strdispatchers["complete_command"].strs if "tah" in key], ip.Completer.custom_matchers,
 [kind for kind, magics in ip.magics_manager.magics.items() if "tah" in magics])
"""


def test_loading_twice_changes_nothing_and_unloading_takes_everything_back(project: Project) -> None:
    with kernel_in(project.folder, env=project.env) as front_end:
        front_end.run("%load_ext storemagic")  # IPython's own first %load_ext adds magics of its own
        before = front_end.run(STATE).text
        front_end.run("%load_ext tah_jupyter")
        loaded = front_end.run(STATE).text
        front_end.run("import tah_jupyter; tah_jupyter.load_ipython_extension(get_ipython())")
        assert front_end.run(STATE).text == loaded != before
        front_end.run(f"{project.script(says('hello'))}\nhello")
        assert front_end.run("%unload_ext tah_jupyter").status == "ok"
        assert front_end.run(STATE).text == before
        assert "tah-agent" not in front_end.run("import threading; [t.name for t in threading.enumerate()]").text
        assert "not found" in front_end.run("%tah").text
        front_end.run("%load_ext tah_jupyter")
        again = front_end.run(f"{project.script(says('again'), name='b.json')}\nhello")
        assert again.status == "ok", again.text


def test_a_value_of_no_use_in_jupyters_files_is_one_line_and_mendable(project: Project, tmp_path: Path) -> None:
    profile = tmp_path / "ipython" / "profile_default"
    profile.mkdir(parents=True)
    (profile / "ipython_config.py").write_text("get_config().Tah.max_turns = 'many'\n")
    with kernel_in(project.folder, env={**project.env, "IPYTHONDIR": str(profile.parent)}) as front_end:
        loaded = front_end.run("%load_ext tah_jupyter")
        assert loaded.status == "error"
        assert "Jupyter's config files cannot be used: The 'max_turns' trait" in loaded.text
        assert "Traceback" not in loaded.text
        front_end.run("get_ipython().config.Tah.max_turns = 5")
        assert front_end.run("%load_ext tah_jupyter").status == "ok"


def test_a_name_of_the_user_is_not_taken(open_kernel: Open) -> None:
    front_end = open_kernel()
    front_end.run("%unload_ext tah_jupyter\ntah = 'mine'\n%load_ext tah_jupyter")
    assert front_end.run("tah").text == "'mine'"
    front_end.run("%unload_ext tah_jupyter")
    assert front_end.run("tah").text == "'mine'"


def test_tab_offers_the_words_of_the_grammar_and_none_of_pythons(open_kernel: Open) -> None:
    front_end = open_kernel()

    def matches(code: str) -> list[str]:
        reply = front_end.ask("complete_request", {"code": code, "cursor_pos": len(code)})
        matches: list[str] = reply["matches"]
        return matches

    assert matches("%tah sh") == ["show"]
    assert matches("%tah show ") == ["todos", "tools", "cost"]
    assert matches("%%tah --m") == ["--model", "--mode", "--max-turns"]
    assert matches("%%tah --mode p") == ["plan"]
    assert "print" in matches("pri"), "elsewhere everything is as it was"


def test_the_commands_look_at_the_session(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    assert "No run yet" in front_end.run("%tah show cost").text
    assert "No plan yet" in front_end.run("%tah show todos").text
    assert "read_file" in front_end.run("%tah show tools").text
    assert "Runs: none" in front_end.run("%tah sessions show 1").text
    plan = call("todo_write", todos=[{"content": "Look", "status": "completed"}])
    front_end.run(f"{project.script(plan, says('seen'))}\nlook")
    assert "✓ Look" in front_end.run("%tah show todos").text
    assert "read_file" in front_end.run("%tah show tools").text
    assert "run 1" in front_end.run("%tah show cost").text
    assert "seen" in front_end.run("%tah sessions show 1").text
    assert "No run 9" in front_end.run("%tah sessions show 9").text
    assert "run 1" in front_end.run("%tah").text
    assert "plans only" in front_end.run("%tah mode plan").text
    assert "permissions.mode" in front_end.run("%tah config").text


def test_the_mode_of_one_cell_ends_with_it(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    front_end.run(f"{project.edits()} --mode edits\nchange it", allow_stdin=False)
    assert project.a == "x = 2\n"
    back = call("edit_file", path="a.py", old_string="x = 2", new_string="x = 3")
    front_end.run(f"{project.script(READ, back, says('no'), name='b.json')}\nagain", allow_stdin=False)
    assert project.a == "x = 2\n"


def test_a_cell_that_names_a_script_plays_it_from_its_start_each_time(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    cell = f"{project.script(says('one'), says('two'))}\ngo"
    first = front_end.run(cell, allow_stdin=False)
    again = front_end.run(cell, allow_stdin=False)
    on = front_end.run("%%tah\ngo on", allow_stdin=False)
    assert ["one" in first.text, "one" in again.text, "two" in on.text] == [True, True, True]
    assert ("run 2" in again.text, "run 3" in on.text, len(project.sessions)) == (True, True, 1)


def test_after_a_restart_the_notebook_goes_on_with_its_session(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    front_end.run(f"{project.script(says('one'))}\nfirst", allow_stdin=False)
    front_end.restart()
    front_end.run("%load_ext tah_jupyter")
    assert "one" in front_end.run("%tah sessions show 1").text  # from the log, with nothing opened
    assert "run 1" in front_end.run("%tah show cost").text
    ran = front_end.run(f"{project.script(says('two'))}\nsecond", allow_stdin=False)
    assert "run 2" in ran.text
    assert len(project.sessions) == 1
    front_end.run(f"{project.script(says('three'), name='b.json')} --new\nthird", allow_stdin=False)
    assert len(project.sessions) == 2
    front_end.restart()
    front_end.run("%load_ext tah_jupyter")
    assert "run 2" in front_end.run(f"{project.script(says('four'))}\nfourth", allow_stdin=False).text
    assert len(project.sessions) == 2


def test_after_a_kill_the_log_is_closed_the_survivor_ended_and_the_model_told(
    open_kernel: Open, project: Project
) -> None:
    (project.folder / "hold.sh").write_text("echo $$ > pid\nexec sleep 300\n")
    front_end = open_kernel()
    front_end.submit(
        f"{project.script(call('execute_command', command=['sh', 'hold.sh'], timeoutMs=600000))}"
        " --allow execute_command\ngo"
    )
    pid = project.folder / "pid"
    front_end.until(lambda: pid.exists() and pid.read_text().strip())
    survivor = psutil.Process(int(pid.read_text()))
    psutil.Process(front_end.pid).send_signal(signal.SIGKILL)
    front_end.restart(kill=True)
    front_end.run("%load_ext tah_jupyter")
    ran = front_end.run(f"{project.script(says('I see'))}\nwhat happened?", allow_stdin=False)
    assert ran.status == "ok", ran.text
    assert psutil.wait_procs([survivor], timeout=3)[1] == []
    [failed] = project.records("tool.failed")
    assert failed["error"] == "unknown_after_crash"
    assert [record["reason"] for record in project.records("run.ended")] == ["crashed", "end_turn"]


def test_a_page_that_reloads_is_answered_and_finds_its_card_again(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran = front_end.submit(f"{project.edits()}\nchange it")
    frame = front_end.frame()
    front_end.until(lambda: any(message.get("cards") for message in frame.messages))
    info = front_end.ask("kernel_info_request", {}, limit_s=3)
    comms = front_end.ask("comm_info_request", {"target_name": "jupyter.widget"}, limit_s=3)
    assert info["status"] == "ok"
    assert frame.comm_id in comms["comms"]
    front_end.until(lambda: front_end.statuses[-1][1] == "busy", limit_s=3)  # the page still sees that the cell runs
    frame.messages.clear()
    front_end.page = "page-2"
    front_end.say_hello(frame)
    front_end.until(lambda: any(m["type"] == "draw" and m.get("cards") for m in frame.messages), limit_s=3)
    approval = frame.messages[-1]["cards"][0]["id"]
    click = {"type": "answer", "id": 1, "approval": approval, "answer": "allow", "scope": "once", "reason": ""}
    front_end.send(frame, click)
    front_end.until(lambda: ran.done)
    assert project.a == "x = 2\n"
    assert any(message["type"] == "closed" for message in frame.messages)
    assert not frame.closed, "the cell's output does not reach this page; the frame is the record there"
    front_end.run(f"{project.script(says('next'), name='b.json')}\nnext", allow_stdin=False)
    assert frame.closed


def test_two_requests_at_once_take_turns(open_kernel: Open, project: Project) -> None:
    """A second cell can only run beside the first in a subshell."""
    front_end = open_kernel(subshell=True)
    ran = front_end.submit(f"{project.script(READ, EDIT, says('done'))}\nchange it")
    frame = front_end.frame()
    front_end.until(lambda: any(message.get("cards") for message in frame.messages))
    second = front_end.submit(f"{project.script(says('me too'), name='b.json')}\nand me", subshell=True)
    front_end.until(lambda: "waiting for run 1" in second.text)
    approval = [message for message in frame.messages if message.get("cards")][-1]["cards"][0]["id"]
    click = {"type": "answer", "id": 1, "approval": approval, "answer": "deny", "scope": "once", "reason": ""}
    front_end.send(frame, click)
    front_end.until(lambda: ran.done and second.done)
    assert "run 2" in second.text
    assert [record["type"] for record in project.log() if record["type"].startswith("run.")] == [
        "run.started",
        "run.ended",
    ] * 2
