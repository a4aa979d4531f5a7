"""What litellm raises, as ModelError with the same kinds and words as the direct route.

litellm sorts errors by its own classes and writes the provider's answer into their text. Below each of them, in its
chain of causes, is what really happened: an HTTP answer, a broken connection, an error object. That is what is read.
"""

import re
from collections.abc import Iterator, Mapping

import httpx

from tah_jupyter.core.errors import ModelError
from tah_jupyter.models.chat.provider_errors import Target, error_of_body, error_of_end, error_of_status, model_error
from tah_jupyter.models.chat.transport_errors import error_of_cut, error_of_transport

__all__ = ["error_of_litellm"]

_EARLY_END = "Stream ended before a finish_reason"
_NO_CREDENTIALS = re.compile(r"(unable to locate|no|could not find|default) credentials|missing credentials", re.I)
_BAD_END = re.compile(r"finish_reason[:=]\s*(\w+)")
_PREFIX = re.compile(r"^(?:litellm\.)?\w+(?:Error|Exception)\s*[:-]\s*")


def error_of_litellm(error: Exception, target: Target, *, shown: bool) -> ModelError:
    """The error of a request; ``shown`` says that part of an answer was shown before it."""
    causes = list(_causes(error))
    return (
        _of_response(causes, target)
        or _of_transport(causes, target, shown=shown)
        or _of_early_end(causes, target)
        or _of_body(causes, target)
        or _of_nonsense(causes, target)
        or _of_words(causes, target)
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """``error`` and all that it came from, the outermost first."""
    waiting: list[object] = [error]
    seen: set[int] = set()
    while waiting:
        cause = waiting.pop(0)
        if isinstance(cause, BaseException) and id(cause) not in seen:
            seen.add(id(cause))
            yield cause
            waiting += [getattr(cause, "original_exception", None), cause.__cause__, cause.__context__]


def _of_response(causes: list[BaseException], target: Target) -> ModelError | None:
    """By the HTTP answer. litellm makes up answers without a body where there was none, so those do not count."""
    for cause in causes:
        response = getattr(cause, "response", None)
        if isinstance(response, httpx.Response) and response.status_code >= 300:
            real = isinstance(cause, httpx.HTTPStatusError) or type(cause).__module__.startswith("openai")
            body = _body(response)
            if body or real:
                return error_of_status(response.status_code, body, response.headers, target)
    return None


def _body(response: httpx.Response) -> bytes:
    try:
        return response.content
    except httpx.StreamError:  # it was never read
        return b""


def _of_transport(causes: list[BaseException], target: Target, *, shown: bool) -> ModelError | None:
    for cause in causes:
        if isinstance(cause, (httpx.TransportError, httpx.InvalidURL)):
            return error_of_cut(cause, target) if shown else error_of_transport(cause, target)
    return None


def _of_early_end(causes: list[BaseException], target: Target) -> ModelError | None:
    return error_of_cut(None, target) if any(_EARLY_END in str(cause) for cause in causes) else None


def _of_body(causes: list[BaseException], target: Target) -> ModelError | None:
    """By an error object in the middle of a stream."""
    for cause in causes:
        body = getattr(cause, "body", None)
        if isinstance(body, (Mapping, str)) and body:
            return error_of_body(body, target)
    return None


def _of_nonsense(causes: list[BaseException], target: Target) -> ModelError | None:
    for cause in causes:
        if isinstance(cause, ValueError):  # of a parser: no JSON, not UTF-8, not of the shape that litellm wants
            message = f"{target.title} sent something that is no part of a chat completion."
            broken = model_error("protocol", message, target, f"{type(cause).__name__}: {cause}")
            broken.retryable = True
            return broken
    return None


def _of_words(causes: list[BaseException], target: Target) -> ModelError:
    """By the innermost status and its text, where nothing better is known."""
    words = [(cause, _text(cause)) for cause in causes]
    if any(_NO_CREDENTIALS.search(text) for _, text in words):
        message = f"There are no credentials for {target.title} in this kernel."
        step = "Set them up as its documentation says before Jupyter starts, then restart the kernel."
        return model_error("key_missing", message, target, words[-1][1], next_step=step)
    if bad_end := next((match for _, text in words if (match := _BAD_END.search(text))), None):
        return error_of_end(bad_end.group(1), target)
    for cause, text in reversed(words):
        status = getattr(cause, "status_code", None)
        if type(status) is int and 400 <= status < 600:
            return error_of_status(status, text.encode("utf-8", "replace"), {}, target)
    outermost, text = words[0]
    return model_error("protocol", f"litellm could not ask {target.title}: {type(outermost).__name__}.", target, text)


def _text(cause: BaseException) -> str:
    said = getattr(cause, "message", None) or str(cause)
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    while match := _PREFIX.match(text):
        text = text[match.end() :]
    return text
