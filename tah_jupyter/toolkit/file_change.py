"""What all tools that change one file have in common: the subject, the grant, the card, and the one safe step.

Such a tool says what it would do (:meth:`FileChangeTool.plan`) and in which words it tells the model. The card and the
run both plan anew, and the run writes only over the very bytes its plan was made for.
"""

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, Protocol, TypeVar

import anyio.to_thread
import msgspec

from tah_jupyter.core.approvals import Grant, PathSubject, Preview
from tah_jupyter.core.calls import Change, Headline
from tah_jupyter.core.views import Diff
from tah_jupyter.host.files.read_state import ReadState, Seen
from tah_jupyter.host.files.workspace import ABSENT, RootLike, Snapshot, Workspace, digest_of
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.tool import Tool, ToolResult

__all__ = ["FileChangeTool", "FileChanged", "PlannedChange"]


class HasPath(Protocol):
    """An input that names one file."""

    @property
    def path(self) -> str: ...


I = TypeVar("I", bound=HasPath)  # noqa: E741 - Input, as in Tool[I, O]


class PlannedChange(msgspec.Struct, frozen=True):
    """New bytes for a file. ``base`` is what they replace (None: the file is new), ``diff`` shows the change.

    ``concerns`` are for the person, worst first; ``notices`` are sentences for the model's result.
    """

    base: Snapshot | None
    data: bytes
    diff: Diff
    concerns: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


class FileChanged(msgspec.Struct, frozen=True):
    """The outcome: the path as it is named to people, whether the file was made, and the lines that changed."""

    path: str
    created: bool
    added: int
    removed: int


class FileChangeTool(Tool[I, FileChanged], ABC, Generic[I]):
    """A tool that changes one file of a workspace. A cancelled call finishes its atomic step first."""

    capability = "coding"
    interrupt_behavior = "block"
    verb: ClassVar[str]

    def __init__(self, root: RootLike = ".") -> None:
        self.workspace = Workspace.of(root)

    @abstractmethod
    def plan(self, input: I, known: ReadState) -> PlannedChange:
        """What the call would do now; reads, changes nothing, blocks. Raises ToolError when it cannot be done."""

    @abstractmethod
    def report(self, input: I, plan: PlannedChange) -> str:
        """The result's first sentence, for the model."""

    def require(self, plan: PlannedChange, ctx: ToolContext) -> None:
        """Raise ToolError when the planned change needs more than it has. Called just before writing."""

    def subject(self, input: I, ctx: ToolContext) -> PathSubject:
        return PathSubject("edit", self.workspace.locate(input.path))

    def grant(self, input: I, ctx: ToolContext) -> Grant:
        folder = self.workspace.locate(input.path).rpartition("/")[0]
        label = f"edits in {folder}/" if folder else "edits in this folder"
        return Grant(label=label, covers=PathSubject("edit", folder or "."))

    def headline(self, input: I) -> Headline:
        return Headline(self.verb, input.path)

    async def preview(self, input: I, ctx: ToolContext) -> Preview:
        plan = await anyio.to_thread.run_sync(self.plan, input, ctx.read_state)
        return Preview(
            view=plan.diff,
            fingerprint=_digest(plan.base),
            headline=Headline(self.verb, plan.diff.path, f"+{plan.diff.added} −{plan.diff.removed}"),
            concerns=plan.concerns,
        )

    async def execute(self, input: I, ctx: ToolContext) -> ToolResult[FileChanged]:
        return await anyio.to_thread.run_sync(self._change, input, ctx)

    def _change(self, input: I, ctx: ToolContext) -> ToolResult[FileChanged]:
        plan = self.plan(input, ctx.read_state)
        diff = plan.diff
        if plan.base is not None and plan.base.data == plan.data:
            return ToolResult(
                FileChanged(diff.path, created=False, added=0, removed=0),
                f"{diff.path} has these contents already; nothing was written.",
                view=diff,
            )
        self.require(plan, ctx)
        written = self.workspace.write(input.path, plan.data, base=plan.base)
        ctx.read_state.put(written.path, Seen(digest_of(plan.data), whole=self.knows_result(plan, ctx.read_state)))
        return ToolResult(
            FileChanged(written.shown, created=written.created, added=diff.added, removed=diff.removed),
            " ".join((self.report(input, plan), *plan.notices, *written.notices)),
            view=diff,
            changes=(
                Change(
                    written.shown,
                    action="created" if written.created else "modified",
                    added=diff.added,
                    removed=diff.removed,
                ),
            ),
        )

    def knows_result(self, plan: PlannedChange, known: ReadState) -> bool:
        """Whether the model knows every byte of what was written: what it knew whole, and changed, it knows whole."""
        return plan.base is None or known.knows_all_of(plan.base.path, plan.base.digest)


def _digest(base: Snapshot | None) -> str:
    return ABSENT if base is None else base.digest
