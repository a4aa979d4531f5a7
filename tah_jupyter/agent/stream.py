"""One message of the model: what it says is shown as it comes, its calls are handed on when they are complete."""

import time
from collections.abc import Callable
from contextlib import aclosing
from typing import Literal

import msgspec

from tah_jupyter.core.calls import Usage
from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.events import MessageFinished, MessageStarted, Notice, TextDelta, ThinkingDelta
from tah_jupyter.core.messages import (
    CallFinished,
    CallPart,
    Finish,
    ModelEvent,
    ModelRequest,
    Preparing,
    Retrying,
    TextPart,
    ThinkingPart,
    UsagePart,
)
from tah_jupyter.core.ports import Model
from tah_jupyter.runtime.bus import Emitter

__all__ = ["Received", "receive"]

Ending = Literal["stop", "calls", "length", "filter", "cut", "interrupted", "failed"]
OnCall = Callable[[CallFinished], CallPart | None]
"""Takes a complete call; returns how it goes into the history, or None when it is no part of it (it was cut off)."""


class Received(msgspec.Struct):
    """A message as it arrived. ``error`` is why it is not complete; ``text`` and ``calls`` are kept all the same."""

    text: str = ""
    thinking: str = ""
    calls: tuple[CallPart, ...] = ()
    finish: Ending = "interrupted"
    usage: Usage = Usage()
    error: ModelError | None = None
    is_empty: bool = True  # nothing of it came, not even a part of a call


class _Parts:
    """The message while it grows."""

    def __init__(self, message: str, emitter: Emitter, on_call: OnCall) -> None:
        self._message = message
        self._emit = emitter.emit
        self._on_call = on_call
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._calls: list[CallPart] = []
        self._usage = Usage(requests=1)
        self.is_empty = True
        self.finish: Ending = "interrupted"

    def take(self, event: ModelEvent) -> None:
        self.is_empty = self.is_empty and not isinstance(event, TextPart | ThinkingPart | CallFinished)
        match event:
            case TextPart(text=text):
                self._text.append(text)
                self._emit(TextDelta(message=self._message, text=text))
            case ThinkingPart(text=text):
                self._thinking.append(text)
                self._emit(ThinkingDelta(message=self._message, text=text))
            case CallFinished():
                if (part := self._on_call(event)) is not None:
                    self._calls.append(part)
            case UsagePart(usage=usage):
                self._usage = msgspec.structs.replace(usage, requests=1)
            case Preparing(text=text):
                self._emit(Notice(text=text, code="preparing"))
            case Retrying(cause=cause, attempt=attempt, wait_s=wait_s):
                text = f"{cause}; trying again in {max(1, round(wait_s))} s (attempt {attempt + 1})"
                self._emit(Notice(text=text, level="warning", code="retry", until=round(time.time() + wait_s, 1)))
            case Finish(reason=reason):
                self.finish = reason

    def put_into(self, received: Received, error: ModelError | None) -> None:
        received.text, received.thinking = "".join(self._text), "".join(self._thinking)
        received.calls, received.usage = tuple(self._calls), self._usage
        received.finish, received.is_empty, received.error = self.finish, self.is_empty, error


async def receive(
    model: Model,
    request: ModelRequest,
    message: str,
    emitter: Emitter,
    on_call: OnCall,
    received: Received,
    *,
    sent_tokens: int = 0,
) -> None:
    """Stream one message into ``received``, which is filled also when this is cancelled; what the provider did wrong is
    in its ``error``, never raised. The bracket closes in any case.
    """
    parts = _Parts(message, emitter, on_call)
    error: ModelError | None = None
    emitter.emit(MessageStarted(message=message, sent_tokens=sent_tokens))
    try:
        async with aclosing(model.stream(request)) as events:
            async for event in events:
                parts.take(event)
        if parts.finish == "interrupted":  # it ended without a terminal event: that is never a complete answer
            error = ModelError("The answer ended before it was complete.", kind="cut", retryable=True)
    except ModelError as raised:
        error = raised
    finally:
        if error is not None:
            parts.finish = "failed" if parts.is_empty else "cut"
        parts.put_into(received, error)
        emitter.emit(
            MessageFinished(
                message=message,
                text=received.text,
                thinking=received.thinking,
                calls=received.calls,
                finish=received.finish,
                usage=received.usage,
            )
        )
