"""The shape of a chat-completion chunk, as loosely as providers keep to it, and what its parts mean.

Fields that no provider gets wrong are typed, so that decoding skips the rest (0.3 µs a chunk against 0.5 µs for dicts
and 2.4 µs for ``json.loads``, measured); the others are ``Any`` and are read with care.
"""

import json
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from tah_jupyter.core.calls import Usage

__all__ = [
    "Choice",
    "Chunk",
    "Delta",
    "Fragment",
    "Function",
    "chunk_of",
    "decode_chunk",
    "finish_of",
    "text_of",
    "thinking_of",
    "usage_of",
]

Reason = Literal["stop", "calls", "length", "filter"]


class Function(msgspec.Struct):
    name: Any = None
    arguments: Any = None


class Fragment(msgspec.Struct):
    """A piece of a tool call: id and name come once, the argument text bit by bit."""

    index: Any = None
    id: Any = None
    function: Function | None = None


class Delta(msgspec.Struct):
    """What is new in a message, or (where the server did not stream) the whole message."""

    content: Any = None
    reasoning_content: Any = None  # DeepSeek, vLLM, llama.cpp
    reasoning: Any = None  # OpenRouter, Groq, Ollama
    refusal: Any = None
    tool_calls: list[Fragment] | None = None
    function_call: Function | None = None  # the form before tools, kept by some servers


class Choice(msgspec.Struct):
    delta: Delta | None = None
    message: Delta | None = None
    finish_reason: Any = None


class Chunk(msgspec.Struct):
    choices: list[Choice] | None = None
    usage: Any = None
    error: Any = None


_decode = msgspec.json.Decoder(Chunk).decode


def decode_chunk(data: bytes) -> Chunk:
    """The chunk that ``data`` writes. What no JSON may hold but servers send all the same, NaN and half a surrogate
    pair, is read by the lenient parser of the standard library. Raises ValueError, or RecursionError.
    """
    try:
        return _decode(data)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.convert(json.loads(data), Chunk)


def chunk_of(value: object) -> Chunk:
    """The same from an object with attributes, as libraries give it. Raises ValueError."""
    return msgspec.convert(value, Chunk, from_attributes=True)


_FINISH: dict[str, Reason] = {
    "stop": "stop",
    "end_turn": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "stop_token": "stop",
    "stop_sequence": "stop",
    "complete": "stop",
    "tool_calls": "calls",
    "function_call": "calls",
    "tool_use": "calls",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",  # Mistral
    "content_filter": "filter",
    "safety": "filter",
}


def finish_of(reason: str) -> Reason | None:
    """What a provider's finish reason means, or None when it says nothing known."""
    return _FINISH.get(reason.lower())


def text_of(value: object) -> str:
    """The text of a content or reasoning field: a string, or a list of parts of which the text counts."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(text_of(part.get("text")) for part in value if isinstance(part, Mapping))
    return ""


def thinking_of(content: object) -> str:
    """The reasoning that stands among the parts of a content list (Mistral)."""
    if not isinstance(content, list):
        return ""
    return "".join(text_of(part.get("thinking")) for part in content if isinstance(part, Mapping))


def usage_of(value: object) -> Usage | None:
    """The tokens of one request from a ``usage`` object, or None when it holds none."""
    if not isinstance(value, Mapping):
        return None
    sent, said = _count(value.get("prompt_tokens")), _count(value.get("completion_tokens"))
    if not sent and not said:
        return None
    details = value.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, Mapping) else 0
    cached = min(cached or _count(value.get("prompt_cache_hit_tokens")), sent)  # the latter by DeepSeek
    written = min(_count(value.get("cache_creation_input_tokens")), sent - cached)  # Anthropic, as litellm says it
    return Usage(sent, cached, said, 1, written)


def _count(value: object) -> int:
    return int(value) if isinstance(value, (int, float)) and 0 <= value < 2**53 else 0
