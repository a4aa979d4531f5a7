"""Commands: real failures of other agents, each with a real process."""

import asyncio
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest

from tah_jupyter import ScriptedModel, Stop, calls, open_session, says
from tah_jupyter.core.events import ApprovalRequested, Event, ProcessStarted, ToolFailed, ToolProgress
from tah_jupyter.core.messages import ToolMessage
from tah_jupyter.permissions.approvers import allow_all
from tah_jupyter.runtime.tool_context import Options
from tah_jupyter.tools.execute_command import execute_command_tool
from tah_jupyter.ui.record import record
from tah_jupyter.ui.transcript import Transcript
from tests.support.bench import bench, group_of, long_time, running

pytestmark = pytest.mark.anyio

CANCELS = int(os.environ.get("TAH_TEST_CANCELS", "15"))


@pytest.mark.case("EXEC-06")
async def test_operators_in_an_argument_are_text_for_the_program(tmp_path: Path) -> None:
    text = "".join(
        [f"a; touch {tmp_path}/pwned\n&& touch {tmp_path}/p2 ", f"$(touch {tmp_path}/p3) `touch {tmp_path}/p4`"]
    )
    async with bench(execute_command_tool(tmp_path)) as tools:
        done = await tools.call("execute_command", command=["echo", text])
        assert text in done.text
        assert done.data.exit_code == 0
        assert len(tools.of(ProcessStarted)) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.case("EXEC-06")
@pytest.mark.parametrize(
    "line",
    [
        "echo a; touch pwned",
        "echo a && touch pwned",
        "echo a || touch pwned",
        "echo a | tee pwned",
        "echo a > pwned",
        "echo a >> pwned",
        "cat < /etc/hostname",
        "touch pwned &",
        "echo $(touch pwned)",
        "echo `touch pwned`",
        "(touch pwned)",
        "echo a\ntouch pwned",
        "echo 'a'; touch pwned",
        'echo "a" && touch pwned',
        "echo a 2>&1",
    ],
)
async def test_a_string_with_an_unquoted_operator_is_refused(line: str, tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path)) as tools:
        done = await tools.call("execute_command", command=line)
        assert done.error == "InvalidInput"
        assert "no shell" in done.text
        assert '["bash", "-c", ' in done.text
        assert not tools.of(ProcessStarted)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.case("EXEC-06")
@pytest.mark.parametrize("quoted", ["'a; b'", '"a && b | c > d"', "a\\;b", "'$(touch pwned)'", '"`touch pwned`"'])
async def test_a_quoted_operator_is_text(quoted: str, tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path)) as tools:
        done = await tools.call("execute_command", command=f"echo {quoted}")
        assert quoted.strip("'\"").replace("\\", "") in done.text
        assert done.data.exit_code == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.case("EXEC-06")
@pytest.mark.parametrize("command", [["echo", "a\0b"], ["echo\0"], "echo a\0b", ["echo", "\ud800"]])
async def test_an_argument_no_program_can_take_is_refused(command: object, tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path)) as tools:
        done = await tools.call("execute_command", command=command)
        assert done.error == "InvalidInput"
        assert not tools.of(ProcessStarted)


@pytest.mark.case("EXEC-08")
async def test_a_command_that_ignores_term_is_killed_soon_after_its_limit(tmp_path: Path) -> None:
    limit_s = 2.0
    async with bench(execute_command_tool(tmp_path)) as tools:
        began = time.monotonic()
        done = await tools.call(
            "execute_command", command=["sh", "-c", f'trap "" TERM; sleep {long_time()}'], timeoutMs=int(limit_s * 1000)
        )
        assert time.monotonic() - began < limit_s + 2
        assert done.data.timed_out
        assert done.failed
        assert "time limit of 2.0 s" in done.text
        assert group_of(tools.of(ProcessStarted)[0].pid) == []


@pytest.mark.case("EXEC-13")
@pytest.mark.parametrize("how", ["task", "scope"])
@pytest.mark.parametrize(
    "script", ["exec sleep {0}", "sleep {0} & sleep {0}", "trap '' TERM; setsid sleep {0} & sleep {0}"]
)
async def test_a_cancelled_command_leaves_nothing_running(how: str, script: str, tmp_path: Path) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    dice = random.Random(seed)
    for _ in range(max(1, CANCELS // 3)):
        seconds = long_time()
        command = ["sh", "-c", script.format(seconds)]
        async with bench(execute_command_tool(tmp_path)) as tools:
            delay_s = dice.choice((0, 0.001, 0.003, 0.01, 0.05)) * dice.random() * 2
            began = time.monotonic()
            if how == "scope":
                with anyio.move_on_after(delay_s):
                    await tools.call("execute_command", command=command)
            else:
                task = asyncio.get_running_loop().create_task(tools.call("execute_command", command=command))
                asyncio.get_running_loop().call_later(delay_s, task.cancel)
                with pytest.raises(asyncio.CancelledError):
                    await task
            assert time.monotonic() - began < delay_s + 2
            assert [event.error for event in tools.of(ToolFailed)] == ["Interrupted"]
            assert running("sleep", seconds) == []
            assert [process for event in tools.of(ProcessStarted) for process in group_of(event.pid)] == []


@pytest.mark.case("EXEC-14")
@pytest.mark.parametrize(
    "command", [["env"], ["sh", "-c", "env; sh -c env"], ["python", "-c", "import os; print(os.environ)"]]
)
async def test_a_command_does_not_see_the_keys_of_the_kernel(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("TAVILY_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY",
             "DB_PASSWORD", "CONDA_TOKEN", "PYTHON_KEYRING_PASSWORD", "MY_OWN_SETTING", "LC_SECRET")  # fmt: skip
    for name in names:
        monkeypatch.setenv(name, f"value-of-{name.lower()}")
    monkeypatch.setenv("https_proxy", "http://me:value-of-proxy@proxy.example:3128")
    async with bench(execute_command_tool(tmp_path), results_dir=tmp_path / "results") as tools:
        done = await tools.call("execute_command", command=command)
        assert done.data.exit_code == 0
        assert "PATH" in done.text
        assert "value-of-" not in done.text
        assert not any("value-of-" in repr(event) for event in tools.events)


@pytest.mark.case("EXEC-14")
async def test_a_name_the_person_passes_on_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "passed-on-purpose")
    async with bench(execute_command_tool(tmp_path), options=Options(pass_env=("HF_TOKEN",))) as tools:
        done = await tools.call("execute_command", command=["env"])
        assert "HF_TOKEN=passed-on-purpose" in done.text


@pytest.mark.case("EXEC-17")
@pytest.mark.parametrize(
    "script",
    [
        "setsid sleep {0} & wait",
        "(setsid sleep {0} &); sleep {0}",
        "setsid sh -c 'trap \"\" TERM; sleep {0} & sleep {0}' & wait",
        "setsid -f sleep {0}; sleep {0}",
    ],
    ids=["child", "double fork", "ignores TERM", "own fork"],
)
async def test_a_process_that_left_the_group_is_found_ended_and_named(script: str, tmp_path: Path) -> None:
    seconds, limit_s = long_time(), 1.0
    async with bench(execute_command_tool(tmp_path)) as tools:
        began = time.monotonic()
        done = await tools.call("execute_command", command=["sh", "-c", script.format(seconds)], timeoutMs=1000)
        assert time.monotonic() - began < limit_s + 2
        assert "had left its process group" in done.text
        assert "sleep (pid " in done.text
        assert running("sleep", seconds) == []


@pytest.mark.case("EXEC-17")
async def test_a_daemon_that_outlives_its_command_is_spared_and_named(tmp_path: Path) -> None:
    seconds = long_time()
    async with bench(execute_command_tool(tmp_path)) as tools:
        done = await tools.call("execute_command", command=["setsid", "-f", "sleep", seconds])
        survivors = running("sleep", seconds)
        try:
            assert done.data.exit_code == 0
            (named,) = done.data.alive  # as setsid, where it was looked at before it became sleep
            assert [f"(pid {process.pid})" for process in survivors] == [named.partition(" ")[2]]
            assert f"Still running, outside of its process group: {done.data.alive[0]}" in done.text
        finally:
            for process in survivors:
                process.kill()


@pytest.mark.case("EXEC-17")
async def test_a_daemon_is_named_though_it_is_just_becoming_another_program(tmp_path: Path) -> None:
    """In that moment it has no environment, and so no mark; on a busy machine some are met in it."""
    seconds = long_time()
    spins = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        async with bench(execute_command_tool(tmp_path)) as tools:
            for _ in range(25):
                line = f"exec setsid -f sleep {seconds} >/dev/null 2>&1"
                done = await tools.call("execute_command", command=["bash", "-c", line])
                named = (*done.data.alive, *done.data.ended)  # ended, when it had not left the group yet
                assert len(named) == 1, done.text
    finally:
        for process in (*spins, *running("sleep", seconds)):
            process.kill()
        for spin in spins:
            spin.wait()


@pytest.mark.case("UI-09")
@pytest.mark.parametrize("command", [[], "", "   ", "\n", [""], ["  "], ["\t", "x"], "''", None, 7, [1], [None], {}])
async def test_nothing_to_run_is_refused_before_anyone_is_asked(command: object, tmp_path: Path) -> None:
    async with bench(execute_command_tool(tmp_path), approver=allow_all) as tools:
        done = await tools.call("execute_command", command=command)
        assert done.error == "InvalidInput"
        assert not tools.of(ApprovalRequested)
        assert not tools.of(ProcessStarted)
        await tools.call("execute_command", command=["true"])
        assert len(tools.of(ApprovalRequested)) == 1


@pytest.mark.case("EXEC-13")
async def test_what_an_interrupted_command_had_printed_is_kept_for_the_model_and_the_record(tmp_path: Path) -> None:
    code = "import time; print('step one is done', flush=True); time.sleep(600)"
    model = ScriptedModel([calls("execute_command", command=[sys.executable, "-c", code]), says("I see")])
    async with open_session(root=tmp_path, model=model, approver=allow_all) as session:

        def stop(event: Event) -> None:
            if isinstance(event, ToolProgress) and "step one" in event.text:
                session.send(Stop())

        session.subscribe(stop)
        result = await session.run("go")
        await session.run("what happened?")
        picture = record(Transcript.of(session.records).run(1))
    assert result.stop_reason == "interrupted"
    failed = next(e for e in result.events if isinstance(e, ToolFailed))
    assert failed.text.startswith("Interrupted")
    assert "step one is done" in failed.text
    assert "step one is done" in next(m.text for m in model.requests[-1].messages if isinstance(m, ToolMessage))
    assert "step one is done" in picture["text/html"]
