"""How a cell ends: what it leaves in ``_``, or the one line it fails with (experience, section B9)."""

from collections.abc import Callable
from typing import Any, TypeVar

from tah_jupyter.core.calls import Headline
from tah_jupyter.core.errors import TahError
from tah_jupyter.core.events import ApprovalAnswered
from tah_jupyter.jupyter.printing import sayable, tell
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = ["Outcome", "Withdrawn", "failed", "failure_line", "failure_of", "stopped", "unanswered"]

E = TypeVar("E", bound=BaseException)

_ENGLISH = Words("en")

_PARTS = ("text", "changes", "todos", "usage", "cost", "events", "session_id")


class Withdrawn(Exception):
    """The person took the request back while it was kept: no run began."""


class Outcome:
    """The result of a run as the cell's value: everything of the result. ``in_own_cell`` says whether that cell still
    runs: there it shows nothing, because the run is shown already; anywhere else it says what it has.
    """

    def __init__(self, result: Any, in_own_cell: Callable[[], bool], words: Words = _ENGLISH) -> None:
        self._result = result
        self._words = words
        self._in_own_cell = in_own_cell

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._result, name)

    def __dir__(self) -> list[str]:
        return [name for name in dir(self._result) if not name.startswith("_")]

    def __repr__(self) -> str:
        result, parts = self._result, ", ".join(_PARTS)
        return self._words.say("result", n=result.run, reason=result.stop_reason, parts=parts)

    def _ipython_display_(self) -> None:
        if not self._in_own_cell():
            tell(repr(self))


def stopped(during: Headline | None, words: Words = _ENGLISH, *, settled: bool = True) -> KeyboardInterrupt:
    """The end by Stop or interrupt, so that queued cells do not run either."""
    line = words.say("stopped")
    if during is not None:
        line = words.say("stopped_during", what=visible_line(words.headline(during)).text)
    if not settled:
        line += f" · {words.say('still_ending')}"
    return _one_line(KeyboardInterrupt(line), f"■ {line}")


def failed(error: TahError, words: Words = _ENGLISH) -> TahError:
    """The same error, shown as one line instead of a traceback."""
    return _one_line(error, failure_line(error, words))


def failure_line(error: TahError, words: Words = _ENGLISH) -> str:
    """The line that tells of it."""
    parts = (words.told(part) for part in (error.message, error.next_step) if part)
    cause = " ".join(" ".join(parts).split())
    return f"✕ {words.say('failed_because', cause=cause)}"


def failure_of(result: Any) -> TahError | None:
    """What a run that ended by itself failed with; None when it did not."""
    if result.stop_reason == "end_turn":
        return None
    return TahError(result.error or result.stop_reason, next_step=result.next_step)


def unanswered(result: Any) -> int:
    """How many calls were denied because nobody could answer."""
    return sum(isinstance(event, ApprovalAnswered) and event.outcome == "unanswered" for event in result.events)


def _one_line(error: E, line: str) -> E:
    """Let IPython show ``line`` where it would show a traceback; the type stays, so that code can still catch it."""
    error._render_traceback_ = lambda *_: [sayable(line)]  # type: ignore[attr-defined]
    return error
