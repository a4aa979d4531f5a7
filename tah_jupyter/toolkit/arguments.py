"""From the text a model wrote for a call's arguments to an object, without ever guessing.

A text that was cut, repaired or merely resembles JSON is refused with words for the model; see ``MODEL-10`` in the
cases.
"""

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from tah_jupyter.core.errors import ToolError

__all__ = ["MAX_DEPTH", "canonical", "parse_arguments"]

MAX_DEPTH = 100
"""How deep objects and lists may be nested. No tool takes a tenth of it; code that walks a deeper one may fail."""

canonical = msgspec.json.Encoder(order="sorted").encode
"""One JSON text for one value: what digests are made of."""


def parse_arguments(raw: str) -> dict[str, Any]:
    """The object that ``raw`` stands for. Raises ToolError (``InvalidArguments``) when it stands for none.

    Empty text and ``null`` are ``{}``; one level of double encoding is unwrapped, if it holds an object.

    >>> parse_arguments(""), parse_arguments('"{\\\\"a\\\\": 1}"')
    ({}, {'a': 1})
    """
    value = _decode(raw)
    if isinstance(value, str):
        value = _decode(value)
    if isinstance(value, dict):
        if _is_deeper(value, MAX_DEPTH):
            raise _invalid(f"they are nested more than {MAX_DEPTH} deep", raw)
        return value
    raise _invalid(f"they are {_kind(value)}, not an object", raw)


def _decode(text: str) -> Any:
    if not text.strip():
        return {}
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        raise _invalid(str(error), text) from None
    return {} if value is None else value


def _is_deeper(value: dict[str, Any], limit: int) -> bool:
    """Level by level: to call itself for each would be what this guards against."""
    level: list[Any] = [value]
    for _ in range(limit):
        level = [item for holder in level for item in _items(holder) if isinstance(item, dict | list)]
        if not level:
            return False
    return True


def _items(holder: Any) -> Iterable[Any]:
    return holder.values() if isinstance(holder, dict) else holder


def _kind(value: object) -> str:
    names: dict[type, str] = {
        list: "a list",
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a string",
    }
    return names.get(type(value), type(value).__name__)


def _invalid(problem: str, raw: str) -> ToolError:
    end = f" They end in {end!r}." if (end := _last_words(raw)) else ""
    return ToolError(
        f"The call was not run: its arguments are not valid JSON ({problem}).{end} "
        "Send the whole call again as one JSON object.",
        code="InvalidArguments",
    )


def _last_words(raw: str) -> str:
    """How a long text ends, from the start of a word on: half of a key could not be told from other text."""
    words = re.split(r"(?<=[\s\"':,{}\[\]])", raw[-60:], maxsplit=1)
    return words[-1] if len(raw) > 60 and len(words) > 1 else ""
