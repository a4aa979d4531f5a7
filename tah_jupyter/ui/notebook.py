"""The frame in the page: a widget whose state is a language and a height; all else travels in messages.

Importing this imports anywidget and ipywidgets, which takes seconds in a cold kernel: only the notebook's side imports
it, when a frame is about to be shown.

From the page, every click with an ``id`` that the kernel acknowledges::

    {type: "hello", page}                                     drawn; ``page`` is new after each reload
    {type: "answer", id, approval, answer: "allow" | "deny", scope: "once" | "run", reason}
    {type: "reply", id, question, key, remember}              a choice of a question
    {type: "note", id, note, text}                            words for the agent; ``note`` is new for each
    {type: "send", id, note}                                  read this queued note now
    {type: "withdraw", id, note}                              take this queued note back
    {type: "end", id, call}                                   end this running call
    {type: "release", id}                                     give the cell back, go on in the background
    {type: "stop", id}

To the pages, all of which hear everything::

    {type: "draw", run, model_id, language, words, …all parts}  everything, after a hello
    {type: "patch", …parts that changed}
    {type: "closed", run, record, speak, keep?}               the run is over; the frame becomes its record
    {type: "ack", id, late}                                   a click arrived; ``late``: there was nothing left to do

The parts:

- ``header`` {state, mark, word, item, to, usage, stops, releases, steps, files, ticks, clock_s, waited_s}: the lines
  around the steps; ``stops`` and ``releases`` say which buttons there are, ``waited_s`` how long a person is asked.
- ``heard`` {ago_s, host} or null: how long ago the model was last heard of; null while it is not its turn.
- ``plan`` {title, spoken, items} or null; ``notes`` {open, queued: [{id, text}]}.
- ``order`` [row keys]; ``rows`` {key: row}: a ``fold`` {title, children, mark}, ``said`` {from, pieces}, ``thought``
  {title, body}, ``step`` {state, mark, title, about, body?, running?, end?} where ``end`` is a call that may be ended,
  or ``note`` {level, text, until?: {before, after, left_s}} with the text on both sides of a countdown.
- ``cards`` [{id, kind, count, spoken}] in order, ``kind`` approval or question; ``bodies`` {id: body} of new ones: an
  approval's {title, what, region, body, because, warning, allow_run, allowable}, or a question's {question, title,
  about, detail, layout, confirm, remember, remembers, choices: [{key, label, about, group, enabled}]}; ``settled``
  {id: {text, by_person, outcome and scope | key}} of those that are gone.
- ``speak`` [[kind, words]].

A question may be drawn before there is a run: the header then names no model, stops and releases nothing.

A body is a list of nodes as :func:`tah_jupyter.ui.nodes.plain` makes them, never HTML. ``keep`` is a mimebundle for
pages that were reloaded: they do not hear what the kernel puts in the frame's place, so the frame writes it into the
notebook, where it finds itself by ``model_id``.
"""

import threading
import time
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

import anywidget
import msgspec
import traitlets

from tah_jupyter.core.approvals import Allow, Deny
from tah_jupyter.core.commands import (
    AddNote,
    AnswerApproval,
    AnswerQuestion,
    EndCall,
    Release,
    SendNote,
    Stop,
    WithdrawNote,
)
from tah_jupyter.core.questions import Reply
from tah_jupyter.ui.cards import allowable
from tah_jupyter.ui.live import Live, ends
from tah_jupyter.ui.nodes import element, plain
from tah_jupyter.ui.page_script import script, style
from tah_jupyter.ui.phrases import RUN_MARKS
from tah_jupyter.ui.record import record
from tah_jupyter.ui.run_view import Approval, RunView
from tah_jupyter.ui.words import Words

__all__ = ["BATCH_S", "Frame", "FromPage", "Hello"]

BATCH_S = 0.05
"""Seconds between two batches: 20 a second leave the page quick, 200 make it lag."""

MAX_CHARS = 10_000
"""Characters of a reason or a note; the page's fields take no more."""


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """A page has drawn the frame and can answer."""

    page: str


class _Answer(msgspec.Struct, frozen=True, tag="answer"):
    id: int
    approval: str
    answer: str
    scope: str = "once"
    reason: str = ""


class _Reply(msgspec.Struct, frozen=True, tag="reply"):
    id: int
    question: str
    key: str
    remember: bool = False


class _Note(msgspec.Struct, frozen=True, tag="note"):
    id: int
    note: Annotated[str, msgspec.Meta(pattern=r"\A[0-9A-Za-z-]{1,64}\Z")]
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_CHARS)]


class _Send(msgspec.Struct, frozen=True, tag="send"):
    id: int
    note: str


class _Withdraw(msgspec.Struct, frozen=True, tag="withdraw"):
    id: int
    note: str


class _End(msgspec.Struct, frozen=True, tag="end"):
    id: int
    call: str


class _Release(msgspec.Struct, frozen=True, tag="release"):
    id: int


class _Stop(msgspec.Struct, frozen=True, tag="stop"):
    id: int


_Click: TypeAlias = _Answer | _Reply | _Note | _Send | _Withdraw | _End | _Release | _Stop

FromPage: TypeAlias = (
    Hello | AnswerApproval | AnswerQuestion | AddNote | SendNote | WithdrawNote | EndCall | Release | Stop
)


class Frame(anywidget.AnyWidget):
    """The view of one run, or of a request that is held until it can run. :meth:`update` belongs to one thread;
    messages from the page may arrive on any.

    ``height`` is in CSS pixels, 0 for the style sheet's own. The frame never sends by itself: the caller sends what
    :meth:`update` returns, from the thread it sends from.
    """

    _esm = script()
    _css = style()
    run = traitlets.Int(0)
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
        """Call ``callback`` with each :class:`Hello` and each command, on whatever thread the page's message arrives
        on. It should hand the command over and wake whoever calls :meth:`update`.
        """
        self._callback = callback

    def update(self, view: RunView, *, now: float | None = None) -> list[dict[str, Any]]:
        """The messages to send now, given the newest picture of the run: at most one draw or patch, and the
        acknowledgements of clicks. Call it every :data:`BATCH_S` while something changes.
        """
        with self._lock:
            acks, self._acks = self._acks, []
            whole, self._whole = self._whole, False
            self._view, self.run = view, view.run
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

    def withdrawn(self) -> list[dict[str, Any]]:
        """The messages to send when the person took a held request back, so that there is no record to turn into."""
        text = f"{RUN_MARKS['stopped']} {self._words.say('stopped')}"
        message: dict[str, Any] = {"type": "closed", "run": 0, "record": plain([element("div", text)]), "speak": []}
        return [message | {"keep": {"text/plain": text}} if self.was_reloaded else message]

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
            message: Hello | _Click = msgspec.convert(content, Hello | _Click)
        except msgspec.ValidationError:
            return None
        with self._lock:
            if isinstance(message, Hello):
                self.pages = (*self.pages, message.page)
                self._whole = True
                return message
            command, late = self._clicked(message, self._view)
            self._acks.append({"type": "ack", "id": message.id, "late": late})
            return command

    def _clicked(self, click: _Click, view: RunView | None) -> tuple[FromPage | None, bool]:
        """What a click says, and whether it is too late: what it was meant for does not wait or run any more."""
        match click:
            case _Stop():
                return Stop(self.run), False
            case _Release():
                return Release(self.run), False
            case _Note():
                return (AddNote(click.note, click.text, self.run), False) if click.text.strip() else (None, False)
            case _Send() | _Withdraw():
                if view is None or click.note not in {note.id for note in view.queued}:
                    return None, True
                return SendNote(click.note) if isinstance(click, _Send) else WithdrawNote(click.note), False
            case _End():
                runs = view is not None and any(step.id == click.call and ends(step) for step in view.steps)
                return (EndCall(click.call), False) if runs else (None, True)
            case _Reply():
                return self._replied(click, view)
            case _Answer():
                return self._answered(click, view)

    def _replied(self, reply: _Reply, view: RunView | None) -> tuple[AnswerQuestion | None, bool]:
        """A reply counts only for a question that waits, and takes only what can be chosen."""
        asked = view.asked if view is not None else ()
        question = next((each for each in asked if each.question_id == reply.question), None)
        if question is None:
            return None, True
        if not question.offers(reply.key):
            return None, False
        remember = reply.remember and bool(question.remember)
        return AnswerQuestion(question.question_id, Reply(reply.key, remember)), False

    def _answered(self, answer: _Answer, view: RunView | None) -> tuple[AnswerApproval | None, bool]:
        """An answer counts only for an approval that waits, and allows only what its card offered."""
        pending = view.pending if view is not None else ()
        approval = next((each for each in pending if each.id == answer.approval), None)
        if approval is None:
            return None, True
        if answer.answer == "deny":
            return AnswerApproval(approval.id, Deny(answer.reason[:MAX_CHARS])), False
        if answer.answer == "allow" and self._offered(approval, answer.scope):
            return AnswerApproval(approval.id, Allow("run" if answer.scope == "run" else "once")), False
        return None, False

    def _offered(self, approval: Approval, scope: str) -> bool:
        if not allowable(approval, self._words):
            return False
        return scope == "once" or (scope == "run" and approval.grant is not None)
