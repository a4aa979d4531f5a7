"""A waiting cell: main-thread jobs, interrupts, and what happens to jobs when the cell is gone."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tah_jupyter.jupyter.agent_thread import AgentThread
from tah_jupyter.jupyter.pump import CellEnded, Interrupted, MainThread, interruptible


@pytest.fixture
def thread() -> Iterator[AgentThread]:
    thread = AgentThread()
    yield thread
    thread.close()


def _block(main: MainThread, work: Any) -> Any:
    return main.block_for(work)


def _awaited(main: MainThread, work: Any) -> Any:
    return asyncio.run(main.wait_for(work))


both = pytest.mark.parametrize("wait", [_awaited, _block])


@both
def test_it_gives_the_result(thread: AgentThread, wait: Callable[..., Any]) -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 5

    assert wait(MainThread(), thread.submit(work)) == 5


@both
def test_it_raises_what_the_work_raised(thread: AgentThread, wait: Callable[..., Any]) -> None:
    async def work() -> int:
        raise KeyError("x")

    with pytest.raises(KeyError):
        wait(MainThread(), thread.submit(work))


@both
def test_jobs_run_on_the_thread_that_waits_in_order(thread: AgentThread, wait: Callable[..., Any]) -> None:
    main, ran = MainThread(), list[int]()

    async def work() -> object:
        for number in range(3):
            main.call(lambda number=number: ran.append(number))
        return await asyncio.wrap_future(main.call(threading.current_thread))

    assert wait(main, thread.submit(work)) is threading.current_thread()
    assert ran == [0, 1, 2]


@both
def test_a_failing_job_tells_the_work_and_the_cell_goes_on(thread: AgentThread, wait: Callable[..., Any]) -> None:
    main = MainThread()

    async def work() -> str:
        try:
            await asyncio.wrap_future(main.call(lambda: 1 // 0))
        except ZeroDivisionError:
            return "told"
        return "not told"

    assert wait(main, thread.submit(work)) == "told"


@both
def test_an_interrupt_of_a_job_cancels_the_work_and_is_no_answer(thread: AgentThread, wait: Callable[..., Any]) -> None:
    main, seen = MainThread(), list[str]()

    def interrupted() -> None:
        with interruptible():
            os.kill(os.getpid(), signal.SIGINT)
            threading.Event().wait(5)

    async def work() -> None:
        try:
            await asyncio.wrap_future(main.call(interrupted))
            seen.append("answered")
        except asyncio.CancelledError:
            seen.append("cancelled")
            await asyncio.wrap_future(main.call(lambda: seen.append("last words")))
            raise

    with pytest.raises(Interrupted) as error:
        wait(main, thread.submit(work))
    assert error.value.settled
    assert seen == ["cancelled", "last words"]


def test_cancelling_the_cell_cancels_the_work_and_serves_its_clean_up(thread: AgentThread) -> None:
    main, seen, started = MainThread(), list[str](), threading.Event()

    async def work() -> None:
        try:
            started.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.wrap_future(main.call(lambda: seen.append("shown")))

    async def cell() -> None:
        async with asyncio.TaskGroup() as tasks:
            waiting = tasks.create_task(_told(main.wait_for(thread.submit(work)), seen))
            await asyncio.to_thread(started.wait)
            waiting.cancel()

    asyncio.run(cell())
    assert seen == ["shown", "Interrupted"]


async def _told(waiting: Any, seen: list[str]) -> None:
    with pytest.raises(Interrupted) as error:
        await waiting
    assert error.value.settled
    seen.append("Interrupted")


@both
def test_work_that_does_not_settle_is_left_behind_and_it_is_said(
    thread: AgentThread, wait: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tah_jupyter.jupyter.pump.SETTLE_S", 0.2)
    main, release = MainThread(), threading.Event()

    def interrupt() -> None:
        raise KeyboardInterrupt

    async def work() -> None:
        main.call(interrupt)
        while not release.is_set():
            try:
                await asyncio.to_thread(release.wait)
            except asyncio.CancelledError:
                continue

    job = thread.submit(work)
    with pytest.raises(Interrupted) as error:
        wait(main, job)
    assert not error.value.settled
    release.set()
    job.result(5)


def test_when_the_cell_is_gone_jobs_are_refused() -> None:
    main, ran = MainThread(), list[int]()
    queued = main.call(lambda: ran.append(1))
    main.close()
    late = main.call(lambda: ran.append(2))
    for future in (queued, late):
        with pytest.raises(CellEnded):
            future.result(1)
    assert ran == []


def test_off_the_main_thread_signals_are_left_alone() -> None:
    done = list[bool]()

    def elsewhere() -> None:
        with interruptible():
            done.append(True)

    other = threading.Thread(target=elsewhere)
    other.start()
    other.join(5)
    assert done == [True]
