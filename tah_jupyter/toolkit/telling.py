"""What the model is told of a result: no more than the tool's limit, and what hooks make of it.

Nothing here can undo a call that is done: where the whole of a result cannot be kept, or a hook breaks, a notice says
so and the result stands.
"""

from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from tah_jupyter.core.errors import LogError
from tah_jupyter.core.events import Notice
from tah_jupyter.runtime.service import Services
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.limits import head_and_tail
from tah_jupyter.toolkit.prepared import Prepared
from tah_jupyter.toolkit.services import CALL_HOOKS, RESULTS
from tah_jupyter.toolkit.tool import Tool

__all__ = ["Telling", "shortened"]


class Telling:
    """Limit, hooks, and limit again, for a call whose tool has returned."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._offered: set[tuple[int, str]] = set()

    def offer(self, text: str, ctx: ToolContext) -> None:
        """Tell the person what they could do about a failure, once a run however often it happens."""
        once = (ctx.emitter.run, text)
        if text and once not in self._offered:
            self._offered.add(once)
            ctx.emitter.emit(Notice(text=text, code="offer"))

    async def told(self, prepared: Prepared) -> tuple[str, str]:
        """What the model is told, and the path of the file that holds the whole of it, if one was needed."""
        text, spilled = await self._limited(prepared, prepared.returned.text)
        hooks = self._services.try_get(CALL_HOOKS)
        if hooks is None:
            return text, spilled
        tool, args, failed = prepared.tool, prepared.call.args, prepared.reports_failure
        try:
            text, again = await self._limited(prepared, await hooks.after(tool, args, text, failed, prepared.ctx))
        except Exception as error:  # such a hook guards nothing
            _warn(prepared, f"A hook after {tool.name} failed ({type(error).__name__}: {error}); its result stands.")
            return text, spilled
        return text, spilled or again

    async def _limited(self, prepared: Prepared, text: str) -> tuple[str, str]:
        if len(text) <= prepared.tool.max_result_chars:
            return text, ""
        whole = await self._kept_whole(prepared, text)
        return shortened(prepared.tool, text, whole), str(whole or "")

    async def _kept_whole(self, prepared: Prepared, text: str) -> Path | None:
        store = self._services.try_get(RESULTS)
        if store is None:
            return None
        path: Path | None = None
        with anyio.CancelScope(shield=True):  # an interrupt must not lose what is there already
            try:
                path = await anyio.to_thread.run_sync(store.spill, prepared.call.call_id, text)
            except (LogError, OSError) as error:
                _warn(prepared, str(error))
        return path


def shortened(tool: Tool[Any, Any], text: str, whole: Path | None = None) -> str:
    """``text`` within the limit of ``tool``; ``whole`` is the file that has all of it."""
    return text if len(text) <= tool.max_result_chars else head_and_tail(text, tool.max_result_chars, whole)


def _warn(prepared: Prepared, text: str) -> None:
    prepared.ctx.emitter.emit(Notice(text=text, level="warning", code="result"))
