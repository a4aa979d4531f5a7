"""The lines around the steps of a living run: its state, its plan, what waits to be read, how long it is silent."""

from typing import Any, TypeAlias

from tah_jupyter.ui.figures import is_this_machine, tokens
from tah_jupyter.ui.paint import MARKS
from tah_jupyter.ui.phrases import RUN_MARKS, Phrases, is_step
from tah_jupyter.ui.run_view import RunView, Said, Step
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = ["RUNNING_FIGURES", "Status"]

Json: TypeAlias = dict[str, Any]

RUNNING_FIGURES = frozenset({"clock_s", "waited_s"})
"""What of a header the page goes on counting by itself: its change is no news."""


class Status:
    """The lines in one language. ``now`` is seconds since the epoch."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._phrases = Phrases(words)

    def header(self, view: RunView, now: float) -> Json:
        """State, clock and figures of the first lines and the last."""
        begun = _has_begun(view)
        return {
            "run": view.run,
            "state": view.state,
            "mark": RUN_MARKS[view.state],
            "word": self._words.say(view.state),
            "item": self._item(view) if view.state == "working" else "",
            "to": self._phrases.destination(view),
            "usage": self._phrases.usage(view),
            "stops": begun,
            "releases": begun and not view.background,
            "steps": sum(map(is_step, view.blocks)),
            "files": sum(change.kind == "file" for change in view.changes),
            "ticks": view.waiting_since is None and view.state == "working",
            "clock_s": round(view.clock_s(now), 2),
            "waited_s": None if view.waiting_since is None else round(max(0.0, now - view.waiting_since), 2),
        }

    def _item(self, view: RunView) -> str:
        """What is done now: the plan's item, or at first that the request is on its way."""
        if view.now is not None:
            return visible_line(view.now.content).text
        answered = any(
            isinstance(block, Step) or (isinstance(block, Said) and _is_told(block)) for block in view.blocks
        )
        if answered or view.quiet_since is None or not view.host:
            return ""
        if not view.sent_tokens:
            return self._words.say("sending_to", host=self._host(view))
        return self._words.say("sending_tokens", tokens=tokens(view.sent_tokens), host=self._host(view))

    def _host(self, view: RunView) -> str:
        return self._words.say("this_machine") if is_this_machine(view.host) else visible_line(view.host).text

    def silence(self, view: RunView, now: float) -> Json | None:
        """How long ago the model was last heard of, and where; None while it is not its turn."""
        if view.quiet_since is None:
            return None
        host = self._host(view) if view.host else visible_line(view.model).text
        return {"ago_s": round(max(0.0, now - view.quiet_since), 2), "host": host}

    def notes(self, view: RunView) -> Json:
        """Whether notes are taken, and those that wait to be read."""
        queued = [{"id": note.id, "text": visible_line(note.text).text} for note in view.queued]
        return {"open": _has_begun(view), "queued": queued}

    def plan(self, view: RunView) -> Json | None:
        """The to-do list, None when there is none."""
        if not view.todos:
            return None
        keys = {"pending": "item_open", "in_progress": "item_now", "completed": "item_done"}
        items = []
        for todo in view.todos:
            text = visible_line(todo.content).text
            said = self._words.say(keys[todo.status], item=text)
            items.append({"mark": MARKS[todo.status], "text": text, "spoken": said, "status": todo.status})
        done = sum(todo.status == "completed" for todo in view.todos)
        spoken = self._words.say("plan_spoken", done=done, n=len(view.todos))
        return {"title": self._phrases.plan(view), "spoken": spoken, "items": items}


def _has_begun(view: RunView) -> bool:
    """Whether there is a run already, and not only a request that is held: that has the number 0."""
    return view.run > 0


def _is_told(said: Said) -> bool:
    return bool(said.text.strip() or said.thinking.strip())
