"""read_file: the lines of a text file, the cells of a notebook, a picture, the text of a PDF."""

import base64
from pathlib import PurePosixPath

import anyio.to_thread
import msgspec
from pydantic import Field

from tah_jupyter.core.approvals import PathSubject
from tah_jupyter.core.calls import Headline
from tah_jupyter.core.errors import ToolError
from tah_jupyter.core.lines import line_ends, lines_of
from tah_jupyter.core.notebook_text import notebook_lines
from tah_jupyter.core.views import Code, Picture, Text, View
from tah_jupyter.host.files.media import Image, image_in, kind_of_bytes
from tah_jupyter.host.files.pdf import pdf_pages
from tah_jupyter.host.files.text import UTF8, Decoded, decode, printable
from tah_jupyter.host.files.workspace import RootLike, Snapshot, Workspace, size_in_words
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.tool import Tool, ToolInput, ToolResult

__all__ = ["ReadFile", "ReadFileInput", "ReadLines", "read_file_tool"]

MAX_LINE_CHARS = 2_000
_MAX_PAGE_CHARS = 28_000
"""A page ends here at the latest, so that with its notes it stays under the tool's limit."""


_MAX_PICTURE_BYTES = 5_000_000
"""A larger picture would weigh down the page and the session's log."""


class ReadFileInput(ToolInput):
    """Which file, and which part of it."""

    path: str = Field(description="The file, relative to the working folder.")
    offset: int = Field(default=1, ge=1, description="The first line to show; the first page of a PDF. Counts from 1.")
    limit: int = Field(default=2000, ge=1, description="How many lines (pages of a PDF) to show at most.")


class ReadLines(msgspec.Struct, frozen=True):
    """What was shown: the lines (or pages) ``first`` to ``last`` of ``total``; all 0 when nothing was."""

    path: str
    first: int = 0
    last: int = 0
    total: int = 0


class _Page(msgspec.Struct, frozen=True):
    """Consecutive lines; ``cut`` tells whether one of them was shortened."""

    first: int
    lines: list[str]
    total: int
    cut: bool

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1


class ReadFile(Tool[ReadFileInput, ReadLines]):
    """Read a file of the workspace: text with numbered lines, notebooks by cells, pictures, PDF text."""

    name = "read_file"
    aliases = ("Read",)
    input_model = ReadFileInput

    def __init__(self, root: RootLike = ".") -> None:
        self.workspace = Workspace.of(root)

    def prompt(self) -> str:
        return (
            "Read a file. Text comes with line numbers, at most 2,000 lines or some 28,000 characters at once; a "
            "partial page says PARTIAL and how to go on. Notebooks (.ipynb) come by cells, PDF as text. An unchanged "
            "file that was read before is not repeated."
        )

    def is_concurrency_safe(self, input: ReadFileInput) -> bool:
        return True

    def is_read_only(self, input: ReadFileInput) -> bool:
        return True

    def is_search_or_read(self, input: ReadFileInput) -> bool:
        return True

    def subject(self, input: ReadFileInput, ctx: ToolContext) -> PathSubject:
        return PathSubject("read", self.workspace.locate(input.path))

    def headline(self, input: ReadFileInput) -> Headline:
        return Headline("Read", input.path, f"from {input.offset}" if input.offset > 1 else "")

    async def execute(self, input: ReadFileInput, ctx: ToolContext) -> ToolResult[ReadLines]:
        return await anyio.to_thread.run_sync(self._read, input, ctx)

    def _read(self, input: ReadFileInput, ctx: ToolContext) -> ToolResult[ReadLines]:
        snapshot = self.workspace.read(input.path)
        seen = ctx.read_state.get(snapshot.path)
        digest, page = snapshot.digest, (input.offset, input.limit)
        if seen is not None and seen.digest == digest and page in seen.pages:
            text = f"{snapshot.shown} has not changed since this part of it was read; it is not repeated."
            return ToolResult(ReadLines(snapshot.shown), text)
        result, lines, total = _shown(snapshot, input, vision=ctx.options.vision)
        ctx.read_state.put_page(snapshot.path, digest, page=page, lines=lines, total=total)
        return result


def read_file_tool(root: RootLike = ".") -> ReadFile:
    """The tool for the folder ``root``, or for a Workspace."""
    return ReadFile(root)


def _shown(
    snapshot: Snapshot, input: ReadFileInput, *, vision: bool
) -> tuple[ToolResult[ReadLines], tuple[int, int] | None, int]:
    """The result, the lines it shows in full, and how many there are: of a picture or a document one, never shown."""
    image = image_in(snapshot.data)
    if image is not None:
        return _picture(snapshot, image, vision=vision), None, 1
    if snapshot.data.startswith(b"%PDF-"):
        return _pdf(snapshot, input), None, 1
    result, page = _text(snapshot, input)
    return result, (page.first, page.last) if page.lines and not page.cut else None, page.total


def _text(snapshot: Snapshot, input: ReadFileInput) -> tuple[ToolResult[ReadLines], _Page]:
    decoded = decode(snapshot.data)
    if decoded is None:
        raise ToolError(
            f"{snapshot.shown} is not text: {kind_of_bytes(snapshot.data)}, {size_in_words(len(snapshot.data))}. Use a "
            "program or a library that reads this kind of file.",
            code="NotText",
        )
    lines, notes = _lines(snapshot, decoded)
    page = _page(lines, input.offset, input.limit)
    data = ReadLines(snapshot.shown, page.first, page.last, page.total) if page.lines else ReadLines(snapshot.shown)
    if not lines:
        return ToolResult(data, f"{snapshot.shown} is empty.", view=Text("Empty file")), page
    if not page.lines:
        text = f"Line {input.offset:,} is past the end: {snapshot.shown} has {page.total:,} lines."
        return ToolResult(data, text, view=Text(text)), page
    if page.cut:
        notes.append(f"Lines over {MAX_LINE_CHARS:,} characters are cut; each says how long it is.")
    if len(page.lines) < page.total:
        next_page = f" Go on with offset={page.last + 1}." if page.last < page.total else ""
        notes.append(f"PARTIAL: lines {page.first:,} to {page.last:,} of {page.total:,}.{next_page}")
    numbered = "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(page.lines, start=page.first))
    text = "\n".join((numbered, *(f"[{note}]" for note in notes)))
    return ToolResult(data, text, view=_code(snapshot, page)), page


def _lines(snapshot: Snapshot, decoded: Decoded) -> tuple[list[str], list[str]]:
    """The lines to show, and notes on what they do not show."""
    text, notes = printable(decoded.text), []
    if decoded.encoding != UTF8:
        notes.append(f"Encoding: {decoded.encoding.label}.")
    if snapshot.path.lower().endswith(".ipynb") and text.strip():
        try:
            return notebook_lines(text), notes
        except ValueError as error:
            notes.append(f"Not a notebook that can be read ({error}); shown as it is.")
    if (ends := line_ends(text)) not in ("", "LF"):
        notes.append("Its line ends are mixed." if ends == "mixed" else f"Its line ends are {ends}.")
    if ends and not text.endswith(("\n", "\r")):
        notes.append("Its last line has no newline.")
    return lines_of(text), notes


def _page(lines: list[str], offset: int, limit: int) -> _Page:
    """The lines from ``offset`` on that fit into one answer; one line at least, so that the next page moves on."""
    shown: list[str] = []
    room, cut = _MAX_PAGE_CHARS, False
    for line in lines[offset - 1 : offset - 1 + limit]:
        long = len(line) > MAX_LINE_CHARS
        text = f"{line[:MAX_LINE_CHARS]}… [cut: this line has {len(line):,} characters]" if long else line
        room -= len(text) + 8
        if room < 0 and shown:
            break
        shown.append(text)
        cut = cut or long
    return _Page(offset, shown, len(lines), cut)


def _code(snapshot: Snapshot, page: _Page) -> View:
    language = PurePosixPath(snapshot.shown).suffix.removeprefix(".").lower()
    return Code("\n".join(page.lines), language=language, first_line=page.first)


def _picture(snapshot: Snapshot, image: Image, *, vision: bool) -> ToolResult[ReadLines]:
    facts = f"{image.mime}, {image.width} × {image.height} pixels, {size_in_words(len(snapshot.data))}"
    text = f"{snapshot.shown} is a picture: {facts}."
    view: View | None = None
    if vision and len(snapshot.data) > _MAX_PICTURE_BYTES:
        text = f"{text} It is too large to be shown; make a smaller copy of it."
    elif vision:
        view = Picture(mime=image.mime, data=base64.b64encode(snapshot.data).decode(), alt=f"{snapshot.shown}, {facts}")
    return ToolResult(ReadLines(snapshot.shown), text, view=view)


def _pdf(snapshot: Snapshot, input: ReadFileInput) -> ToolResult[ReadLines]:
    texts, total = pdf_pages(snapshot.data, snapshot.shown, first=input.offset, count=input.limit, room=_MAX_PAGE_CHARS)
    if not texts:
        return ToolResult(
            ReadLines(snapshot.shown), f"Page {input.offset} is past the end: {snapshot.shown} has {total} pages."
        )
    shown: list[str] = []
    room = _MAX_PAGE_CHARS
    for number, text in enumerate(texts, start=input.offset):
        room -= len(text)
        if room < 0 and shown:
            break
        shown.append(f"# page {number} of {total}\n{printable(text)[:_MAX_PAGE_CHARS]}")
    last = input.offset + len(shown) - 1
    if last < total or input.offset > 1:
        next_page = f" Go on with offset={last + 1}." if last < total else ""
        shown.append(f"[PARTIAL: pages {input.offset} to {last} of {total}.{next_page}]")
    body = "\n".join(shown)
    return ToolResult(ReadLines(snapshot.shown, input.offset, last, total), body, view=Text(body))
