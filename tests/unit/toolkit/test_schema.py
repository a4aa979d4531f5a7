"""How a tool is told to a model, and which tools cannot be."""

from enum import Enum

import pytest
from pydantic import BaseModel

from tah_jupyter import TahError, Tool, ToolContext, ToolInput, ToolResult
from tah_jupyter.toolkit.schema import project


class Colour(Enum):
    RED = "red"


class Inner(BaseModel):
    title: str
    definitions: int = 0
    child: "Inner | None" = None


class Input(ToolInput):
    inner: Inner
    colour: Colour = Colour.RED


class Paint(Tool[Input, str]):
    name = "paint"
    input_model = Input

    def description(self) -> str:
        return "Paint\u202e it\U000e0041\u200b."

    async def execute(self, input: Input, ctx: ToolContext) -> ToolResult[str]:
        return ToolResult("", "")


def of_schema(name: str, schema: dict[str, object]) -> Tool[dict[str, object], str]:
    class Foreign(Tool[dict[str, object], str]):
        input_schema = schema

        async def execute(self, input: dict[str, object], ctx: ToolContext) -> ToolResult[str]:
            return ToolResult("", "")

    tool = Foreign()
    tool.name = name  # type: ignore[misc]
    return tool


def test_references_are_replaced_by_what_they_name_and_field_names_survive() -> None:
    parameters = project(Paint()).parameters
    assert "$ref" not in repr(parameters)
    assert set(parameters["properties"]["inner"]["properties"]) == {"title", "definitions", "child"}
    assert parameters["properties"]["colour"]["enum"] == ["red"]
    assert parameters["additionalProperties"] is False


def test_a_recursive_type_ends_somewhere() -> None:
    node = project(Paint()).parameters["properties"]["inner"]
    for _ in range(30):
        node = node.get("properties", {}).get("child", {}).get("anyOf", [{}])[0]
    assert node == {}


def test_invisible_characters_never_reach_the_model() -> None:
    assert project(Paint()).description == "Paint it."


@pytest.mark.parametrize(
    ("name", "schema", "says"),
    [("bad name", {}, "letters, digits"), ("t", {"type": "array"}, "must be an object"),
     ("t", {"properties": {"x": {"$ref": "http://127.0.0.1/x"}}}, "input.x of t refers to"),
     ("t", {"properties": {"x": {"$ref": "#/$defs/none"}}}, "is not there")],
)  # fmt: skip
def test_what_does_not_project_is_an_error_that_names_the_field(
    name: str, schema: dict[str, object], says: str
) -> None:
    with pytest.raises(TahError, match=says):
        project(of_schema(name, schema))
