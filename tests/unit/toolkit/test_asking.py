"""Approvers that break, say nothing or say nonsense; hooks that insist on a question."""

import asyncio
from typing import Any

import anyio
import pytest

from tah_jupyter import TOOLS, Allow, Runtime, ToolCall, permissions_plugin, tools_plugin
from tah_jupyter.core.approvals import Answer, ApprovalRequest
from tah_jupyter.core.events import ApprovalAnswered, ApprovalRequested, Event, PermissionDenied, ToolStarted, encode
from tah_jupyter.permissions.rules import Rules
from tah_jupyter.toolkit.prepared import Settled
from tah_jupyter.toolkit.services import CALL_HOOKS, HookVote
from tests.unit.toolkit.test_pipeline import Hooks, Provide, World, Write

pytestmark = pytest.mark.anyio


async def asked(approver: Any) -> tuple[Write, Settled, list[Event]]:
    """One call that ``approver`` decides."""
    write, events = Write(), list[Event]()
    async with Runtime().use(tools_plugin([write])).use(permissions_plugin(approver=approver)) as runtime:
        runtime.bus.subscribe(events.append)
        ctx = runtime.tool_context(session_id="s", call_id="c1")
        settled = await runtime.get(TOOLS).execute(ToolCall("c1", "write", {"path": "src/a"}), ctx)
    return write, settled, events


def raises_at_once(request: ApprovalRequest) -> Any:
    raise ValueError("no screen")


def answers_without_waiting(request: ApprovalRequest) -> Any:
    return Allow()


async def is_cancelled(request: ApprovalRequest) -> Answer | None:
    raise asyncio.CancelledError


async def says_yes_in_its_own_way(request: ApprovalRequest) -> Any:
    return "yes"


async def says_true(request: ApprovalRequest) -> Any:
    return True


@pytest.mark.parametrize(
    ("approver", "outcome", "source", "says"),
    [
        (raises_at_once, "denied", "approver", "no screen"),
        (answers_without_waiting, "denied", "approver", "could not be shown"),
        (is_cancelled, "unanswered", "nobody", "nobody can answer"),
        (says_yes_in_its_own_way, "denied", "approver", "'yes' is no answer"),
        (says_true, "denied", "approver", "True is no answer"),
    ],
)
async def test_an_approver_that_gives_no_real_answer_denies_the_call(
    approver: Any, outcome: str, source: str, says: str
) -> None:
    write, settled, events = await asked(approver)
    assert (settled.error, write.world) == ("Denied", {})
    assert says in settled.text
    assert "effects" not in settled.text
    assert [e.outcome for e in events if isinstance(e, ApprovalAnswered)] == [outcome]
    assert [e.source for e in events if isinstance(e, PermissionDenied)] == [source]
    assert sum(isinstance(e, ApprovalRequested) for e in events) == 1
    assert not any(isinstance(e, ToolStarted) for e in events)


async def test_a_scope_that_does_not_exist_allows_once_and_is_recorded_as_that() -> None:
    async def approver(request: ApprovalRequest) -> Any:
        return Allow("always")  # type: ignore[arg-type]

    _, settled, events = await asked(approver)
    assert not settled.is_error
    (answered,) = [e for e in events if isinstance(e, ApprovalAnswered)]
    assert answered.scope == "once"
    assert b'"always"' not in b"".join(map(encode, events))


async def test_what_a_hook_wants_asked_is_asked_again_when_it_changed_though_a_rule_allows_it() -> None:
    rules = Rules(allow=frozenset({"write"}))
    world = World(Allow(), Allow(), rules=rules, hooks=Hooks(HookVote("ask", "careful")))

    def change() -> None:
        world.write.world["src/a"] = "meanwhile"

    world.on_ask = change
    await world.call("write", path="src/a")
    assert [request.asks_because for request in world.asked] == [
        ("careful",),
        ("changed since you allowed it", "careful"),
    ]


async def test_a_grant_for_one_call_does_not_answer_another_that_a_hook_wants_asked() -> None:
    requests: list[ApprovalRequest] = []
    both = anyio.Event()

    async def approver(request: ApprovalRequest) -> Answer | None:
        requests.append(request)
        if len(requests) == 2:
            both.set()
        await both.wait()
        if request.call_id == "c1":
            return Allow("run")
        await anyio.sleep_forever()
        return None

    runtime = Runtime().use(tools_plugin([write := Write()])).use(permissions_plugin(approver=approver))
    runtime.use(Provide(CALL_HOOKS, Hooks(HookVote("ask", "careful"))))
    async with runtime:
        tools, settled = runtime.get(TOOLS), dict[str, Settled]()

        async def call(id: str) -> None:
            ctx = runtime.tool_context(session_id="s", call_id=id)
            settled[id] = await tools.execute(ToolCall(id, "write", {"path": f"src/{id}"}), ctx)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call, "c1")
            tasks.start_soon(call, "c2")
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
    assert list(write.world) == ["src/c1"]
    assert "c2" not in settled
