"""How a model is told of a tool: function calling's name, description and parameters."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from tah_jupyter.core.calls import ToolSchema
from tah_jupyter.core.errors import ServiceError
from tah_jupyter.toolkit.tool import Tool

__all__ = ["project", "sendable_name", "without_invisible"]

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What every provider with function calling accepts as a name."""
_MAX_DEPTH = 12
_DROPPED = ("title", "$defs", "$schema", "$id", "definitions")


def project(tool: Tool[Any, Any]) -> ToolSchema:
    """The schema of ``tool``. Raises ServiceError naming the field that cannot be told to a model."""
    if not _NAME.fullmatch(tool.name):
        raise ServiceError(f"The tool name {tool.name!r} is not 1 to 64 letters, digits, _ or -.")
    raw = tool.input_model.model_json_schema() if tool.input_model is not None else dict(tool.input_schema or {})
    raw.setdefault("type", "object")
    if raw["type"] != "object":
        raise ServiceError(f"The input of {tool.name} is {raw['type']!r}; it must be an object.")
    parameters = _inline(tool.name, "input", raw, raw, 0)
    parameters.setdefault("properties", {})
    return ToolSchema(tool.name, without_invisible(tool.prompt()), parameters)


def _inline(name: str, place: str, node: Any, whole: Mapping[str, Any], depth: int) -> Any:
    """``node`` with local references replaced by what they name; providers differ in what they make of ``$ref``."""
    if isinstance(node, list):
        return [_inline(name, place, item, whole, depth) for item in node]
    if not isinstance(node, Mapping):
        return without_invisible(node) if isinstance(node, str) else node
    if "$ref" in node:
        reference = str(node["$ref"])
        if not reference.startswith("#/"):
            raise ServiceError(f"The field {place} of {name} refers to {reference!r}; only local references are read.")
        if depth >= _MAX_DEPTH:
            return {}  # a recursive type: below this depth anything goes, the full schema still judges the call
        target = _lookup(name, place, reference, whole)
        return _inline(name, place, {**target, **{k: v for k, v in node.items() if k != "$ref"}}, whole, depth + 1)
    return {key: _member(name, place, key, value, whole, depth) for key, value in node.items() if key not in _DROPPED}


def _member(name: str, place: str, key: str, value: Any, whole: Mapping[str, Any], depth: int) -> Any:
    if key == "properties" and isinstance(value, Mapping):  # its keys are field names, also when called "title"
        return {field: _inline(name, f"{place}.{field}", item, whole, depth) for field, item in value.items()}
    return _inline(name, place, value, whole, depth)


def _lookup(name: str, place: str, reference: str, whole: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Any = whole
    for part in reference[2:].split("/"):
        found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping):
        raise ServiceError(f"The field {place} of {name} refers to {reference!r}, which is not there.")
    return found


def sendable_name(name: str) -> str:
    """What a model called a tool, as a name that providers take back: one that they refuse would end the conversation.

    >>> sendable_name("read_file"), sendable_name("functions.read file"), sendable_name("")
    ('read_file', 'functions_read_file', 'unnamed')
    """
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "unnamed"


def without_invisible(text: str) -> str:
    """``text`` without format characters (bidi, zero-width, tags): a description must say what a person sees in it.

    >>> without_invisible("read\\u202e it\\U000e0041")
    'read it'
    """
    if text.isascii():
        return text
    return "".join(c for c in text if unicodedata.category(c) != "Cf")
