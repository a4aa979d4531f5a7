"""One call's view of the house: its signal, its news, and the state it shares with later calls."""

import threading

import pytest

from tah_jupyter.core.events import Event, Notice, ToolProgress
from tah_jupyter.core.views import Text
from tah_jupyter.runtime.bus import Bus
from tah_jupyter.runtime.context import Runtime
from tah_jupyter.runtime.tool_context import Signal, ToolContext

pytestmark = pytest.mark.anyio


@pytest.fixture
async def heard() -> list[Event]:
    return []


async def context(heard: list[Event]) -> ToolContext:
    bus = Bus()
    bus.subscribe(heard.append)
    runtime = await Runtime(bus=bus).__aenter__()
    return runtime.tool_context(session_id="s", call_id="c1")


async def test_news_of_a_call_carry_its_id(heard: list[Event]) -> None:
    ctx = await context(heard)
    ctx.progress("half", fraction=0.5)
    ctx.set_view(Text("now"))
    assert [(type(e), e.call, e.text, e.fraction, e.view) for e in heard if isinstance(e, ToolProgress)] == [
        (ToolProgress, "c1", "half", 0.5, None),
        (ToolProgress, "c1", "", None, Text("now")),
    ]


@pytest.mark.parametrize(("level", "shown"), [("info", "info"), ("warning", "warning"), ("nonsense", "info")])
async def test_a_notification_is_for_the_person(heard: list[Event], level: str, shown: str) -> None:
    (await context(heard)).add_notification("low on space", level=level)
    assert [(e.text, e.level) for e in heard if isinstance(e, Notice)] == [("low on space", shown)]


async def test_state_is_replaced_as_a_whole(heard: list[Event]) -> None:
    ctx = await context(heard)
    ctx.set_app_state(lambda state: {**state, "cwd": "src", "n": 1})
    ctx.set_app_state(lambda state: {"n": state["n"] + 1})
    assert dict(ctx.get_app_state()) == {"n": 2}


async def test_code_in_a_thread_learns_that_its_call_is_cancelled() -> None:
    signal = Signal()
    assert (signal.cancelled, signal.wait(0)) == (False, False)
    threading.Thread(target=signal.cancel, args=("you stopped it",)).start()
    assert await _in_thread(signal)
    signal.cancel("later")
    assert (signal.cancelled, signal.reason) == (True, "you stopped it")


async def _in_thread(signal: Signal) -> bool:
    import anyio.to_thread

    return await anyio.to_thread.run_sync(signal.wait, 5.0)
