"""What is left to look at: the executed notebook, and a page that needs nothing but a browser."""

import json
import platform
from collections.abc import Sequence
from typing import Any

from tah_jupyter.jupyter.demo.page import Cell
from tah_jupyter.ui.nodes import element, to_html

__all__ = ["as_notebook", "as_page"]

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere}"
    ".source{background:color-mix(in srgb,currentColor 7%,transparent);padding:.6rem .8rem;border-radius:4px}"
    ".output{margin:0 0 1.5rem .8rem}"
)


def as_notebook(intro: str, cells: Sequence[Cell]) -> str:
    """The notebook file (nbformat 4.5) of cells that were run, under a Markdown cell."""
    made: list[dict[str, Any]] = [_notebook_cell(0, "markdown", intro)]
    for number, cell in enumerate(cells, start=1):
        made.append(
            _notebook_cell(number, "code", cell.source) | {"execution_count": number, "outputs": _saved(cell.outputs)}
        )
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python", "version": platform.python_version()},
    }
    notebook = {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def as_page(title: str, intro: str, cells: Sequence[Cell]) -> str:
    """An HTML page with the same contents. The records in it are those that the notebook holds."""
    parts = [f"<h1>{to_html([title])}</h1>", to_html([element("p", intro)])]
    for cell in cells:
        parts.append(f'<pre class="source">{to_html([cell.source])}</pre>')
        parts += [f'<div class="output">{_output_html(output)}</div>' for output in cell.outputs]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{to_html([title])}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def _notebook_cell(number: int, kind: str, source: str) -> dict[str, Any]:
    return {"cell_type": kind, "id": f"demo-{number}", "metadata": {}, "source": source.splitlines(keepends=True)}


def _saved(outputs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [dict(output) for output in outputs]


def _output_html(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    if "text/html" in data:
        return str(data["text/html"])
    text = output.get("text") or data.get("text/plain") or "\n".join(output.get("traceback", ()))
    return to_html([element("pre", text)])
