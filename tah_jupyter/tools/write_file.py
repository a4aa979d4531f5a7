"""write_file: make a text file, or replace the whole of one."""

from pydantic import Field

from tah_jupyter.core.diff import diff_texts
from tah_jupyter.core.errors import ToolError
from tah_jupyter.core.lines import line_ends
from tah_jupyter.host.files.media import kind_of_bytes
from tah_jupyter.host.files.read_state import ReadState
from tah_jupyter.host.files.text import UTF8, Encoding, decode, hidden_characters, printable
from tah_jupyter.host.files.workspace import RootLike, Snapshot, size_in_words
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.file_change import FileChangeTool, PlannedChange
from tah_jupyter.toolkit.tool import ToolInput

__all__ = ["WriteFile", "WriteFileInput", "write_file_tool"]

_UNREAD = "replaces a file that was not read in its present state"


class WriteFileInput(ToolInput):
    """The file and everything that will be in it."""

    path: str = Field(description="The file, relative to the working folder; missing folders are made.")
    content: str = Field(description="The whole new contents of the file.")


class WriteFile(FileChangeTool[WriteFileInput]):
    """Write a whole text file.

    An existing file keeps its mode, encoding, byte order mark and, when it has nothing but CRLF, its line ends.
    """

    name = "write_file"
    aliases = ("Write",)
    input_model = WriteFileInput
    verb = "Write"

    def prompt(self) -> str:
        return (
            "Write a whole text file; missing folders are made. An existing file must have been read whole first, "
            "for everything in it is replaced. To change a part of a file, edit it instead. Not for notebooks (.ipynb)."
        )

    def plan(self, input: WriteFileInput, known: ReadState) -> PlannedChange:
        if self.workspace.locate(input.path).lower().endswith(".ipynb"):
            raise ToolError(
                "A notebook is not written as raw text: its cell ids, outputs and metadata would be lost. Leave it, "
                "and write a script or a module instead.",
                code="Notebook",
            )
        base = self.workspace.read_if_exists(input.path)
        if base is None:
            shown = self.workspace.relative(self.workspace.resolve(input.path, write=True))
            diff = diff_texts(shown, None, input.content)
            return PlannedChange(None, UTF8.encode(input.content), diff, _hidden(input.content))
        return _replacement(base, input.content, known)

    def report(self, input: WriteFileInput, plan: PlannedChange) -> str:
        done = "Created" if plan.base is None else "Replaced"
        counted = f"+{plan.diff.added} −{plan.diff.removed} lines"
        return f"{done} {plan.diff.path}: {counted}, {size_in_words(len(plan.data))}."

    def require(self, plan: PlannedChange, ctx: ToolContext) -> None:
        if _UNREAD not in plan.concerns or ctx.approved_by_person:
            return
        raise ToolError(
            f"{plan.diff.path} exists, and its present contents were not read whole, so nothing was written. Read all "
            "of it first, or edit the part that should change.",
            code="NotRead",
        )

    def knows_result(self, plan: PlannedChange, known: ReadState) -> bool:
        return True


def write_file_tool(root: RootLike = ".") -> WriteFile:
    """The tool for the folder ``root``, or for a Workspace."""
    return WriteFile(root)


def _replacement(base: Snapshot, content: str, known: ReadState) -> PlannedChange:
    notes: list[str] = []
    notices: list[str] = []
    old = decode(base.data)
    encoding = UTF8
    if old is None:
        notes.append(f"replaces what is not text: {kind_of_bytes(base.data)}, {size_in_words(len(base.data))}")
    else:
        encoding = old.encoding
        if line_ends(old.text) == "CRLF" and "\r" not in content:
            content = content.replace("\n", "\r\n")
            notices.append("Its CRLF line ends were kept.")
    data, encoding_used = _encoded(content, encoding)
    if encoding_used != encoding:
        notes.append(f"encoding changes from {encoding.label} to {encoding_used.label}")
        notices.append(f"Its encoding, {encoding.label}, cannot hold the new text; it is {encoding_used.label} now.")
    elif encoding != UTF8:
        notes.append(f"encoding: {encoding.label}")
    concerns = []
    if base.data and not known.knows_all_of(base.path, base.digest):
        concerns.append(_UNREAD)
    if base.links > 1:
        concerns.append(f"the file has {base.links} names (hard links) and is written in place")
    before = "" if old is None else printable(old.text)
    diff = diff_texts(base.shown, before, content.removeprefix("\ufeff" if encoding.bom else ""), notes=notes)
    return PlannedChange(base, data, diff, (*concerns, *_hidden(content)), tuple(notices))


def _encoded(content: str, encoding: Encoding) -> tuple[bytes, Encoding]:
    text = content.removeprefix("\ufeff") if encoding.bom else content
    try:
        return encoding.bom + text.encode(encoding.codec), encoding
    except UnicodeEncodeError:
        return UTF8.encode(text), UTF8


def _hidden(content: str) -> tuple[str, ...]:
    hidden = hidden_characters(content)
    return (f"hidden characters in the new text: {', '.join(hidden)}",) if hidden else ()
