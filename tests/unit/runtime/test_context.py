"""Runtime and Context: plugins start in order, end in reverse whatever happens, and services have one owner."""

from collections.abc import Callable
from typing import Any

import pytest

from tah_jupyter.core.errors import ServiceError
from tah_jupyter.core.events import Event, Notice
from tah_jupyter.runtime.context import Context, Runtime
from tah_jupyter.runtime.service import ServiceKey

pytestmark = pytest.mark.anyio

CLOCK = ServiceKey[str]("clock", for_tools=True)
VAULT = ServiceKey[str]("vault")


class Part:
    """A plugin made of one function."""

    def __init__(self, name: str, setup: Callable[[Context], Any], requires: tuple[str, ...] = ()) -> None:
        self.name = name
        self.requires = requires
        self.setup = setup


def logging_part(name: str, log: list[str], *, fails: bool = False, fails_to_close: bool = False) -> Part:
    async def setup(ctx: Context) -> None:
        log.append(f"start {name}")

        async def close() -> None:
            log.append(f"close {name}")
            if fails_to_close:
                raise OSError(f"{name} would not close")

        ctx.on_close(close)
        if fails:
            raise ValueError(f"{name} is broken")

    return Part(name, setup)


async def test_plugins_start_in_order_and_close_in_reverse() -> None:
    log: list[str] = []
    async with Runtime().use(logging_part("a", log)).use(logging_part("b", log)):
        log.append("run")
    assert log == ["start a", "start b", "run", "close b", "close a"]


async def test_a_plugin_that_fails_to_start_takes_the_others_down_with_it() -> None:
    log: list[str] = []
    runtime = Runtime().use(logging_part("a", log)).use(logging_part("b", log, fails=True)).use(logging_part("c", log))
    with pytest.raises(ValueError, match="b is broken"):
        async with runtime:
            log.append("run")
    assert log == ["start a", "start b", "close b", "close a"]


async def test_a_plugin_that_fails_to_close_stops_no_other() -> None:
    log: list[str] = []
    with pytest.raises(OSError, match="would not close"):
        async with Runtime().use(logging_part("a", log)).use(logging_part("b", log, fails_to_close=True)):
            pass
    assert log[-2:] == ["close b", "close a"]


async def test_a_service_is_found_by_its_key() -> None:
    async with Runtime().use(Part("p", lambda ctx: ctx.provide(CLOCK, "tick"))) as runtime:
        assert runtime.get(CLOCK) == "tick"
        assert runtime.try_get(VAULT) is None
        with pytest.raises(ServiceError, match=r"No plugin provides the service 'vault'. Provided: clock."):
            runtime.get(VAULT)


async def test_two_owners_of_a_service_are_both_named() -> None:
    runtime = Runtime()
    runtime.use(Part("first", lambda ctx: ctx.provide(CLOCK, "a")))
    runtime.use(Part("second", lambda ctx: ctx.provide(CLOCK, "b")))
    with pytest.raises(ServiceError, match="by first and again by second"):
        await runtime.__aenter__()


def nothing(ctx: Context) -> None:
    """A plugin without a service."""


async def test_plugins_are_added_once_and_after_what_they_need() -> None:
    runtime = Runtime().use(Part("a", nothing))
    with pytest.raises(ServiceError, match="'a' is added twice"):
        runtime.use(Part("a", nothing))
    with pytest.raises(ServiceError, match=r"'b' needs c, d. Add it first"):
        runtime.use(Part("b", nothing, requires=("a", "c", "d")))
    runtime.use(Part("e", nothing, requires=("a",)))


async def test_a_plugin_that_comes_after_the_start_is_refused() -> None:
    async with Runtime() as runtime:
        with pytest.raises(ServiceError, match="came after the runtime started"):
            runtime.use(Part("late", nothing))


async def test_a_runtime_that_is_not_started_or_has_ended_has_no_services() -> None:
    runtime = Runtime()
    with pytest.raises(ServiceError, match="not started"):
        runtime.get(CLOCK)
    async with runtime:
        pass
    with pytest.raises(ServiceError, match="not started"):
        runtime.try_get(CLOCK)


async def test_a_plugin_hears_what_is_emitted() -> None:
    heard: list[Event] = []
    async with Runtime().use(Part("ear", lambda ctx: ctx.on(heard.append))) as runtime:
        runtime.context.emit(Notice(text="hello"))
    assert [event.text for event in heard] == ["hello"]


async def test_a_tool_gets_only_the_services_that_are_open_to_tools() -> None:
    def setup(ctx: Context) -> None:
        ctx.provide(CLOCK, "tick")
        ctx.provide(VAULT, "gold")

    async with Runtime().use(Part("p", setup)) as runtime:
        ctx = runtime.tool_context(session_id="s", call_id="c")
        assert ctx.runtime.get(CLOCK) == ctx.runtime.try_get(CLOCK) == "tick"
        for look_up in (ctx.runtime.get, ctx.runtime.try_get):
            with pytest.raises(ServiceError, match="A tool may not use the service 'vault'"):
                look_up(VAULT)
        assert not hasattr(ctx.runtime, "provide")


def test_a_key_is_shown_by_its_name() -> None:
    assert repr(CLOCK) == "ServiceKey('clock')"


async def test_cleaning_up_may_be_a_plain_function() -> None:
    closed: list[str] = []
    async with Runtime().use(Part("p", lambda ctx: ctx.on_close(lambda: closed.append("p")))):
        pass
    assert closed == ["p"]
