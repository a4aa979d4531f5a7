"""Notebooks that run without a page and a person."""

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

from tests.kernel.project import Project
from tests.support.notebook_page import write_notebook

__all__ = ["LIMIT_S", "execute", "text_of"]

LIMIT_S = 50
"""Longest wait for one cell."""


def execute(project: Project, *cells: str, goes_on: bool = False) -> NotebookNode:
    """Run a notebook of the project, as ``jupyter execute`` does; the file afterwards. With ``goes_on`` an error does
    not end it.
    """
    path = project.folder / "work.ipynb"
    write_notebook(path, ["%load_ext tah_jupyter", *cells])
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=LIMIT_S, allow_errors=goes_on, resources={"metadata": {"path": str(project.folder)}}
    )
    try:
        client.execute()
    finally:
        nbformat.write(notebook, path)
    return nbformat.read(path, as_version=4)


def text_of(cell: NotebookNode) -> str:
    """What a cell shows, as plain text; of an error what stands in the place of its traceback."""
    return "\n".join(_text(output) for output in cell.outputs)


def _text(output: NotebookNode) -> str:
    if output.output_type == "error":
        return "\n".join(output.traceback)
    return str(output.get("text", "") or output.get("data", {}).get("text/plain", ""))
