"""The agent's thread: how work starts, fails, is cancelled, and in what order everything ends."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError

import pytest

from tah_jupyter.core.errors import TahError
from tah_jupyter.jupyter.agent_thread import AgentThread


@pytest.fixture
def thread() -> Iterator[AgentThread]:
    thread = AgentThread()
    yield thread
    thread.close()


async def _forever(started: threading.Event, ended: list[str], name: str) -> None:
    started.set()
    try:
        await asyncio.Event().wait()
    finally:
        ended.append(name)


def test_work_runs_on_one_daemon_thread(thread: AgentThread) -> None:
    async def where() -> threading.Thread:
        return threading.current_thread()

    first, second = thread.submit(where).result(5), thread.submit(where).result(5)
    assert first is second
    assert first.daemon
    assert first is not threading.main_thread()


def test_a_failure_reaches_who_waits_and_nobody_else(thread: AgentThread) -> None:
    async def fails() -> None:
        raise ValueError("no")

    async def works() -> int:
        return 7

    with pytest.raises(ValueError, match="no"):
        thread.submit(fails).result(5)
    assert thread.submit(works).result(5) == 7


def test_cancelled_work_is_done_only_after_its_clean_up(thread: AgentThread) -> None:
    started, may_end, ended = threading.Event(), threading.Event(), []

    async def work() -> None:
        try:
            started.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.to_thread(may_end.wait)
            ended.append("clean")

    job = thread.submit(work)
    assert started.wait(5)
    job.cancel()
    assert not job.done
    may_end.set()
    with pytest.raises(CancelledError):
        job.result(5)
    assert ended == ["clean"]


def test_work_cancelled_before_its_first_step_is_done_too(thread: AgentThread) -> None:
    hold, held = threading.Event(), threading.Event()

    async def blocks() -> None:
        held.set()
        hold.wait(5)

    thread.submit(blocks)
    assert held.wait(5)
    job = thread.submit(lambda: _forever(threading.Event(), [], "never"))
    job.cancel()
    hold.set()
    with pytest.raises(CancelledError):
        job.result(5)


def test_closing_ends_jobs_before_what_they_stand_on() -> None:
    thread, ended = AgentThread(), list[str]()
    begun = [threading.Event(), threading.Event()]
    keeper = thread.keep(lambda: _forever(begun[0], ended, "session"))
    job = thread.submit(lambda: _forever(begun[1], ended, "run"))
    assert all(event.wait(5) for event in begun)
    thread.close()
    assert ended == ["run", "session"]
    assert job.done
    assert keeper.done
    assert not thread.alive


def test_after_closing_work_is_refused_and_closing_again_does_nothing() -> None:
    thread = AgentThread()
    thread.close()
    thread.close()
    with pytest.raises(TahError, match="has ended"):
        thread.submit(lambda: _forever(threading.Event(), [], "never"))


def test_work_that_will_not_end_does_not_hold_up_closing() -> None:
    thread, started, release = AgentThread(), threading.Event(), threading.Event()

    async def stubborn() -> None:
        started.set()
        while not release.is_set():
            try:
                await asyncio.to_thread(release.wait)
            except asyncio.CancelledError:
                continue

    thread.submit(stubborn)
    assert started.wait(5)
    try:
        thread.close()  # the test's own limit of time says whether this returned
        assert not thread.alive
    finally:
        release.set()


def test_a_forked_child_cannot_use_the_thread(thread: AgentThread) -> None:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        thread.close()
        os.write(write, b"alive" if thread.alive else b"dead")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 16) == b"dead"
    os.close(read)
    os.close(write)
    assert thread.alive


def test_at_the_end_of_the_process_clean_up_may_still_use_worker_threads() -> None:
    script = """
import asyncio, threading
from tah_jupyter.jupyter.agent_thread import AgentThread
started = threading.Event()
async def keeper():
    try:
        started.set()
        await asyncio.Event().wait()
    finally:
        await asyncio.to_thread(print, "written", flush=True)
thread = AgentThread()
thread.keep(keeper)
started.wait(5)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=False)
    assert (done.stdout, done.returncode) == ("written\n", 0), done.stderr
