"""What the model is sent and what it streams back, the same for every provider."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from tah_jupyter.core.calls import ToolSchema, Usage

__all__ = [
    "AssistantMessage",
    "CallFinished",
    "CallPart",
    "Finish",
    "Message",
    "ModelEvent",
    "ModelRequest",
    "Preparing",
    "Retrying",
    "TextPart",
    "ThinkingPart",
    "ToolMessage",
    "UsagePart",
    "UserMessage",
]


class CallPart(msgspec.Struct, frozen=True):
    """A call inside an assistant message; ``arguments`` is always valid JSON of an object (law 3), whatever the model
    wrote.
    """

    call_id: str
    tool: str
    arguments: str


class UserMessage(msgspec.Struct, frozen=True, tag="user"):
    """What the person, or a notice of ours, says to the model."""

    text: str


class AssistantMessage(msgspec.Struct, frozen=True, omit_defaults=True, tag="assistant"):
    """A model's message as it goes back to it."""

    text: str
    calls: tuple[CallPart, ...] = ()


class ToolMessage(msgspec.Struct, frozen=True, omit_defaults=True, tag="tool"):
    """The one result of one call."""

    call_id: str
    text: str


Message: TypeAlias = UserMessage | AssistantMessage | ToolMessage


class ModelRequest(msgspec.Struct, frozen=True):
    """One request. ``messages`` only ever grows at its end within a run, so a route may keep the bytes of its start."""

    system: str
    messages: Sequence[Message]
    tools: Sequence[ToolSchema]


class TextPart(msgspec.Struct, frozen=True):
    """The next piece of the answer's text."""

    text: str


class ThinkingPart(msgspec.Struct, frozen=True):
    """The next piece of the model's reasoning, where it shows it."""

    text: str


class CallFinished(msgspec.Struct, frozen=True):
    """One call whose arguments are complete: sealed by the route as soon as the next one starts or its text parses.

    ``raw`` is the argument text exactly as it came; ``truncated`` says that the stream or the message ended inside it.
    """

    index: int
    tool: str
    raw: str
    provider_id: str = ""
    truncated: bool = False


class UsagePart(msgspec.Struct, frozen=True):
    """Tokens of this request."""

    usage: Usage


class Preparing(msgspec.Struct, frozen=True):
    """The route needs a moment before it can send anything; ``text`` says for what, in one line."""

    text: str


class Retrying(msgspec.Struct, frozen=True):
    """The route tries again after a failure, before anything was shown; ``wait_s`` is how long it waits first."""

    cause: str
    attempt: int
    wait_s: float


class Finish(msgspec.Struct, frozen=True):
    """The terminal event. A stream without it is not complete. ``length`` and ``filter`` are not complete either."""

    reason: Literal["stop", "calls", "length", "filter"]


ModelEvent: TypeAlias = TextPart | ThinkingPart | CallFinished | UsagePart | Preparing | Retrying | Finish
