"""What a provider's refusals mean: HTTP statuses and error objects as ModelError.

Each says what was wrong, in the provider's own words where it has some, and what to do next. No key is in any of it.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from tah_jupyter.core.errors import ModelError, ModelErrorKind
from tah_jupyter.host.secrets.redact import Redactor
from tah_jupyter.models.chat.retry import retry_after_s
from tah_jupyter.models.providers import provider_of_host, words_of_missing_key
from tah_jupyter.runtime.config_sources import OWN_FILE

__all__ = ["Target", "error_of_body", "error_of_end", "error_of_status", "model_error", "target_with_key"]

_MAX_DETAIL_CHARS = 300
_MAX_RAW_CHARS = 4_000

# By the words of the answer: providers agree on statuses less than on these. Sources: the error pages of OpenAI,
# OpenRouter, DeepSeek, Groq, Mistral, Anthropic and Google; messages of vLLM, llama.cpp and Ollama as their servers
# write them.
_WORDS: tuple[tuple[ModelErrorKind, str], ...] = (
    (
        "context_too_long",
        r"context_length_exceeded|maximum context length|context (window|length|size)\b.*(exceed|too)|"
        r"exceed\w*.{0,40}\bcontext|prompt is too long|input (is )?too long|too many (input )?tokens|"
        r"input token count.{0,40}exceeds",
    ),
    # Gemini says "quota" of a pause of seconds too; what names its end, or a free tier, passes by itself.
    ("rate_limit", r"retry in \d|per[ _-]?(minute|day)|free_tier"),
    (
        "no_credit",
        r"insufficient_quota|insufficient[ _](balance|credits?|funds)|exceeded your current quota|"
        r"billing_hard_limit|out of credits?|payment required|credit balance",
    ),
    ("content_filter", r"content_(filter|policy)|content management policy|moderation|flagged"),
    (
        "model_unknown",
        r"model_not_found|(model|deployment)\b.{0,120}(does not exist|not found|not exist|not available)|"
        r"(unknown|invalid|no such) model|not a valid model|not_found_error\s+model\b",
    ),
    (
        "key_refused",
        r"invalid_api_key|(incorrect|invalid|wrong|expired|revoked) api[ _-]?key|authentication_error|"
        r"api[ _]key (is )?(not valid|invalid)",
    ),
    ("overloaded", r"overloaded|at capacity|insufficient_system_resource"),
    ("rate_limit", r"rate[ _-]?limit|too many requests"),
)
_BY_WORDS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _WORDS)

_BY_STATUS: dict[int, ModelErrorKind] = {
    401: "key_refused",
    402: "no_credit",
    403: "key_refused",
    408: "timeout",
    413: "context_too_long",
    429: "rate_limit",
    503: "overloaded",
    529: "overloaded",
}

_PASSING: frozenset[ModelErrorKind] = frozenset({"connection", "timeout", "rate_limit", "overloaded", "server"})


class Target(NamedTuple):
    """Whom a request went to, for the words of its errors. ``name`` is what people call it, where the address alone
    does not say.
    """

    base_url: str
    model: str
    key: str = ""
    key_env: str = ""
    key_note: str = ""
    name: str = ""

    def __repr__(self) -> str:
        return f"Target({self.base_url!r}, {self.model!r}, {self.key_env!r})"  # tracebacks with locals show it

    def with_key(self, given: str | None) -> "Target":
        """The same with the key ``given``, without the white space that copying leaves around keys."""
        key = (given or "").strip()
        note = " White space around it was left out." if key != (given or "") else ""
        return self._replace(key=key, key_note=note)

    @property
    def title(self) -> str:
        """What people call it: the provider's name, else the host."""
        if self.name:
            return self.name
        address = urlsplit(self.base_url)
        provider = provider_of_host(address.hostname or "")
        return provider.title if provider else address.netloc.rpartition("@")[2]

    @property
    def which_key(self) -> str:
        """The key without showing it: its last four characters (of a long one) and where it came from."""
        shown = f"the one ending {self.key[-4:]}" if len(self.key) >= 16 else f"one of {len(self.key)} characters"
        return f"{shown}, from {self.key_env}" if self.key_env else shown

    def redact(self, text: str) -> str:
        """``text`` without the key, in any form, and without anything that looks like one."""
        name = self.key_env or "key"
        clean = Redactor({name: self.key}).redact(text) if self.key else Redactor().redact(text)
        return clean.replace(self.key, f"⟨{name}⟩") if len(self.key) >= 4 else clean


def target_with_key(target: Target, given: str | None) -> Target:
    """``target`` with the key of this moment. Raises ModelError when there is none, or none that can be sent."""
    target = target.with_key(given)
    if not target.key and target.key_env:
        message, step = words_of_missing_key(target.key_env, target.title)
        raise model_error("key_missing", message, target, next_step=step)
    if not (target.key.isascii() and target.key.isprintable()):
        message = f"The key holds characters that no key has, such as a line break: {target.which_key}."
        raise model_error("key_refused", message, target)
    return target


def error_of_status(status: int, body: bytes, headers: Mapping[str, str], target: Target) -> ModelError:
    """The error of an HTTP answer that is not a success."""
    raw = target.redact(body.decode("utf-8", "replace"))  # before anything is cut out of it
    detail, codes = _detail(raw)
    if 300 <= status < 400:
        place = target.redact(headers.get("location", "elsewhere"))
        return model_error(
            "bad_request", f"{target.title} points to {place} instead of answering ({status}).", target, raw, status
        )
    kind = _kind(status, f"{codes} {detail}")
    return model_error(kind, _words(kind, status, detail, target), target, raw, status, retry_after_s(headers))


def error_of_body(error: object, target: Target) -> ModelError:
    """The error of an error object inside an answer that began as a success."""
    raw = target.redact(msgspec.json.encode({"error": error}).decode())
    detail, codes = _detail(raw)
    code = error.get("code") if isinstance(error, Mapping) else None
    status = code if type(code) is int and 400 <= code < 600 else 500
    kind = _kind(status, f"{codes} {detail}")
    return model_error(kind, _words(kind, None, detail, target), target, raw)


def error_of_end(reason: str, target: Target) -> ModelError:
    """The error of an answer that ended for a ``reason`` which is no good end."""
    message = f"{target.title} ended the answer for a reason that is not known here: {reason[:80]!r}."
    return model_error("protocol", message, target)


def _kind(status: int, words: str) -> ModelErrorKind:
    for kind, pattern in _BY_WORDS:
        if pattern.search(words) and not (kind == "content_filter" and status in (401, 429)):
            return kind
    if known := _BY_STATUS.get(status):
        return known
    return "server" if status >= 500 or status == 409 else "bad_request"


def _words(kind: ModelErrorKind, status: int | None, detail: str, target: Target) -> str:
    code = f" ({status})" if status else ""
    if kind == "key_refused" and target.key:
        return f"{target.title} refused the key{code}: {target.which_key}.{target.key_note}"
    if kind == "model_unknown":
        return f"{target.title} has no model {target.model!r} for this key{code}{_said(detail)}"
    leads: dict[ModelErrorKind, str] = {
        "key_refused": "wants a key, and none was sent",
        "no_credit": "has no credit left for this key",
        "rate_limit": "limits the rate of requests",
        "overloaded": "is overloaded",
        "context_too_long": "takes no request as long as this conversation",
        "content_filter": "refused the request by its content rules",
        "timeout": "gave up waiting",
        "server": "failed",
    }
    return f"{target.title} {leads.get(kind, 'refused the request')}{code}{_said(detail)}"


def _said(detail: str) -> str:
    return f": {detail.rstrip('.')}." if detail else "."


def _next_step(kind: ModelErrorKind, target: Target) -> str:
    return {
        "key_refused": "Enter another key with %tah key."
        if target.key
        else f'Name the variable that holds it with "apiKeyEnv" in {OWN_FILE}.',
        "no_credit": "Add credit with the provider, or choose another model.",
        "rate_limit": "Wait a little and run the cell again, or choose another model.",
        "overloaded": "Run the cell again in a minute, or choose another model.",
        "model_unknown": "Choose one that the provider lists for your account: %tah model NAME.",
        "context_too_long": "Start a new session with %%tah --new, or choose a model with a larger window: %tah model.",
        "content_filter": "Word the request differently, or choose another model.",
        "connection": "Check the address and the network of this machine, then run the cell again.",
        "timeout": "Run the cell again; a local model may need longer for its first answer.",
        "server": "Run the cell again; if it stays so, look at the provider's status page.",
        "bad_request": f"Check the address {target.base_url} and the model {target.model!r} in {OWN_FILE}.",
    }.get(kind, "Run the cell again.")


def model_error(
    kind: ModelErrorKind,
    message: str,
    target: Target,
    raw: str = "",
    status: int | None = None,
    pause_s: float | None = None,
    next_step: str = "",
) -> ModelError:
    """An error of ``kind`` with what to do next; every word of it is redacted."""
    return ModelError(
        target.redact(message),
        kind=kind,
        next_step=target.redact(next_step or _next_step(kind, target)),
        retryable=kind in _PASSING,
        retry_after_s=pause_s,
        status=status,
        raw=target.redact(raw)[:_MAX_RAW_CHARS],
    )


def _detail(text: str) -> tuple[str, str]:
    """The provider's own words in one line, and its codes, from a body of any shape."""
    try:
        value: Any = msgspec.json.decode(text)
    except msgspec.DecodeError:
        title = re.search(r"<title>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        return _line(title.group(1) if title else re.sub(r"<[^>]*>", " ", text)), ""
    if isinstance(value, list) and value:
        value = value[0]
    found = value.get("error", value) if isinstance(value, Mapping) else value
    if not isinstance(found, Mapping):
        return _line(str(found or "")), ""
    words = found.get("message") or found.get("detail") or ""
    codes = " ".join(str(found.get(name) or "") for name in ("code", "type", "status"))
    return _line(words if isinstance(words, str) else str(words)), codes


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_DETAIL_CHARS else line[: _MAX_DETAIL_CHARS - 1] + "…"
