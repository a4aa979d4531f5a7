"""A tool's input, checked against its model or schema, with errors that name the field and the nearest known name."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

import msgspec
from pydantic import BaseModel, ValidationError

from tah_jupyter.core.errors import ToolError
from tah_jupyter.toolkit.tool import Tool

__all__ = ["Reader", "reader_of"]

Reader = Callable[[Mapping[str, Any]], Any]
"""Turns arguments into the tool's input; raises ToolError (``InvalidInput``)."""


def reader_of(tool: Tool[Any, Any]) -> Reader:
    """How the inputs of ``tool`` are read: by its pydantic model, else by its JSON Schema."""
    if tool.input_model is not None:
        model = tool.input_model
        return lambda args: _by_model(tool.name, model, args)
    schema = tool.input_schema if tool.input_schema is not None else {"type": "object"}
    return _by_schema(tool.name, schema)


def _by_model(name: str, model: type[BaseModel], args: Mapping[str, Any]) -> BaseModel:
    try:
        return model.model_validate(args)
    except ValidationError as error:
        known = list(model.model_fields)
        problems = [_words(problem, known) for problem in error.errors(include_url=False, include_context=False)]
        raise _invalid(name, problems, known) from None


def _words(problem: Mapping[str, Any], known: list[str]) -> str:
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        near = get_close_matches(place, known, n=1, cutoff=0.5)
        return f"there is no field {place!r}" + (f" (did you mean {near[0]!r}?)" if near else "")
    if problem["type"] == "missing":
        return f"the field {place!r} is missing"
    message = str(problem["msg"]).removeprefix("Value error, ")
    return f"{place}: {message}" if place else message


def _by_schema(name: str, schema: Mapping[str, Any]) -> Reader:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - only tools that bring a JSON Schema need it
    from referencing import Registry  # noqa: PLC0415

    # an empty registry: a remote $ref in a hostile schema is an error, never a request
    validator = Draft202012Validator(dict(schema), registry=Registry())
    known = list(schema.get("properties", {}))

    def read(args: Mapping[str, Any]) -> dict[str, Any]:
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(args))  # a copy that nobody else holds
        problems = [_place(error.absolute_path, error.message) for error in validator.iter_errors(plain)]
        if problems:
            raise _invalid(name, problems, known)
        return plain

    return read


def _place(path: Any, message: str) -> str:
    place = ".".join(str(part) for part in path)
    return f"{place}: {message}" if place else message


def _invalid(name: str, problems: list[str], known: list[str]) -> ToolError:
    shown = "; ".join(problems[:5]) + (f"; and {len(problems) - 5} more" if len(problems) > 5 else "")
    return ToolError(
        f"The call of {name} was not run: {shown}. Its fields: {', '.join(known) or 'none'}.", code="InvalidInput"
    )
