"""grep: find lines, or files, that a regular expression matches."""

from difflib import get_close_matches
from typing import Literal

import anyio.to_thread
import msgspec
from pydantic import Field

from tah_jupyter.core.approvals import PathSubject
from tah_jupyter.core.calls import Headline
from tah_jupyter.core.errors import ToolError
from tah_jupyter.core.views import Items, Stack, Text, View
from tah_jupyter.host.files.confine import NotRegular
from tah_jupyter.host.files.refusal import refusal
from tah_jupyter.host.files.workspace import RootLike, Workspace
from tah_jupyter.host.search.file_types import FILE_TYPES
from tah_jupyter.host.search.find import LIMIT_S, FileHits, Found, Query, find
from tah_jupyter.host.search.ignore import BadGlob, Glob
from tah_jupyter.host.search.regex import BadPattern, Pattern, compile_pattern
from tah_jupyter.host.search.ripgrep import find_program
from tah_jupyter.host.search.scan import MAX_WHOLE_BYTES, Line
from tah_jupyter.host.search.walk import Tree
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.tool import Tool, ToolInput, ToolResult

__all__ = ["Grep", "GrepInput", "GrepResult", "grep_tool"]

MAX_BYTES = 40_000
"""How much of the lines found one page holds, in bytes of UTF-8."""

MAX_LINE_CHARS = 300
"""A longer line is cut to this many characters around the match."""

_HEADLINE_CHARS = 80


class GrepInput(ToolInput):
    """What to look for, where, and how to show it."""

    pattern: str = Field(
        min_length=1,
        description="Regular expression in RE2 syntax: no look-around, no backreferences. It is matched line by line.",
    )
    path: str = Field(".", description="The folder or file to search, relative to the root.")
    glob: str | None = Field(
        None, description='Only files that match, as in "*.py" (at every depth), "src/**/*.{js,ts}" or "!*.min.js".'
    )
    type: str | None = Field(None, description='Only files of this type, as in "py", "js", "md".')
    output: Literal["content", "files", "count"] = Field(
        "content", description="content: matching lines; files: paths only; count: paths with the number of matches."
    )
    context: int = Field(0, ge=0, le=50, description="Lines to show before and after each match.")
    ignore_case: bool = Field(False, description="Whether upper and lower case are the same.")
    multiline: bool = Field(
        False, description="Whether the pattern may match across lines; (?s) lets . match line ends."
    )
    max_results: int = Field(200, ge=1, le=5000, description="How many matching lines, or files, to give at most.")
    offset: int = Field(0, ge=0, description="How many results to pass over: the next page of an earlier search.")


class GrepResult(msgspec.Struct, frozen=True):
    """One page of results in order of path. Paths are relative to the root; ``next_offset`` is None on the last page;
    ``complete`` is false when the search ran out of time or could not read everything.
    """

    files: tuple[FileHits, ...]
    next_offset: int | None
    complete: bool


class Grep(Tool[GrepInput, GrepResult]):
    """Search the contents of files."""

    name = "grep"
    aliases = ("Grep",)
    input_model = GrepInput
    max_result_chars = MAX_BYTES + 10_000  # a page says itself where it ends

    def __init__(self, root: RootLike = ".") -> None:
        self.workspace = Workspace.of(root)

    def prompt(self) -> str:
        return (
            "Search the contents of files by a regular expression (RE2 syntax: no look-around, no backreferences; "
            r"\b knows ASCII letters only). Shows path:line:text, or with output only the files or counts. Skips "
            "node_modules, dist, dot files and what .gitignore names, unless path leads there, and binary files. Files "
            "that are neither UTF-8 nor marked UTF-16 are searched for ASCII only."
        )

    def is_concurrency_safe(self, input: GrepInput) -> bool:
        return True

    def is_read_only(self, input: GrepInput) -> bool:
        return True

    def is_search_or_read(self, input: GrepInput) -> bool:
        return True

    def subject(self, input: GrepInput, ctx: ToolContext) -> PathSubject:
        return PathSubject("read", self.workspace.locate(input.path))

    def headline(self, input: GrepInput) -> Headline:
        where = "" if input.path == "." else f"in {input.path}"
        return Headline("Search", f'"{input.pattern[:_HEADLINE_CHARS]}"', where)

    async def execute(self, input: GrepInput, ctx: ToolContext) -> ToolResult[GrepResult]:
        query, program = await anyio.to_thread.run_sync(self._prepare, input)
        try:
            found = await find(query, program=program)
        except NotRegular as error:
            raise ToolError(
                f"{input.path} is a {error.kind}; only regular files are searched.", code="NotRegular"
            ) from error
        except OSError as error:
            raise refusal(error, input.path) from error
        return _result(input, found, self.workspace.relative(query.tree.start), query.pattern)

    def _prepare(self, input: GrepInput) -> tuple[Query, str | None]:
        tree, file = self._where(input.path)
        query = Query(
            tree=tree,
            file=file,
            pattern=_pattern(input),
            output=input.output,
            filters=_filters(input),
            context=input.context if input.output == "content" else 0,
            offset=input.offset,
            max_results=input.max_results,
            max_bytes=MAX_BYTES,
            width=MAX_LINE_CHARS,
        )
        return query, find_program(self.workspace.root)

    def _where(self, path: str) -> tuple[Tree, str | None]:
        found, is_folder = self.workspace.look_up(path)
        if is_folder:
            return Tree.at(self.workspace, found), None
        return Tree.at(self.workspace, found.parent), found.name


def grep_tool(root: RootLike = ".") -> Grep:
    """The tool for the folder ``root``, or for a Workspace."""
    return Grep(root)


def _pattern(input: GrepInput) -> Pattern:
    try:
        return compile_pattern(input.pattern, ignore_case=input.ignore_case, multiline=input.multiline)
    except BadPattern as error:
        place = f" at character {error.at}" if error.at else ""
        raise ToolError(
            f"The pattern cannot be searched for{place}: {error}. Nothing was searched.", code="BadPattern"
        ) from error


def _filters(input: GrepInput) -> tuple[Glob, ...]:
    globs = [] if input.glob is None else [input.glob]
    if input.type is not None:
        if input.type not in FILE_TYPES:
            close = get_close_matches(input.type, FILE_TYPES, n=3) or sorted(FILE_TYPES)
            raise ToolError(f"There is no type {input.type!r}. Types: {', '.join(close)}. Or use glob.", code="BadType")
        globs.append(FILE_TYPES[input.type])
    try:
        return tuple(Glob(glob) for glob in globs)
    except BadGlob as error:
        raise ToolError(f"{error}.".capitalize(), code="BadGlob") from error


def _result(input: GrepInput, found: Found, start: str, pattern: Pattern) -> ToolResult[GrepResult]:
    prefix = "" if start == "." else f"{start}/"
    files = tuple(FileHits(prefix + file.path, file.count, file.hits) for file in found.files)
    lines = [line for file in files for line in _shown(file, input)]
    notes = _notes(input, found)
    if pattern.ascii_only:
        notes.append("The pattern is so large that its \\w, \\d and \\s know only ASCII here.")
    complete = not (found.out_of_time or found.unreadable or found.too_large)
    data = GrepResult(files, input.offset + found.taken if found.more else None, complete)
    view: View = Text("\n".join(notes))
    if lines:
        view = Stack((Items(tuple(lines)), view)) if notes else Items(tuple(lines))
    return ToolResult(data, "\n".join([*lines, *([""] if lines and notes else []), *notes]), view=view)


def _shown(file: FileHits, input: GrepInput) -> list[str]:
    if input.output == "files":
        return [file.path]
    if input.output == "count":
        return [f"{file.path}:{file.count}"]
    lines: dict[int, Line] = {}
    more: dict[int, int] = {}
    for hit in file.hits:
        for line in hit.lines:
            if line.is_match or line.number not in lines:
                lines[line.number] = line
        if hit.more:
            more[hit.lines[-1].number] = hit.more
    shown = []
    last = 0
    for number in sorted(lines):
        if input.context and last and number > last + 1:
            shown.append("--")
        shown.append(_line(file.path, lines[number]))
        if number in more:
            shown.append(f"[{more[number]:,} more lines of this match]")
        last = number
    return shown


def _line(path: str, line: Line) -> str:
    mark = ":" if line.is_match else "-"
    cut = f" [{line.cut:,} characters of this line not shown]" if line.cut else ""
    return f"{path}{mark}{line.number}{mark}{line.text}{cut}"


def _notes(input: GrepInput, found: Found) -> list[str]:
    notes = []
    if found.binary:
        notes.append(f"{input.path} is a binary file, which is not searched; use a program that reads its kind.")
    elif not found.taken:
        notes.append(_nothing(input))
    if found.more:
        notes.append(f"There are more results; go on with offset={input.offset + found.taken}.")
    if found.out_of_time:
        notes.append(f"Stopped after {LIMIT_S:.0f} s, so results may be missing. Narrow path, glob or type.")
    if found.unreadable:
        notes.append("Some files or folders could not be read (permissions).")
    if found.too_large:
        size = f"{MAX_WHOLE_BYTES >> 20} MiB"
        notes.append(f"Not searched, as they are over {size}, too large for multiline: {', '.join(found.too_large)}.")
    return notes


def _nothing(input: GrepInput) -> str:
    if input.offset:
        return f"No results from offset {input.offset} on."
    where = "" if input.path == "." else f" in {input.path}"
    kinds = [f"match {input.glob!r}"] if input.glob is not None else []
    kinds += [f"are of type {input.type}"] if input.type is not None else []
    files = f", in files that {' and '.join(kinds)}" if kinds else ""
    said = f"No matches for {input.pattern[:_HEADLINE_CHARS]!r}{where}{files}."
    if "\\|" in input.pattern:
        said += " In this pattern \\| is the character; alternatives are written a|b."
    if "\\<" in input.pattern or "\\>" in input.pattern:
        said += " In this pattern \\< and \\> are the characters; the edge of a word is \\b."
    if not input.pattern.isascii() and ("\\b" in input.pattern or "\\B" in input.pattern):
        said += " \\b knows ASCII letters only; leave it out beside other letters."
    return said
