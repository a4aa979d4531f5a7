"""The errors of the package, and for whom each is meant.

    TahError                 told to the person: one line, what to do next
    ├─ ConfigError           a config file or option that cannot be used
    ├─ ModelError            the model could not be reached, refused, or answered nonsense
    ├─ LogError              the session log cannot be read or written
    ├─ ServiceError          a service or plugin is missing, doubled, or failed to start
    └─ RequestInvalid        a request that would break the provider's protocol was stopped before it was sent
    ToolError                told to the model: the call failed, and what to do instead

Anything else that escapes a tool is turned into an error result at one place, the pipeline.
"""

import errno
from typing import Literal

__all__ = [
    "ConfigError",
    "LogError",
    "ModelError",
    "ModelErrorKind",
    "RequestInvalid",
    "ServiceError",
    "TahError",
    "ToolError",
    "classify",
]

ModelErrorKind = Literal[
    "connection",
    "timeout",
    "rate_limit",
    "overloaded",
    "server",
    "key_missing",
    "key_refused",
    "no_credit",
    "model_unknown",
    "context_too_long",
    "content_filter",
    "bad_request",
    "protocol",
    "cut",
]


class TahError(Exception):
    """An error for the person. ``str(error)`` is one sentence; ``next_step`` says what to do."""

    def __init__(self, message: str, *, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}".strip()


class ConfigError(TahError):
    """A config file or option that cannot be used; the message names file, line and key."""


class LogError(TahError):
    """The session log cannot be read or written."""


class ServiceError(TahError):
    """A service or plugin is missing, doubled, or failed to start."""


class RequestInvalid(TahError):
    """A model request that breaks law 3 (one result per call, in order); it is never sent."""


class ModelError(TahError):
    """The provider could not be reached, refused the request, or answered what cannot be understood.

    ``kind`` decides what follows; ``retryable`` whether the same request may succeed later; ``retry_after_s`` is the
    provider's own wish in seconds, ``raw`` its answer (already redacted), ``status`` the HTTP status if there was one.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: ModelErrorKind,
        next_step: str = "",
        retryable: bool = False,
        retry_after_s: float | None = None,
        status: int | None = None,
        raw: str = "",
    ) -> None:
        super().__init__(message, next_step=next_step)
        self.kind = kind
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        self.status = status
        self.raw = raw


class ToolError(Exception):
    """A failed call, told to the model as it stands. Say what was wrong and what to do next.

    ``code`` is a stable, telemetry-safe name; ``offer`` is an action the person could take (shown, never run).
    """

    def __init__(self, message: str, *, code: str = "ToolError", offer: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.offer = offer


def classify(error: BaseException) -> str:
    """The stable name of an error: a tool's own code, an errno name, a known type, else ``Error``.

    >>> classify(FileNotFoundError(2, "no such file"))
    'ENOENT'
    >>> classify(ToolError("x", code="NotUnique")), classify(RuntimeError("x"))
    ('NotUnique', 'Error')
    """
    if isinstance(error, ToolError):
        return error.code
    if isinstance(error, ModelError):
        return f"ModelError.{error.kind}"
    if isinstance(error, OSError) and error.errno is not None:
        return errno.errorcode.get(error.errno, "OSError")
    if isinstance(error, (TimeoutError, MemoryError, RecursionError, UnicodeError, TahError)):
        return type(error).__name__
    return "Error"
