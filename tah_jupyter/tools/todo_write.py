"""Keep the plan: a list of steps that people see as a live checklist."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from tah_jupyter.core.approvals import Preview
from tah_jupyter.core.calls import Headline, Todo
from tah_jupyter.core.events import TodosUpdated
from tah_jupyter.core.views import Plan
from tah_jupyter.host.files.workspace import RootLike
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.tool import Tool, ToolInput, ToolResult

__all__ = ["TodoItem", "TodoWrite", "TodoWriteInput", "todo_write_tool"]

MAX_TODOS = 50


class TodoItem(BaseModel):
    """One step of the plan."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    content: str = Field(min_length=1, description="The step, in a few words.")
    status: Literal["pending", "in_progress", "completed"] = Field(description="How far it is.")


class TodoWriteInput(ToolInput):
    """The whole plan; it replaces the one before."""

    todos: tuple[TodoItem, ...] = Field(
        max_length=MAX_TODOS, description="The whole list, in order; it replaces the one before. Best one in_progress."
    )


class TodoWrite(Tool[TodoWriteInput, tuple[Todo, ...]]):
    """Replace the plan that the person sees as a checklist."""

    name = "todo_write"
    aliases = ("TodoWrite",)
    input_model = TodoWriteInput

    def prompt(self) -> str:
        return (
            "Keep a plan of the task as a list the person sees. Use it when a task has three steps or more: write the "
            "whole list first, keep one item in_progress while you work on it, and mark it completed as soon as it is "
            "done. Each call replaces the whole list, 50 items at most."
        )

    def guidance(self) -> str:
        return f"When a task has three steps or more, keep a plan with {self.name} and update it as you go."

    def is_read_only(self, input: TodoWriteInput) -> bool:
        return True

    def headline(self, input: TodoWriteInput) -> Headline:
        return Headline("Plan", _progress(input.todos))

    async def preview(self, input: TodoWriteInput, ctx: ToolContext) -> Preview:
        return Preview(Plan(_todos(input)))

    async def execute(self, input: TodoWriteInput, ctx: ToolContext) -> ToolResult[tuple[Todo, ...]]:
        todos = _todos(input)
        ctx.runtime.emit(TodosUpdated(todos=todos))
        active = [todo.content for todo in todos if todo.status == "in_progress"]
        text = f"The plan has {_count(len(todos))}; {_progress(input.todos)}."
        if len(active) > 1:
            text += f" Notice: {len(active)} items are in progress; keep it to one at a time."
        return ToolResult(todos, text, view=Plan(todos))


def todo_write_tool(root: RootLike = ".") -> TodoWrite:
    """The tool; ``root`` is taken so that all tools are made alike, a plan has no folder."""
    return TodoWrite()


def _todos(input: TodoWriteInput) -> tuple[Todo, ...]:
    return tuple(Todo(item.content, item.status) for item in input.todos)


def _progress(todos: tuple[TodoItem, ...]) -> str:
    return f"{sum(item.status == 'completed' for item in todos)} of {len(todos)} done"


def _count(number: int) -> str:
    return "1 item" if number == 1 else f"{number} items"
