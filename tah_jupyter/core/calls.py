"""A call of a tool, what the model is told of a tool, and what a call leaves behind."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

__all__ = ["Change", "Headline", "Todo", "ToolCall", "ToolSchema", "Usage"]


class ToolCall(msgspec.Struct, frozen=True):
    """One call: ``call_id`` is ours and unique over the session; ``args`` are as the model gave them, parsed."""

    call_id: str
    tool: str
    args: Mapping[str, Any]


class ToolSchema(msgspec.Struct, frozen=True):
    """What the model is told of a tool; ``parameters`` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: dict[str, Any]


class Headline(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call in one line for people: verb, target, size, as in ``Edit · src/load.py · +1 −1``."""

    verb: str
    target: str = ""
    detail: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in (self.verb, self.target, self.detail) if part)


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something a call changed. ``target`` is a path relative to the root, a cell id or a variable name; lines are
    counted.
    """

    target: str
    kind: Literal["file", "cell", "variable"] = "file"
    action: Literal["created", "modified", "deleted"] = "modified"
    added: int = 0
    removed: int = 0


class Todo(msgspec.Struct, frozen=True):
    """One item of the plan."""

    content: str
    status: Literal["pending", "in_progress", "completed"] = "pending"


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tokens as the provider reported them. ``input_tokens`` includes ``cached_tokens``, read from the provider's
    cache, and ``written_tokens``, put into it (some charge more for them); ``requests`` counts model requests.
    """

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    requests: int = 0
    written_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.output_tokens + other.output_tokens,
            self.requests + other.requests,
            self.written_tokens + other.written_tokens,
        )
