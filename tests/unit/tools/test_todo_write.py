"""todo_write through the registry and the pipeline."""

from typing import Any

import pytest

from tah_jupyter.core.calls import Todo
from tah_jupyter.core.events import ApprovalRequested, TodosUpdated, ToolFinished
from tah_jupyter.core.views import Plan
from tah_jupyter.permissions.approvers import nobody
from tah_jupyter.tools.todo_write import todo_write_tool
from tests.support.bench import bench

pytestmark = pytest.mark.anyio


def item(content: str, status: str = "pending") -> dict[str, str]:
    return {"content": content, "status": status}


async def test_the_list_replaces_the_one_before_and_is_shown() -> None:
    async with bench(todo_write_tool()) as tools:
        await tools.call("todo_write", todos=[item("look"), item("mend")])
        done = await tools.call("todo_write", todos=[item("look", "completed"), item("mend", "in_progress")])
        todos = (Todo("look", "completed"), Todo("mend", "in_progress"))
        assert tools.of(TodosUpdated)[-1].todos == todos
        assert tools.of(ToolFinished)[-1].view == Plan(todos)
        assert done.data == todos
        assert done.text == "The plan has 2 items; 1 of 2 done."


async def test_it_never_asks() -> None:
    async with bench(todo_write_tool(), approver=nobody) as tools:
        done = await tools.call("todo_write", todos=[item("look")])
        assert done.text == "The plan has 1 item; 0 of 1 done."
        assert not tools.of(ApprovalRequested)


async def test_several_items_in_progress_are_a_notice_not_an_error() -> None:
    async with bench(todo_write_tool()) as tools:
        done = await tools.call("todo_write", todos=[item("a", "in_progress"), item("b", "in_progress")])
        assert not done.is_error
        assert "Notice: 2 items are in progress" in done.text


async def test_an_empty_list_clears_the_plan() -> None:
    async with bench(todo_write_tool()) as tools:
        await tools.call("todo_write", todos=[])
        assert tools.of(TodosUpdated)[-1].todos == ()


@pytest.mark.parametrize("count", [50, 51])
async def test_fifty_items_are_the_most(count: int) -> None:
    async with bench(todo_write_tool()) as tools:
        done = await tools.call("todo_write", todos=[item(f"step {n}") for n in range(count)])
        assert done.is_error == (count > 50)


@pytest.mark.parametrize(
    "todos",
    [
        [{"content": "x"}],
        [{"status": "pending"}],
        [item("")],
        [item("   ")],
        [item("x", "done")],
        [item("x") | {"priority": "high"}],
        ["x"],
        "x",
        None,
    ],
)
async def test_a_list_that_is_not_a_plan_is_refused_and_the_old_one_stays(todos: Any) -> None:
    async with bench(todo_write_tool()) as tools:
        done = await tools.call("todo_write", todos=todos)
        assert done.error == "InvalidInput"
        assert not tools.of(TodosUpdated)


async def test_the_alias_and_the_headline_name_the_plan() -> None:
    async with bench(todo_write_tool()) as tools:
        await tools.call("TodoWrite", todos=[item("look", "completed"), item("mend")])
        assert tools.of(TodosUpdated)
        tool = todo_write_tool()
        assert tool.input_model is not None
        assert str(tool.headline(tool.input_model(todos=[item("look")]))) == "Plan 0 of 1 done"  # type: ignore[arg-type]
