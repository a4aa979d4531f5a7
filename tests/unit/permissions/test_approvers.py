"""The desk: first answer wins, a late one is a no-op, nothing times out."""

import anyio
import pytest

from tah_jupyter import Allow, Deny
from tah_jupyter.core.approvals import Answer, ApprovalRequest
from tah_jupyter.core.calls import Headline
from tah_jupyter.core.views import Text
from tah_jupyter.permissions.approvers import Desk

pytestmark = pytest.mark.anyio


def request(id: str) -> ApprovalRequest:
    return ApprovalRequest(id, "c1", "t", Headline("Edit"), Text("x"), (), "d")


async def test_the_first_answer_wins_and_a_late_one_does_nothing() -> None:
    desk = Desk()
    got: list[Answer | None] = []

    async def ask(id: str) -> None:
        got.append(await desk(request(id)))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask, "a")
        await anyio.wait_all_tasks_blocked()
        assert desk.waiting == ("a",)
        assert desk.answer("a", Deny("no"))
        assert not desk.answer("a", Allow())
    assert got == [Deny("no")]
    assert not desk.answer("a", Allow())
    assert desk.waiting == ()


async def test_a_question_that_is_cancelled_waits_no_more() -> None:
    desk = Desk()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(desk, request("a"))
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    assert desk.waiting == ()
