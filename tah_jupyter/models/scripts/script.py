"""What a script is made of: the steps of a scripted answer. A step is a model event, an error or a wait."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, get_args

import msgspec

from tah_jupyter.core.errors import ModelError, ModelErrorKind
from tah_jupyter.core.messages import CallFinished, Finish, ModelEvent, ModelRequest, TextPart, ThinkingPart

__all__ = [
    "Answer",
    "Scripted",
    "Step",
    "Wait",
    "calls",
    "calls_raw",
    "cuts",
    "ends",
    "fails",
    "says",
    "thinks",
    "waits",
]


# What may be gone when the same request is sent again.
_PASSING: frozenset[ModelErrorKind] = frozenset({"connection", "timeout", "rate_limit", "overloaded", "server", "cut"})


class Wait(msgspec.Struct, frozen=True):
    """Nothing comes for ``seconds``."""

    seconds: float


Step: TypeAlias = ModelEvent | ModelError | Wait
Answer: TypeAlias = Step | Sequence[Step]
Scripted: TypeAlias = Answer | Callable[[ModelRequest], Answer]


def says(text: str) -> TextPart:
    """The answer's text."""
    return TextPart(text)


def thinks(text: str) -> ThinkingPart:
    """Reasoning that the model shows."""
    return ThinkingPart(text)


def calls(tool: str, /, **args: Any) -> CallFinished:
    """One call of ``tool`` with ``args``; list several to have them in one message."""
    return CallFinished(index=0, tool=tool, raw=msgspec.json.encode(args).decode())


def calls_raw(tool: str, raw: str, *, truncated: bool = False) -> CallFinished:
    """One call whose argument text is ``raw``, valid or not."""
    return CallFinished(index=0, tool=tool, raw=raw, truncated=truncated)


def ends(reason: Literal["stop", "calls", "length", "filter"]) -> Finish:
    """The message ends for ``reason``; without it the model ends with ``calls`` or ``stop`` as fits."""
    return Finish(reason)


def waits(seconds: float) -> Wait:
    """Nothing comes for ``seconds``."""
    return Wait(seconds)


def fails(error: ModelError | ModelErrorKind, message: str = "") -> ModelError:
    """The request fails here with ``error``, or with a ModelError of that kind."""
    if isinstance(error, ModelError):
        return error
    if error not in get_args(ModelErrorKind):
        kinds = ", ".join(get_args(ModelErrorKind))
        raise ValueError(f"{error!r} is no kind of model error. Use one of: {kinds}.")
    return ModelError(message or f"The script fails here ({error}).", kind=error, retryable=error in _PASSING)


def cuts() -> ModelError:
    """The stream ends here, without a terminal event; put it last in a list of steps."""
    return ModelError("The scripted stream ended before the message was complete.", kind="cut", retryable=True)
