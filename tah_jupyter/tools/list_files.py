"""list_files: what is in a folder, as a tree, or the files that a glob names."""

import threading
import time
from collections.abc import Callable

import anyio.to_thread
import msgspec
from pydantic import Field

from tah_jupyter.core.approvals import PathSubject
from tah_jupyter.core.calls import Headline
from tah_jupyter.core.errors import ToolError
from tah_jupyter.core.views import Items, Stack, Text, View
from tah_jupyter.host.files.refusal import refusal
from tah_jupyter.host.files.workspace import RootLike, Workspace
from tah_jupyter.host.search.ignore import BadGlob, Glob
from tah_jupyter.host.search.listing import grow, newest
from tah_jupyter.host.search.walk import MAX_DEPTH, Tree
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.tool import Tool, ToolInput, ToolResult

__all__ = ["ListFiles", "ListFilesInput", "Listed", "list_files_tool"]

LIMIT_S = 30.0
"""How long a listing may take in seconds."""


class ListFilesInput(ToolInput):
    """Which folder, and how much of it."""

    path: str = Field(".", description="The folder, relative to the root.")
    glob: str | None = Field(
        None, description='Instead of a tree: files that match, as in "**/*.py", at every depth, newest first.'
    )
    depth: int = Field(2, ge=1, le=MAX_DEPTH, description="How many levels of folders the tree shows.")
    max_entries: int = Field(500, ge=1, le=10_000, description="How many entries to show at most.")
    include_ignored: bool = Field(
        False, description="Also show node_modules, dist, dot files and what .gitignore names."
    )


class Listed(msgspec.Struct, frozen=True):
    """What was listed: ``lines`` of the tree, or paths relative to the root. ``left_out`` counts what there was no
    room for, ``ignored`` the entries the rules left out.
    """

    lines: tuple[str, ...]
    left_out: int
    ignored: int


class ListFiles(Tool[ListFilesInput, Listed]):
    """List the files of a folder."""

    name = "list_files"
    aliases = ("Glob", "LS")
    input_model = ListFilesInput

    def __init__(self, root: RootLike = ".") -> None:
        self.workspace = Workspace.of(root)

    def prompt(self) -> str:
        return (
            "List a folder as a tree with sizes, or with glob find files by name at every depth, newest first. Skips "
            "node_modules, dist, dot files and what .gitignore names; include_ignored shows them."
        )

    def is_concurrency_safe(self, input: ListFilesInput) -> bool:
        return True

    def is_read_only(self, input: ListFilesInput) -> bool:
        return True

    def is_search_or_read(self, input: ListFilesInput) -> bool:
        return True

    def subject(self, input: ListFilesInput, ctx: ToolContext) -> PathSubject:
        return PathSubject("read", self.workspace.locate(input.path))

    def headline(self, input: ListFilesInput) -> Headline:
        folder = input.path if input.path.endswith("/") or input.path == "." else f"{input.path}/"
        return Headline("List", folder, input.glob or "")

    async def execute(self, input: ListFilesInput, ctx: ToolContext) -> ToolResult[Listed]:
        stop = threading.Event()
        try:
            return await anyio.to_thread.run_sync(self._list, input, stop, abandon_on_cancel=True)
        except OSError as error:
            raise refusal(error, input.path) from error
        finally:
            stop.set()

    def _list(self, input: ListFilesInput, stop: threading.Event) -> ToolResult[Listed]:
        try:
            glob = None if input.glob is None else Glob(input.glob)
        except BadGlob as error:
            raise ToolError(f"The glob cannot be used: {error}.", code="BadGlob") from error
        tree = self._tree(input)
        check = _limit(stop, input.path)
        if glob is None:
            top, ignored = grow(tree, depth=input.depth, max_entries=input.max_entries, check=check)
            listed = Listed(tuple(top.drawn()), top.left_out, ignored)
        else:
            paths, total = newest(tree, glob, max_entries=input.max_entries, check=check)
            start = self.workspace.relative(tree.start)
            prefix = "" if start == "." else f"{start}/"
            listed = Listed(tuple(prefix + path for path in paths), total - len(paths), tree.ignored)
        return _result(input, listed, tree)

    def _tree(self, input: ListFilesInput) -> Tree:
        start = self.workspace.resolve_dir(input.path)
        return Tree.at(self.workspace, start, include_ignored=input.include_ignored)


def list_files_tool(root: RootLike = ".") -> ListFiles:
    """The tool for the folder ``root``, or for a Workspace."""
    return ListFiles(root)


def _limit(stop: threading.Event, path: str) -> Callable[[], None]:
    deadline = time.monotonic() + LIMIT_S

    def check() -> None:
        if stop.is_set() or time.monotonic() > deadline:
            raise ToolError(
                f"Listing {path} took longer than {LIMIT_S:.0f} s and was stopped. List a folder further down.",
                code="TimeoutError",
            )

    return check


def _result(input: ListFilesInput, listed: Listed, tree: Tree) -> ToolResult[Listed]:
    notes = []
    shown = listed.lines
    if not shown:
        notes.append("The folder is empty." if input.glob is None else f"No file matches {input.glob!r}.")
    if listed.left_out:
        further = "list a folder further down" if input.glob is None else "narrow the glob"
        notes.append(f"Not shown: {listed.left_out:,} more; raise max_entries or {further}.")
    if listed.ignored:
        entries = "entry" if listed.ignored == 1 else "entries"
        notes.append(
            f"Left out: {listed.ignored:,} {entries} (node_modules, dist, dot files, .gitignore); "
            "include_ignored=true shows them."
        )
    if tree.unreadable:
        notes.append(f"Folders that could not be read: {tree.unreadable:,} (permissions).")
    if tree.too_deep:
        notes.append(f"Folders deeper than {MAX_DEPTH} levels, not entered: {tree.too_deep:,}.")
    said: View = Text("\n".join(notes))
    if shown:
        said = Stack((Items(shown, listed.left_out), said)) if notes else Items(shown)
    return ToolResult(listed, "\n".join([*shown, *([""] if shown and notes else []), *notes]), view=said)
