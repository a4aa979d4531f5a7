"""execute_command through the registry and the pipeline, with real programs."""

import os
import sys
from pathlib import Path

import anyio
import pytest

from tah_jupyter.core.approvals import Allow, Answer, ApprovalRequest, CommandSubject
from tah_jupyter.core.events import ProcessStarted, ToolFinished, ToolProgress
from tah_jupyter.core.views import Command, Output, Stack
from tah_jupyter.host.processes.capture import MAX_KEPT_BYTES
from tah_jupyter.permissions.approvers import allow_all
from tah_jupyter.runtime.context import Runtime
from tah_jupyter.tools.execute_command import ExecuteCommandInput, execute_command_tool
from tests.support.account import folder_for_all, without_rights
from tests.support.bench import Bench, bench, long_time, running

pytestmark = pytest.mark.anyio

NUMBERS = "for i in range(100_000): print(i)"


async def run(tools: Bench, *command: str, **more: object) -> str:
    return (await tools.call("execute_command", command=list(command), **more)).text


async def test_output_exit_code_and_duration_are_told(tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path)) as tools:
        done = await tools.call("execute_command", command=["sh", "-c", "echo out; echo err >&2; exit 3"])
        assert done.text.startswith("[exit 3 · ")
        assert done.text.endswith("out\nerr")
        assert done.failed
        assert (done.data.exit_code, done.data.timed_out, done.data.total_lines) == (3, False, 2)
        view = tools.of(ToolFinished)[0].view
        assert isinstance(view, Output)
        assert (view.text, view.total_lines, view.failed) == ("out\nerr\n", 2, True)
        assert view.status.startswith("exit 3 · ")


async def test_a_string_is_split_as_quoting_says(tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path)) as tools:
        done = await tools.call("execute_command", command="printf '%s|' 'a b' \"c d\" e\\ f")
        assert "a b|c d|e f|" in done.text
        assert "no shell" not in done.text


async def test_what_a_shell_would_have_replaced_is_passed_as_it_is_and_said(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    async with bench(execute_command_tool(tmp_path)) as tools:
        done = await tools.call("execute_command", command="echo *.py $HOME '*.txt'")
        assert "There is no shell: *.py, $HOME are passed as they are written" in done.text
        assert "*.py $HOME *.txt" in done.text


async def test_nothing_printed_is_said(tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path)) as tools:
        assert (await run(tools, "true")).endswith("(no output)")


async def test_a_signal_is_named(tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path)) as tools:
        done = await tools.call("execute_command", command=["sh", "-c", "kill -SEGV $$"])
        assert done.text.startswith("[killed by SIGSEGV · ")
        assert done.failed


async def test_standard_input_is_empty(tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path)) as tools:
        assert "(no output)" in await run(tools, "cat")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("pyton3 x.py", "Nearest names: python3"),
        ("no-program-of-this-name", "There is no program 'no-program-of-this-name' on the PATH"),
        ("source activate", "is a word of the shell"),
        ("FLAG=1 pytest", '["env", "FLAG=1", …]'),
        ("./missing.sh", "There is no file ./missing.sh"),
        ("./folder", "is a folder"),
        ("./plain.txt", "is not executable"),
        ("./no_interpreter", "could not be started"),
        ("./no_format", "neither a program for this machine nor a script"),
    ],
)
async def test_a_program_that_cannot_run_is_an_error_that_helps(command: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain.txt").write_text("x")
    for name, text in (("no_interpreter", "#!/no/such/interpreter\n"), ("no_format", "echo hi\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    async with bench(execute_command_tool(tmp_path)) as tools:
        done = await tools.call("execute_command", command=command)
        assert done.error in ("ProgramNotFound", "CannotStart")
        assert words in done.text
        assert not tools.of(ProcessStarted)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"command": ["ls"], "timeoutMs": 600_001}, "timeoutMs"),
        ({"command": ["ls"], "timeoutMs": 0}, "timeoutMs"),
        ({"command": ["ls"], "background": True}, "no field 'background'"),
        ({"command": "echo 'x"}, "quotes do not match"),
        ({"command": '["ls", "-l"]'}, "the list came inside a string"),
        ({}, "command"),
    ],
)
async def test_a_wrong_input_is_refused_with_the_reason(args: dict[str, object], words: str, tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path)) as tools:
        done = await tools.call("execute_command", **args)
        assert done.error == "InvalidInput"
        assert words in done.text


async def test_it_runs_in_the_folder_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    async with bench(execute_command_tool(tmp_path)) as tools:
        assert str(tmp_path / "src") in await run(tools, "pwd", cwd="src")
        assert await run(tools, "pwd") != await run(tools, "pwd", cwd="src")


@pytest.mark.parametrize("cwd", ["..", "/", "src/../..", "link", "missing", "file"])
async def test_a_folder_outside_or_missing_is_refused(cwd: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/usr")
    (tmp_path / "file").touch()
    async with bench(execute_command_tool(tmp_path)) as tools:
        for command in (["pwd"], ["cd", cwd]):
            done = await tools.call("execute_command", command=command, **({} if "cd" in command else {"cwd": cwd}))
            assert done.is_error
            assert not tools.of(ProcessStarted)


async def test_cd_changes_the_folder_of_the_commands_after_it(tmp_path: Path) -> None:
    (tmp_path / "src" / "deep").mkdir(parents=True)
    async with bench(execute_command_tool(tmp_path)) as tools:
        assert "now src;" in await run(tools, "cd", "src")
        assert str(tmp_path / "src") in await run(tools, "pwd")
        assert "now src/deep;" in (await tools.call("execute_command", command="cd deep")).text
        assert str(tmp_path / "src" / "deep") in await run(tools, "pwd")
        assert "now src;" in await run(tools, "cd", "--", "..")
        assert "now the root" in await run(tools, "cd")
        assert (await run(tools, "pwd")).endswith(f"\n{tmp_path}")


@pytest.mark.parametrize("words", [("a", "b"), ("-",)])
async def test_cd_takes_one_folder(words: tuple[str, ...], tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path)) as tools:
        assert "cd takes one folder" in await run(tools, "cd", *words)


async def test_a_current_folder_that_was_removed_is_named_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    async with bench(execute_command_tool(tmp_path)) as tools:
        await run(tools, "cd", "src")
        (tmp_path / "src").rmdir()
        assert '`cwd` "." is the root' in await run(tools, "pwd")
        assert str(tmp_path) in await run(tools, "pwd", cwd=".")


async def test_a_long_output_is_cut_in_the_middle_and_kept_whole_in_a_file(tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path), results_dir=tmp_path / "results") as tools:
        done = await tools.call("execute_command", command=[sys.executable, "-c", NUMBERS])
        assert len(done.text) < 31_000
        assert "\n0\n1\n2\n" in done.text
        assert done.text.endswith("\n99998\n99999")
        assert "of 100,000 lines (588.9 KB in all) left out. The whole output is in" in done.text
        whole = Path(done.data.output_file)
        assert whole.parent == tmp_path / "results"
        assert whole.read_text() == "".join(f"{i}\n" for i in range(100_000))
        assert whole.stat().st_mode & 0o077 == 0


async def test_an_output_that_fits_is_whole_and_needs_no_file(tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path), results_dir=tmp_path / "results") as tools:
        done = await tools.call("execute_command", command=[sys.executable, "-c", "print('é' * 29_999)"])
        assert "é" * 29_999 in done.text
        assert done.data.output_file == ""
        assert not list(tmp_path.glob("results/*"))


async def test_without_a_place_for_it_the_rest_is_said_to_be_gone(tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path)) as tools:
        assert "left out. The rest was not kept.]" in await run(tools, sys.executable, "-c", NUMBERS)


async def test_a_place_that_cannot_be_written_is_said_and_the_command_goes_on(tmp_path: Path) -> None:
    (tmp_path / "results").touch()
    async with bench(execute_command_tool(tmp_path), results_dir=tmp_path / "results") as tools:
        done = await tools.call("execute_command", command=[sys.executable, "-c", NUMBERS])
        assert "The whole output could not be kept: " in done.text
        assert (done.data.exit_code, done.data.output_file) == (0, "")


async def test_the_file_of_a_flood_has_a_limit_too(tmp_path: Path) -> None:
    code = f"import os\nfor _ in range({MAX_KEPT_BYTES // 1_000_000 + 2}): os.write(1, (b'x' * 99 + b'\\n') * 10_000)"
    async with bench(execute_command_tool(tmp_path), results_dir=tmp_path / "results") as tools:
        done = await tools.call("execute_command", command=[sys.executable, "-c", code])
        assert "Its first 50.0 MB are in" in done.text
        assert Path(done.data.output_file).stat().st_size == MAX_KEPT_BYTES


async def test_a_key_of_the_kernel_does_not_get_into_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "k3y-9f8e7d6c5b4a")
    (tmp_path / "leak.txt").write_text("x" * 20_000 + "\nk3y-9f8e7d6c5b4a\n" + "y" * 20_000)
    async with bench(execute_command_tool(tmp_path), results_dir=tmp_path / "results") as tools:
        done = await tools.call("execute_command", command=["cat", "leak.txt"])
        text = Path(done.data.output_file).read_text()
        assert "k3y-9f8e7d6c5b4a" not in text
        assert "⟨SOME_API_KEY⟩" in text


async def test_escape_sequences_and_other_encodings_come_out_as_plain_text(tmp_path: Path) -> None:
    code = r"import os; os.write(1, b'\x1b[31mred\x1b[0m caf\xe9 \x00 10%\r99%\n')"
    async with bench(execute_command_tool(tmp_path)) as tools:
        assert (await run(tools, sys.executable, "-c", code)).endswith("\n99%")
        assert (await run(tools, sys.executable, "-c", code.replace(r" \x00 10%\r99%", ""))).endswith("red caf\\xe9")


async def test_output_is_shown_while_it_comes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "go")
    async with bench(execute_command_tool(tmp_path)) as tools, anyio.create_task_group() as tasks:
        tasks.start_soon(run, tools, "sh", "-c", "printf started; read line < go; echo $line")
        await tools.until_printed("started")  # it cannot end before this: it waits for the line
        await anyio.Path(tmp_path / "go").write_text("ended\n")
        await tools.until(lambda event: isinstance(event, ToolFinished))
        assert "startedended" in tools.of(ToolFinished)[0].text


async def test_a_flood_is_shown_by_its_end_and_not_all_of_it_is_sent(tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path)) as tools:
        began = anyio.current_time()
        done = await tools.call("execute_command", command=["yes"], timeoutMs=600)
        took_s = anyio.current_time() - began  # its end counts too, which takes longer on a busy machine
        news = tools.of(ToolProgress)
        assert done.data.total_bytes > 1_000_000
        assert 1 <= len(news) <= took_s * 20 + 1
        assert all(len(event.text) < 10_000 for event in news)
        assert "bytes not shown" in news[-1].text


async def test_a_time_limit_ends_it_and_keeps_what_it_printed(tmp_path: Path) -> None:
    seconds = long_time()
    async with bench(execute_command_tool(tmp_path)) as tools:
        done = await tools.call("execute_command", command=["sh", "-c", f"echo so far; sleep {seconds}"], timeoutMs=300)
        assert done.text.startswith("[timed out · 0.3")
        assert "time limit of 0.30 s (timeoutMs=300)" in done.text
        assert done.text.endswith("so far")
        assert done.failed
        assert running("sleep", seconds) == []


async def test_what_it_left_running_is_ended_and_named(tmp_path: Path) -> None:
    seconds = long_time()
    async with bench(execute_command_tool(tmp_path)) as tools:
        done = await tools.call("execute_command", command=["sh", "-c", f"sleep {seconds} & echo done"])
        assert "left running in its process group and were ended: sleep (pid" in done.text
        assert done.text.endswith("done")
        assert (done.data.exit_code, done.failed) == (0, False)
        assert running("sleep", seconds) == []


async def test_the_process_is_on_record_so_that_a_later_kernel_can_end_it(tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path)) as tools:
        done = await tools.call("execute_command", command=["sh", "-c", "echo $$"])
        event = tools.of(ProcessStarted)[0]
        assert str(event.pid) in done.text
        assert event.call == done.call_id


async def test_the_card_shows_every_word_the_folder_and_why(tmp_path: Path) -> None:
    asked: list[ApprovalRequest] = []

    async def approver(request: ApprovalRequest) -> Answer:
        asked.append(request)
        return Allow()

    (tmp_path / "src").mkdir()
    words = ["printf", "%s", "a\u202eb", "x" * 5000]
    async with bench(execute_command_tool(tmp_path), approver=approver) as tools:
        await tools.call("execute_command", command=words, cwd="src")
        await tools.call("execute_command", command="echo *.py", description="say hello")
    first, second = asked
    assert first.view == Command(tuple(words), "src", 30.0)
    assert (first.headline.verb, first.headline.detail) == ("Run", "in src")
    assert len(first.headline.target) == 120
    assert first.grant is not None
    assert first.grant.covers == CommandSubject(tuple(words), "src")
    assert isinstance(second.view, Stack)
    assert second.view.views[0] == Command(("echo", "*.py"), ".", 30.0)
    assert "say hello" in str(second.view.views[1])
    assert str(second.headline) == "Run echo '*.py'"
    assert "There is no shell: *.py is passed as it is written" in second.asks_because


async def test_a_script_that_changed_after_it_was_allowed_is_asked_for_again(tmp_path: Path) -> None:
    asked: list[ApprovalRequest] = []
    script = tmp_path / "job.sh"
    script.write_text("echo first")

    async def approver(request: ApprovalRequest) -> Answer:
        asked.append(request)
        if len(asked) == 1:
            await anyio.Path(script).write_text("echo second")
        return Allow()

    async with bench(execute_command_tool(tmp_path), approver=approver) as tools:
        assert "second" in await run(tools, "sh", "job.sh")
    assert len(asked) == 2
    assert any("Changed" in reason or "changed" in reason for reason in asked[1].asks_because)


async def test_cd_passes_and_a_command_asks(tmp_path: Path) -> None:
    tool = execute_command_tool(tmp_path)
    async with Runtime() as runtime:
        ctx = runtime.tool_context(session_id="s", call_id="c")
        verdicts = [tool.check_permissions(ExecuteCommandInput(command=command), ctx) for command in ("cd x", "ls")]
    assert verdicts == ["allow", "ask"]


def test_its_flags_are_the_careful_ones(tmp_path: Path) -> None:
    tool = execute_command_tool(tmp_path)
    look, remove = ExecuteCommandInput(command="git status"), ExecuteCommandInput(command="rm -rf build")
    assert [tool.is_destructive(look), tool.is_destructive(remove)] == [False, True]
    assert not tool.is_read_only(look)
    assert not tool.is_concurrency_safe(look)
    assert tool.stops_siblings
    assert tool.aliases == ("Bash",)


async def test_the_python_of_the_kernel_is_found(tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path)) as tools:
        assert sys.prefix in await run(tools, "python", "-c", "import sys; print(sys.prefix)")


async def test_cd_finds_its_way_out_of_a_folder_that_was_removed(tmp_path: Path) -> None:
    for words in (("cd",), ("cd", ".."), ("cd", str(tmp_path))):
        (tmp_path / "src").mkdir()
        async with bench(execute_command_tool(tmp_path)) as tools:
            await run(tools, "cd", "src")
            (tmp_path / "src").rmdir()
            assert "now the root" in await run(tools, *words)
            assert str(tmp_path) in await run(tools, "pwd")


async def test_a_folder_whose_name_is_not_utf8_is_worked_in(tmp_path: Path) -> None:
    os.mkdir(os.fsencode(tmp_path) + b"/n\xff\n")
    async with bench(execute_command_tool(tmp_path), approver=allow_all) as tools:
        assert "now n\\xff\\x0a;" in await run(tools, "cd", "n\\xff\\x0a")
        done = await tools.call("execute_command", command=["pwd"])
        assert done.data.exit_code == 0
        assert done.data.cwd == "n\\xff\\x0a"
        assert "exit 0" in await run(tools, "pwd", cwd="n\\xff\\x0a")


async def test_what_is_no_folder_or_closed_is_not_gone_to() -> None:
    with folder_for_all() as folder:
        (folder / "f").touch()
        (folder / "closed").mkdir(mode=0o644)
        async with bench(execute_command_tool(folder)) as tools:
            assert "f is not a folder" in await run(tools, "cd", "f")
            assert "f is not a folder" in await run(tools, "pwd", cwd="f")
            await run(tools, "true")  # what is imported at the first call is not open to others
            with without_rights():
                if os.getuid() != 0:  # the system asks for the real account's rights
                    assert "closed cannot be read: permission denied" in await run(tools, "cd", "closed")
                said = await run(tools, "/bin/true", cwd="closed")
            assert "this account may not run it, or may not enter the folder" in said


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("echo {a,b}", "{a,b} is passed"),
        ("echo {1..3}", "{1..3} is passed"),
        ("echo $?", "$? is passed"),
        ("echo $$ $@", "$$, $@ are passed"),
        ("echo a # why", "# is passed"),
        ("echo *1 *2 *3 *4 *5 *6", "*5, … are passed"),
    ],
)
async def test_more_that_a_shell_would_have_replaced_is_said(line: str, words: str, tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path)) as tools:
        done = await tools.call("execute_command", command=line)
        assert f"There is no shell: {words}" in done.text or f", {words}" in done.text


@pytest.mark.parametrize(
    "line", ["echo {a}", "echo {}", "echo '{a,b}' 'x # y'", "echo a#b", "echo 5$", "find . -name {}"]
)
async def test_what_a_shell_leaves_alone_is_not_mentioned(line: str, tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path)) as tools:
        assert "There is no shell" not in (await tools.call("execute_command", command=line)).text


@pytest.mark.parametrize(
    ("first_line", "words"),
    [
        ("#!/bin/sh\r", "must not end in CRLF"),
        ("#!/no/such", "does not exist"),
        ("echo hi", "neither a program"),
        ("#!./s.sh", "levels of symbolic links"),
    ],
)
async def test_a_script_that_cannot_start_says_how_to_run_it(first_line: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "s.sh").write_text(f"{first_line}\n")
    (tmp_path / "s.sh").chmod(0o755)
    async with bench(execute_command_tool(tmp_path)) as tools:
        done = await tools.call("execute_command", command=["./s.sh"])
        assert (done.error, words in done.text) == ("CannotStart", True), done.text


async def test_too_long_arguments_say_what_to_do(tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path)) as tools:
        for command in (["echo", "a" * 200_000], ["true", *["a" * 1000] * 4000]):
            assert "Write what is long to a file" in (await tools.call("execute_command", command=command)).text


async def test_a_long_line_between_short_ones_is_cut_and_not_dropped(tmp_path: Path) -> None:
    code = "print('start'); print('y' * 1_000_000); print('end')"
    async with bench(execute_command_tool(tmp_path)) as tools:
        text = await run(tools, sys.executable, "-c", code)
        assert 29_000 < text.count("y") < 30_000
        assert "start\ny" in text
        assert text.endswith("y\nend")
        text = await run(tools, sys.executable, "-c", "print('y' * 1_000_000)")
        assert "[… part of a line (1.0 MB in all) left out." in text
