"""The inbox: commands from any thread arrive on the loop, all of them, in order."""

import asyncio
import threading

import anyio
import anyio.to_thread
import pytest

from tah_jupyter.core.commands import Command, SetMode, Stop
from tah_jupyter.runtime.inbox import Inbox


@pytest.mark.anyio
async def test_commands_of_another_thread_arrive_in_order_on_the_loop() -> None:
    got: list[tuple[Command, int]] = []
    done = anyio.Event()

    def deliver(command: Command) -> None:
        got.append((command, threading.get_ident()))
        if isinstance(command, Stop):
            done.set()

    inbox = Inbox(asyncio.get_running_loop(), deliver)

    def click() -> None:
        for number in range(100):
            inbox.send(SetMode(str(number)))
        inbox.send(Stop())

    await anyio.to_thread.run_sync(click)
    with anyio.fail_after(5):
        await done.wait()
    assert [command for command, _ in got] == [*(SetMode(str(n)) for n in range(100)), Stop()]
    assert {thread for _, thread in got} == {threading.get_ident()}


@pytest.mark.anyio
async def test_a_command_that_is_delivered_may_send_another() -> None:
    got: list[Command] = []
    done = anyio.Event()

    def deliver(command: Command) -> None:
        got.append(command)
        if isinstance(command, Stop):
            done.set()
        else:
            inbox.send(Stop())

    inbox = Inbox(asyncio.get_running_loop(), deliver)
    inbox.send(SetMode("plan"))
    with anyio.fail_after(5):
        await done.wait()
    assert got == [SetMode("plan"), Stop()]


def test_after_the_loop_has_closed_a_command_is_dropped_without_an_error() -> None:
    loop = asyncio.new_event_loop()
    got: list[Command] = []
    inbox = Inbox(loop, got.append)
    loop.close()
    inbox.send(Stop())
    assert got == []
