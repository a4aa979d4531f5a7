"""What a screen reader is told of a run, once each: never streamed text, tokens, cost or a clock."""

from collections.abc import Iterator

from tah_jupyter.ui.cards import spoken_what
from tah_jupyter.ui.figures import duration
from tah_jupyter.ui.phrases import Phrases
from tah_jupyter.ui.run_view import Approval, Ask, RunView
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = ["Speech"]


class Speech:
    """Remembers what has been said of one run."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._phrases = Phrases(words)
        self._heard: dict[str, str] = {}

    def news(self, view: RunView, now: float) -> Iterator[list[str]]:
        """``[kind, words]``, where kind is ``step`` (the newest wins), ``polite`` or ``assertive``."""
        if view.state == "working" and self._hears("run", "working"):
            yield ["polite", self._words.say("spoken_working")]
        item = view.now
        if item is not None and self._hears("item", item.content):
            number = view.todos.index(item) + 1
            text = visible_line(item.content).text
            yield ["step", self._words.say("spoken_step", n=number, total=len(view.todos), item=text)]
        for ask in view.questions:
            if ask.key is None and self._hears(f"question:{ask.question.question_id}", "pending"):
                yield self._question(ask)
        for approval in view.approvals:
            if self._hears(f"approval:{approval.id}", approval.outcome or "pending"):
                yield from self._approval(approval)
        if view.ended_ts is not None and self._hears("run", view.state):
            yield self._ending(view, now)

    def _hears(self, what: str, news: str) -> bool:
        """Whether ``news`` of ``what`` has not been said; "working" is said only at first."""
        if self._heard.get(what) == news or (what == "run" and news == "working" and what in self._heard):
            return False
        self._heard[what] = news
        return True

    def _hint(self) -> str:
        """How to get to a card from the next cell, the first time."""
        return f" {self._words.say('needs_approval_hint')}" if self._hears("hint", "given") else ""

    def _question(self, ask: Ask) -> list[str]:
        title = visible_line(ask.question.title).text
        return ["assertive", self._words.say("needs_answer", title=title) + self._hint()]

    def _approval(self, approval: Approval) -> Iterator[list[str]]:
        if approval.outcome is None:
            what = spoken_what(approval, self._words)
            asked = self._words.say("needs_approval", n=approval.number, total=approval.total, what=what)
            yield ["assertive", asked + self._hint()]
        elif approval.outcome in ("allowed", "denied"):
            yield ["polite", self._words.say(f"spoken_{approval.outcome}")]

    def _ending(self, view: RunView, now: float) -> list[str]:
        if view.state in ("failed", "limit"):
            cause = visible_line(f"{view.error} {view.next_step}".strip()).text
            return ["assertive", self._phrases.because(view, cause)]
        if view.state == "stopped":
            return ["polite", self._words.say("spoken_stopped")]
        seconds = round(view.clock_s(now))
        time = self._words.count("spoken_seconds", seconds) if seconds < 60 else duration(seconds, self._words)
        said = self._words.say("spoken_done", time=time)
        files = sum(change.kind == "file" for change in view.changes)
        return ["polite", f"{said} {self._words.count('files_changed', files)}." if files else said]
