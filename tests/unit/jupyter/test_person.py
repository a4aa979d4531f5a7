"""Who answers in a notebook, seen from the agent's loop."""

from typing import Any

import anyio
import pytest

from tah_jupyter.core.approvals import Allow, ApprovalRequest
from tah_jupyter.core.calls import Headline
from tah_jupyter.core.views import Text
from tah_jupyter.jupyter.person import FrontDesk

pytestmark = pytest.mark.anyio


class SlowPage:
    """A front end of which is not known yet whether it draws cards."""

    async def voice(self) -> str:
        await anyio.sleep_forever()
        raise AssertionError


async def test_a_run_that_is_stopped_before_it_is_known_who_can_answer_leaves_nothing_waiting() -> None:
    desk, page = FrontDesk(), SlowPage()
    surface: Any = page
    desk.surface = surface

    async def ask() -> None:
        await desk(ApprovalRequest("a", "c1", "t", Headline("Edit"), Text("x"), (), "d"))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        assert desk.waiting == ("a",), "an answer from another cell counts already"
        tasks.cancel_scope.cancel()
    assert desk.waiting == ()
    assert not desk.answer("a", Allow())
