"""From the text a model wrote for a call's arguments to an object, without ever guessing.

A text that was cut, repaired or merely resembles JSON is refused with words for the model; see ``MODEL-10`` in the
cases.
"""

from typing import Any

import msgspec

from tah_jupyter.core.errors import ToolError

__all__ = ["canonical", "parse_arguments"]

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
    end = f" They end in {raw[-60:]!r}." if len(raw) > 60 else ""
    return ToolError(
        f"The call was not run: its arguments are not valid JSON ({problem}).{end} "
        "Send the whole call again as one JSON object.",
        code="InvalidArguments",
    )
