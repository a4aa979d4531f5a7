"""The text of a PDF document, where the optional package ``pypdf`` is installed."""

import io
from importlib import import_module

from tah_jupyter.core.errors import ToolError

__all__ = ["pdf_pages"]


def pdf_pages(data: bytes, shown: str, *, first: int, count: int, room: int) -> tuple[list[str], int]:
    """The text of at most ``count`` pages from page ``first`` (1-based) on, and how many pages there are.

    It stops at the page with which there are more than ``room`` characters, for a page may take a second. ``shown``
    names the file in errors. Raises ToolError when ``pypdf`` is missing or cannot read it.
    """
    try:
        pypdf = import_module("pypdf")  # optional, and heavy
    except ImportError as error:
        raise ToolError(
            f"{shown} is a PDF document. Reading its text needs the Python package pypdf, which is not installed in "
            "this kernel.",
            code="NoPdfReader",
        ) from error
    try:
        pages = pypdf.PdfReader(io.BytesIO(data)).pages
        texts: list[str] = []
        for number in range(first - 1, min(first - 1 + count, len(pages))):
            texts.append(pages[number].extract_text())
            room -= len(texts[-1])
            if room < 0:
                break
        return texts, len(pages)
    except Exception as error:  # a broken document fails in it in many ways, none of them ours
        raise ToolError(f"{shown} could not be read as a PDF document: {error}.", code="BrokenPdf") from error
