"""Starting processes: what they get, what their sinks get, and that nothing is left when the block is left."""

import asyncio
import os
import sys
import threading
from pathlib import Path

import anyio
import psutil
import pytest

from tah_jupyter.host.processes.process import Enough, kill_all, start
from tah_jupyter.host.processes.tree import MARK
from tests.support.bench import group_of, long_time, running

pytestmark = pytest.mark.anyio

ENV = {"PATH": os.environ["PATH"]}
DEADLINE_S = 10


class Printed:
    """A sink that tells the loop when something was printed."""

    def __init__(self, text: bytes) -> None:
        self.data = bytearray()
        self._text = text
        self._seen = anyio.Event()
        self._loop = asyncio.get_running_loop()

    def __call__(self, chunk: bytes) -> None:
        self.data += chunk
        if self._text in self.data:
            self._loop.call_soon_threadsafe(self._seen.set)

    async def wait(self) -> None:
        with anyio.fail_after(DEADLINE_S):
            await self._seen.wait()


async def test_it_gets_its_words_its_folder_and_exactly_its_environment(tmp_path: Path) -> None:
    out = bytearray()
    code = "import os, sys; print(sys.argv[1:], os.getcwd(), sorted(os.environ), sys.stdin.read())"
    argv = [sys.executable, "-c", code, "a b", "$HOME", "*"]
    async with start(argv, cwd=tmp_path, env={"ONE": "1"}, output=out.extend) as child:
        assert await child.wait() == 0
    seen = out.decode()
    assert "['a b', '$HOME', '*']" in seen
    assert str(tmp_path) in seen
    assert "'ONE'" in seen
    assert f"'{MARK}'" in seen
    assert "'PATH'" not in seen


async def test_errors_have_a_sink_of_their_own_when_asked_for(tmp_path: Path) -> None:
    out, err = bytearray(), bytearray()
    argv = ["sh", "-c", "echo out; echo err >&2"]
    async with start(argv, cwd=tmp_path, env=ENV, output=out.extend, errors=err.extend) as child:
        await child.wait()
    assert (out, err) == (b"out\n", b"err\n")


async def test_all_output_has_arrived_when_the_block_is_left(tmp_path: Path) -> None:
    out = bytearray()
    argv = [sys.executable, "-c", "import os; os.write(1, b'x' * 5_000_000)"]
    async with start(argv, cwd=tmp_path, env=ENV, output=out.extend) as child:
        await child.wait()
    assert len(out) == 5_000_000


@pytest.mark.parametrize(("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", -9), ("kill -TERM $$", -15)])
async def test_the_exit_code_is_the_programs_own(script: str, code: int, tmp_path: Path) -> None:
    async with start(["sh", "-c", script], cwd=tmp_path, env=ENV, output=bytearray().extend) as child:
        assert await child.wait() == code
    assert child.exit_code == code


async def test_an_exit_code_that_someone_else_collected_is_not_known(tmp_path: Path) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)
    async with start(["sh", "-c", "read x < go"], cwd=tmp_path, env=ENV, output=bytearray().extend) as child:
        reaped = asyncio.get_running_loop().run_in_executor(None, os.waitpid, child.pid, 0)
        await anyio.Path(go).write_text("x\n")
        await reaped
        with anyio.fail_after(DEADLINE_S):
            assert await child.wait() in (0, None)  # whoever of the two was first


@pytest.mark.parametrize("argv", [["no-such-program"], ["/"], ["sh\0"]])
async def test_what_cannot_start_raises_and_leaves_nothing(argv: list[str], tmp_path: Path) -> None:
    before = set(psutil.Process().children(recursive=True))
    with pytest.raises((OSError, ValueError)):
        async with start(argv, cwd=tmp_path, env=ENV, output=bytearray().extend):
            raise AssertionError
    assert set(psutil.Process().children(recursive=True)) <= before


async def test_a_folder_that_does_not_exist_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        async with start(["true"], cwd=tmp_path / "missing", env=ENV, output=bytearray().extend):
            raise AssertionError


async def test_leaving_the_block_ends_what_still_runs(tmp_path: Path) -> None:
    seconds = long_time()
    async with start(["sh", "-c", f"sleep {seconds} & sleep {seconds}"], cwd=tmp_path, env=ENV, output=print) as child:
        assert group_of(child.pid)
    assert running("sleep", seconds) == []
    assert not psutil.pid_exists(child.pid)


async def test_an_exception_in_the_block_ends_it_and_goes_on(tmp_path: Path) -> None:
    seconds = long_time()
    with pytest.raises(KeyError, match="mine"):
        async with start(["sleep", seconds], cwd=tmp_path, env=ENV, output=print):
            raise KeyError("mine")
    assert running("sleep", seconds) == []


@pytest.mark.parametrize("script", ["sleep {0} & true", "sleep {0} > /dev/null 2>&1 & true"], ids=["pipe", "no pipe"])
async def test_what_was_left_in_the_group_is_ended_even_if_nobody_asks(script: str, tmp_path: Path) -> None:
    seconds = long_time()
    async with start(["sh", "-c", script.format(seconds)], cwd=tmp_path, env=ENV, output=print) as child:
        with anyio.fail_after(DEADLINE_S):
            await child.wait()
    assert running("sleep", seconds) == []


async def test_a_process_outside_the_group_that_holds_the_pipe_does_not_hold_us(tmp_path: Path) -> None:
    seconds = long_time()
    with anyio.fail_after(DEADLINE_S):
        async with start(["setsid", "-f", "sleep", seconds], cwd=tmp_path, env=ENV, output=print) as child:
            await child.wait()
    survivor = running("sleep", seconds)
    assert len(survivor) == 1
    survivor[0].kill()


async def test_a_second_cancellation_does_not_leave_the_process(tmp_path: Path) -> None:
    seconds, ready, entered = long_time(), Printed(b"ready"), anyio.Event()
    argv = ["sh", "-c", f"trap '' TERM; echo ready; sleep {seconds}; sleep {seconds}"]
    pid = 0

    async def command() -> None:
        nonlocal pid
        async with start(argv, cwd=tmp_path, env=ENV, output=ready) as child:
            pid = child.pid
            entered.set()
            await child.wait()

    loop = asyncio.get_running_loop()
    task = loop.create_task(command())
    await ready.wait()
    await entered.wait()
    task.cancel()
    loop.call_later(0.05, task.cancel)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert group_of(pid) == []


async def test_a_sink_that_has_enough_ends_a_flood_without_an_error(tmp_path: Path) -> None:
    taken = bytearray()

    def sink(chunk: bytes) -> None:
        taken.extend(chunk)
        if len(taken) > 100_000:
            raise Enough

    with anyio.fail_after(DEADLINE_S):
        async with start(["yes"], cwd=tmp_path, env=ENV, output=sink) as child:
            assert await child.wait() == -9
    assert 100_000 < len(taken) < 200_000


async def test_a_sink_that_fails_ends_the_command_and_is_raised(tmp_path: Path) -> None:
    def sink(chunk: bytes) -> None:
        raise ZeroDivisionError

    with anyio.fail_after(DEADLINE_S), pytest.raises(ZeroDivisionError):
        async with start(["yes"], cwd=tmp_path, env=ENV, output=sink) as child:
            await child.wait()


@pytest.mark.parametrize("guarded", [True, False])
async def test_nothing_of_ours_is_left_over(guarded: bool, tmp_path: Path) -> None:
    before = {*psutil.Process().children(recursive=True)}
    handles = psutil.Process().num_fds()
    for _ in range(5):
        async with start(["true"], cwd=tmp_path, env=ENV, output=print, guarded=guarded) as child:
            await child.wait()
    assert {*psutil.Process().children(recursive=True)} <= before
    assert psutil.Process().num_fds() == handles


async def test_kill_all_ends_every_command_at_once(tmp_path: Path) -> None:
    seconds = long_time()
    argv = ["sh", "-c", f"trap '' TERM; setsid sleep {seconds} & echo ready; wait"]
    ready = Printed(b"ready")
    async with start(argv, cwd=tmp_path, env=ENV, output=ready) as child:
        await ready.wait()
        await asyncio.get_running_loop().run_in_executor(None, kill_all)
        with anyio.fail_after(DEADLINE_S):
            assert await child.wait() == -9
    assert running("sleep", seconds) == []


async def test_a_program_may_have_another_name_than_its_file(tmp_path: Path) -> None:
    out = bytearray()
    async with start(["other", "-c", "echo $0"], cwd=tmp_path, env=ENV, output=out.extend, program="/bin/sh") as child:
        await child.wait()
    assert out == b"other\n"


async def test_its_number_and_start_time_name_it(tmp_path: Path) -> None:
    async with start(["sleep", long_time()], cwd=tmp_path, env=ENV, output=print) as child:
        assert psutil.Process(child.pid).create_time() == pytest.approx(child.created, abs=0.1)


@pytest.mark.parametrize("thread", ["tah-read", "tah-wait"])
async def test_a_command_that_cannot_be_attended_to_is_ended(
    thread: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really, seconds = threading.Thread.start, long_time()

    def refuse(self: threading.Thread) -> None:
        if self.name.startswith(thread):
            raise RuntimeError("can't start new thread")
        really(self)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    before = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else set()
    with pytest.raises(BlockingIOError, match="new thread"):
        async with start(["sleep", seconds], cwd=tmp_path, env=ENV, output=bytearray().extend):
            pytest.fail("it began")
    assert running("sleep", seconds) == []
    assert not before or set(os.listdir("/proc/self/fd")) == before
