"""A notebook file as text for reading: its cells with their ids, and what they printed, shortened.

Follows the notebook format, version 4 (nbformat.readthedocs.io): ``source`` and ``text`` are a string or a list of
strings, outputs are ``stream``, ``execute_result``, ``display_data`` or ``error``.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

__all__ = ["notebook_lines"]

_MAX_OUTPUT_LINES = 12
_MAX_OUTPUT_CHARS = 1_000
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def notebook_lines(text: str) -> list[str]:
    """The lines to show of the notebook whose JSON is ``text``. Raises ValueError when it is not a notebook.

    >>> print("\\n".join(notebook_lines('{"cells": [{"cell_type": "code", "id": "a1", "source": "1 + 1"}]}')))
    # cell 1 of 1 · code · id a1
    1 + 1
    """
    try:
        notebook = json.loads(text)
    except RecursionError as error:
        raise ValueError("too deeply nested") from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise ValueError("no list of cells")
    if not cells:
        return ["# no cells"]
    return [line for number, cell in enumerate(cells, start=1) for line in _cell_lines(cell, number, len(cells))]


def _cell_lines(cell: dict[str, Any], number: int, total: int) -> Iterator[str]:
    facts = [f"# cell {number} of {total}", str(cell.get("cell_type", "unknown"))]
    if "id" in cell:
        facts.append(f"id {cell['id']}")
    if cell.get("execution_count") is not None:
        facts.append(f"ran as [{cell['execution_count']}]")
    yield " · ".join(facts)
    yield from _joined(cell.get("source", "")).split("\n")
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if isinstance(output, dict):
            yield from _output_lines(output)


def _output_lines(output: dict[str, Any]) -> Iterator[str]:
    kind = output.get("output_type")
    if kind == "stream":
        yield f"# output · {output.get('name', 'stream')}"
        yield from _shortened(_joined(output.get("text", "")))
    elif kind == "error":
        yield f"# output · error · {output.get('ename', '')}: {output.get('evalue', '')}"
        lines = output.get("traceback")
        yield from _shortened(_ANSI.sub("", "\n".join(map(str, lines if isinstance(lines, list) else ()))))
    else:
        data = output.get("data")
        data = data if isinstance(data, dict) else {}
        yield f"# output · {kind} · {', '.join(data) or 'empty'}"
        if "text/plain" in data:
            yield from _shortened(_joined(data["text/plain"]))


def _joined(source: object) -> str:
    """A text that the format lets be a string or a list of them; nothing for what it does not allow."""
    return "".join(map(str, source)) if isinstance(source, list) else source if isinstance(source, str) else ""


def _shortened(text: str) -> list[str]:
    lines = text[:_MAX_OUTPUT_CHARS].rstrip("\n").split("\n")
    shown = lines[:_MAX_OUTPUT_LINES]
    left_out = len(text.rstrip("\n")) - len("\n".join(shown))
    return [*shown, f"# … {left_out:,} more characters"] if left_out > 0 else shown
