"""The frame in the page: a widget whose state is a number, a language and a height; all else travels in messages.

Importing this imports anywidget and ipywidgets, which takes seconds in a cold kernel: only the notebook's side imports
it, when a frame is about to be shown.

From the page::

    {type: "hello", page}                                     drawn; ``page`` is new after each reload
    {type: "answer", id, approval, answer: "allow" | "deny", scope: "once" | "run", reason}
    {type: "stop", id}

To the pages, all of which hear everything::

    {type: "draw", run, model_id, language, words, …all parts}  everything, after a hello
    {type: "patch", …parts that changed}
    {type: "closed", run, record, speak, keep?}               the run is over; the frame becomes its record
    {type: "ack", id, late}                                   a click arrived; ``late``: it was answered before

The parts: ``header`` {state, mark, word, item, to, usage, ticks, clock_s}; ``plan`` {title, spoken, items} or null;
``order`` [row keys]; ``rows`` {key: row}, where a row is a ``fold`` {title, children, mark}, ``said`` {from, pieces},
``thought`` {title, body}, ``step`` {state, mark, title, about, body?, running?} or ``note`` {level, text}; ``cards``
[{id, count, spoken}] in order; ``bodies`` {id: {title, what, region, body, because, warning, allow_run, allowable}}
of new cards; ``settled`` {id: {outcome, scope, text}} of those that are gone; ``speak`` [[kind, words]]. A body is a
list of nodes as :func:`tah_jupyter.ui.nodes.plain` makes them, never HTML. ``keep`` is a mimebundle for
pages that were reloaded: they do not hear what the kernel puts in the frame's place, so the frame writes it into the
notebook, where it finds itself by ``model_id``.
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import anywidget
import msgspec
import traitlets

from tah_jupyter.core.approvals import Allow, Deny
from tah_jupyter.core.commands import AnswerApproval, Stop
from tah_jupyter.ui.cards import allowable
from tah_jupyter.ui.live import Live
from tah_jupyter.ui.record import record
from tah_jupyter.ui.run_view import Approval, RunView
from tah_jupyter.ui.words import Words

__all__ = ["BATCH_S", "Frame", "FromPage", "Hello"]

BATCH_S = 0.05
"""Seconds between two batches: 20 a second leave the page quick, 200 make it lag."""

MAX_REASON_CHARS = 10_000

_STATIC = Path(__file__).parent / "static"


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """A page has drawn the frame and can answer."""

    page: str


class _Answer(msgspec.Struct, frozen=True, tag="answer"):
    id: int
    approval: str
    answer: str
    scope: str = "once"
    reason: str = ""


class _Stop(msgspec.Struct, frozen=True, tag="stop"):
    id: int


FromPage: TypeAlias = Hello | AnswerApproval | Stop


class Frame(anywidget.AnyWidget):
    """The view of one run. :meth:`update` belongs to one thread; messages from the page may arrive on any.

    ``height`` is in CSS pixels, 0 for the style sheet's own. The frame never sends by itself: the
    caller sends what :meth:`update` returns, from the thread it sends from.
    """

    _esm = _STATIC / "tah.js"
    _css = _STATIC / "tah.css"
    run = traitlets.Int(0).tag(sync=True)
    language = traitlets.Unicode("en").tag(sync=True)
    height = traitlets.Int(0).tag(sync=True)

    def __init__(self, *, run: int, language: str = "en", height: int = 0) -> None:
        super().__init__(run=run, language=language, height=height)
        self._words = Words(language)
        self._live = Live(self._words)
        self._lock = threading.Lock()
        self._acks: list[dict[str, Any]] = []
        self._whole = True
        self._view: RunView | None = None
        self._callback: Callable[[FromPage], None] = lambda command: None
        self.pages: tuple[str, ...] = ()
        self.on_msg(self._received)

    def on_command(self, callback: Callable[[FromPage], None]) -> None:
        """Call ``callback`` with each :class:`Hello`, AnswerApproval and Stop, on whatever thread the page's message
        arrives on. It should hand the command over and wake whoever calls :meth:`update`.
        """
        self._callback = callback

    def update(self, view: RunView, *, now: float | None = None) -> list[dict[str, Any]]:
        """The messages to send now, given the newest picture of the run: at most one draw or patch, and the
        acknowledgements of clicks. Call it every :data:`BATCH_S` while something changes.
        """
        with self._lock:
            acks, self._acks = self._acks, []
            whole, self._whole = self._whole, False
            self._view = view
        message = self._live.message(view, now=time.time() if now is None else now, whole=whole)
        if message is None:
            return acks
        if message["type"] == "draw":
            message["model_id"] = self.model_id
        if message["type"] == "closed" and self.was_reloaded:
            message["keep"] = record(view, language=self._words.language)
        return [*acks, message]

    @property
    def was_reloaded(self) -> bool:
        """Whether more than one page has drawn the frame."""
        return len(set(self.pages)) > 1

    def redraw(self) -> None:
        """Let the next :meth:`update` tell everything, as after a hello."""
        with self._lock:
            self._whole = True

    def _received(self, widget: object, content: object, buffers: object) -> None:
        command = self._understood(content)
        if command is not None:
            self._callback(command)

    def _understood(self, content: object) -> FromPage | None:
        """The command in a page's message, or None for what is not one of ours or comes too late."""
        try:
            message: Hello | _Answer | _Stop = msgspec.convert(content, Hello | _Answer | _Stop)
        except msgspec.ValidationError:
            return None
        with self._lock:
            match message:
                case Hello():
                    self.pages = (*self.pages, message.page)
                    self._whole = True
                    return message
                case _Stop():
                    self._acks.append({"type": "ack", "id": message.id, "late": False})
                    return Stop(self.run)
                case _Answer():
                    return self._answered(message)

    def _answered(self, message: _Answer) -> AnswerApproval | None:
        """An answer counts only for a question that waits, and allows only what its card offered."""
        pending = self._view.pending if self._view is not None else ()
        approval = next((each for each in pending if each.id == message.approval), None)
        self._acks.append({"type": "ack", "id": message.id, "late": approval is None})
        if approval is None:
            return None
        if message.answer == "deny":
            return AnswerApproval(approval.id, Deny(message.reason[:MAX_REASON_CHARS]))
        if message.answer == "allow" and self._offered(approval, message.scope):
            return AnswerApproval(approval.id, Allow("run" if message.scope == "run" else "once"))
        return None

    def _offered(self, approval: Approval, scope: str) -> bool:
        if not allowable(approval, self._words):
            return False
        return scope == "once" or (scope == "run" and approval.grant is not None)
