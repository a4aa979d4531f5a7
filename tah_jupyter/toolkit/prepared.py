"""A call on its way through the pipeline: prepared to run, and settled."""

import hashlib
from collections.abc import Mapping
from typing import Any

import anyio
import msgspec
from pydantic import BaseModel

from tah_jupyter.core.calls import Change, ToolCall
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.arguments import canonical
from tah_jupyter.toolkit.services import HookVote
from tah_jupyter.toolkit.tool import Tool, ToolResult

__all__ = ["Line", "Prepared", "Settled", "digest_of"]


class Settled(msgspec.Struct, frozen=True):
    """The one end of a call. ``text`` is what the model is told; ``error`` the stable name of a failure, else empty.

    ``failed`` is also true for a call that ran and reports failure (a command that exits with 1): siblings care.
    ``stop`` says that the person denied it and wants the run to end.
    """

    call_id: str
    tool: str
    text: str
    error: str = ""
    failed: bool = False
    data: Any = None
    changes: tuple[Change, ...] = ()
    duration_ms: float = 0.0
    stop: bool = False

    @property
    def is_error(self) -> bool:
        """Whether the call ended badly."""
        return bool(self.error)


class Line:
    """A call's place in the line of questions: calls of one message are prepared side by side, asked about in order."""

    __slots__ = ("_ahead", "_left", "_waiting")

    def __init__(self, ahead: "Line | None" = None) -> None:
        self._ahead = ahead
        self._left = False
        self._waiting: anyio.Event | None = None

    async def wait(self) -> None:
        """Until every call before this one has asked, or will not."""
        while (ahead := self._ahead) is not None:
            if not ahead._left:
                ahead._waiting = ahead._waiting or anyio.Event()
                await ahead._waiting.wait()
            self._ahead = ahead._ahead

    def leave(self) -> None:
        """It has asked, or will not: the next may."""
        self._left = True
        if self._waiting is not None:
            self._waiting.set()


class Prepared(msgspec.Struct):
    """A call that may run: its frozen input and its digest, and what a person was shown of it, if one was asked.

    ``vote`` is what hooks said, which counts whenever the call is judged. ``result`` is what the tool returned: from
    then on the work is done, whatever happens. ``settled`` is its end as soon as it has one, also when running it was
    cancelled.
    """

    call: ToolCall
    tool: Tool[Any, Any]
    input: Any
    digest: str
    ctx: ToolContext
    vote: HookVote | None = None
    line: Line = msgspec.field(default_factory=Line)
    fingerprint: str = ""
    shown: bool = False
    started: float = 0.0
    result: ToolResult[Any] | None = None
    settled: Settled | None = None

    @property
    def returned(self) -> ToolResult[Any]:
        """The result of a tool that has returned."""
        assert self.result is not None
        return self.result

    @property
    def reports_failure(self) -> bool:
        """Whether the tool ran and its result says no, like a command that exits with 1."""
        return self.result is not None and bool(getattr(self.result.data, "failed", False))


def digest_of(input: object) -> str:
    """SHA-256 of the canonical JSON of a final input, defaults included: what an approval is bound to."""
    if isinstance(input, BaseModel):
        plain: object = input.model_dump(mode="json")
    else:
        plain = dict(input) if isinstance(input, Mapping) else input
    return hashlib.sha256(canonical(plain)).hexdigest()
