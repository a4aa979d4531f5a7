"""From fragments of tool calls to sealed calls: as early as it is safe, and always in call order.

Servers differ in how they say which call a fragment belongs to: by index (OpenAI), by a new id under the same index
(Ollama, some gateways), or by nothing but the name that a new call starts with. A call that was given away runs at
once, so wherever a fragment could still change it, it is kept.
"""

import re
from collections.abc import Iterable

import msgspec

from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.messages import CallFinished
from tah_jupyter.models.chat.chunks import Fragment
from tah_jupyter.models.chat.surrogates import mend

__all__ = ["CallAssembler"]

_STRUCTURE = re.compile(r'["{}]|\\.', re.DOTALL)
_UNREADABLE = object()


class _Call:
    """One call while it comes in. ``complete`` says that its text is one JSON object, ``blank`` that it is ``{}``,
    ``given`` that it was given away."""

    def __init__(self, index: int | None, call_id: str) -> None:
        self.index = index
        self.call_id = call_id
        self.tool = ""
        self.complete = False
        self.blank = False
        self.given = False
        self.pieces: list[str] = []
        self._scanned = 0
        self._depth = 0
        self._in_string = False

    @property
    def text(self) -> str:
        return mend("".join(self.pieces))

    def add(self, text: str) -> None:
        """Take the next piece of argument text. Linear over the call's life: quotes and braces are counted once, and
        only a text whose braces close is parsed.
        """
        self.pieces.append(text)
        if not text.endswith("}"):
            self.complete = self.complete and not text.strip()
            return
        self._scan("".join(self.pieces[self._scanned :]))
        self._scanned = len(self.pieces)
        value = _parsed(self.text) if self._depth == 0 and not self._in_string else _UNREADABLE
        self.complete, self.blank = isinstance(value, dict), value == {}

    def _scan(self, fresh: str) -> None:
        for match in _STRUCTURE.finditer(fresh):
            mark = match.group()
            if mark == '"':
                self._in_string = not self._in_string
            elif not self._in_string and mark in "{}":
                self._depth += 1 if mark == "{" else -1


class CallAssembler:
    """Collects the calls of one message. ``index`` of a sealed call is its place in the message, from 0."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._given = 0

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, fragments: Iterable[Fragment]) -> list[CallFinished]:
        """The calls that ``fragments`` complete. Raises ModelError (``protocol``) when text follows a call that was
        already given away.
        """
        for fragment in fragments:
            function = fragment.function
            name = function.name if function and isinstance(function.name, str) else ""
            text = _argument_text(function.arguments) if function else ""
            call = self._call_of(fragment, name, text)
            self._extend(call, name, text)
        return self._take_ready()

    def finish(self, *, whole: bool) -> list[CallFinished]:
        """The calls that are left. In a message that is not ``whole``, those that are not complete are truncated."""
        rest = self._calls[self._given :]
        return [
            self._seal(call, truncated=not whole and (not call.complete or (call.blank and call is rest[-1])))
            for call in rest
        ]

    def _call_of(self, fragment: Fragment, name: str, text: str) -> _Call:
        index = fragment.index if type(fragment.index) is int else None
        call_id = fragment.id if isinstance(fragment.id, str) else ""
        open_call = self._latest(index)
        if open_call is None or _starts_anew(open_call, index, call_id, name, text):
            open_call = _Call(index, call_id)
            self._calls.append(open_call)
        open_call.call_id = open_call.call_id or call_id
        return open_call

    def _latest(self, index: int | None) -> _Call | None:
        for call in reversed(self._calls):
            if index is None or call.index == index:
                return call
        return None

    def _extend(self, call: _Call, name: str, text: str) -> None:
        if name and name != call.tool and not call.pieces:
            call.tool += name
        if not text or (call.complete and text == call.text):  # said again as a whole, by some servers at the end
            return
        if call.given and text.strip():
            raise ModelError(
                f"The provider went on with the arguments of {call.tool} after they were complete.",
                kind="protocol",
                next_step="Run the cell again, or choose another model.",
            )
        call.add(text)

    def _take_ready(self) -> list[CallFinished]:
        ready: list[CallFinished] = []
        while self._given < len(self._calls):
            call = self._calls[self._given]
            following = self._calls[self._given + 1] if self._given + 1 < len(self._calls) else None
            # Some servers write {} first and the arguments after it, some go on with a call after they began the next:
            # {} waits for what follows, and "" for the end.
            if not call.complete or (call.blank and following is None):
                break
            ready.append(self._seal(call))
        return ready

    def _seal(self, call: _Call, *, truncated: bool = False) -> CallFinished:
        call.given = True
        index, self._given = self._given, self._given + 1
        return CallFinished(index, call.tool, call.text, call.call_id, truncated)


def _starts_anew(call: _Call, index: int | None, call_id: str, name: str, text: str) -> bool:
    """Whether a fragment begins a new call rather than going on with ``call``, the latest that it could belong to."""
    if call_id and call_id != call.call_id:
        return bool(call.call_id) or call.complete
    if not name:
        return False
    if index is None and not call_id:
        return call.complete or name != call.tool
    return call.complete and not call.blank and text.startswith("{") and text != call.text


def _argument_text(arguments: object) -> str:
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else msgspec.json.encode(arguments).decode()


def _parsed(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return _UNREADABLE
