"""What a page must be told of a run: everything once, afterwards only what changed. Plain JSON, no widget here.

A message is made from the newest picture and from what was told before. Snapshots of untouched blocks are the very same
objects, so only what really changed is looked at; text is parsed from its last settled block on.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any, TypeAlias

from tah_jupyter.core.views import Plan, Text
from tah_jupyter.ui.cards import card_body, card_head, settled, spoken_what
from tah_jupyter.ui.figures import clock, duration
from tah_jupyter.ui.html import RESULT_LINES, record
from tah_jupyter.ui.markdown import MarkdownStream
from tah_jupyter.ui.nodes import plain
from tah_jupyter.ui.paint import MARKS, Painter
from tah_jupyter.ui.phrases import CALL_MARKS, RUN_MARKS, Phrases, mark, parts_of
from tah_jupyter.ui.run_view import Approval, Block, Group, Note, RunView, Said, Step
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = ["TAIL_LINES", "Live"]

Json: TypeAlias = dict[str, Any]

TAIL_LINES = 8
"""Lines of a running command's output in the frame."""

TAIL_LINE_CHARS = 500

_PAGE_WORDS = (
    *("allow_once", "allow_once_what", "allow_run", "approve_title", "chip", "clock_stopped", "crashed", "deny"),
    *("deny_what", "deny_why", "deny_why_what", "elsewhere", "frame", "go_on", "instead", "kernel_silent", "newer"),
    *("newer_spoken", "next_approval", "of_time", "previous_approval", "run", "sending", "shorter", "show"),
    *("spoken_seconds", "steps", "stop", "stop_run", "taller"),
)


class Live:
    """One frame's memory of what it has told its pages."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._phrases = Phrases(words)
        self._sources: dict[str, Block] = {}
        self._streams: dict[str, MarkdownStream] = {}
        self._streamed: dict[str, str] = {}
        self._told: Json = {}
        self._rows: dict[str, Json] = {}
        self._asked: dict[str, bool] = {}
        self._heard: dict[str, str] = {}
        self._now = 0.0

    def message(self, view: RunView, *, now: float, whole: bool = False) -> Json | None:
        """The next message for the pages, or None when there is nothing new. ``whole`` tells everything, for a page
        that knows nothing yet; ``now`` is seconds since the epoch.
        """
        self._now = now
        spoken = list(self._speech(view))
        if view.ended_ts is not None:
            return self._closed(view, spoken, whole)
        order, rows = self._layout(view, whole)
        parts: Json = {"header": self._header(view), "plan": self._plan(view), "order": order}
        parts["cards"] = [card_head(approval, self._words) for approval in view.pending]
        message = {key: value for key, value in parts.items() if self._is_news(key, value) or whole}
        message |= {"rows": rows} if rows else {}
        message |= self._cards(view, whole)
        message |= {"speak": spoken} if spoken else {}
        if whole:
            page = self._words.templates(*_PAGE_WORDS)
            return {"type": "draw", "run": view.run, "language": self._words.language, "words": page, **message}
        return {"type": "patch", **message} if message else None

    def _is_news(self, key: str, value: Any) -> bool:
        """Whether a part differs from what was told. The clock runs by itself in the page and is no news."""
        seen = {k: v for k, v in value.items() if k != "clock_s"} if key == "header" else value
        if key in self._told and self._told[key] == seen:
            return False
        self._told[key] = seen
        return True

    def _closed(self, view: RunView, spoken: list[list[str]], whole: bool) -> Json | None:
        if self._told.get("closed") and not whole:
            return None
        self._told["closed"] = True
        return {"type": "closed", "run": view.run, "record": plain([record(view, self._words)]), "speak": spoken}

    def _header(self, view: RunView) -> Json:
        item = visible_line(view.now.content).text if view.now is not None else ""
        return {
            "state": view.state,
            "mark": RUN_MARKS[view.state],
            "word": self._words.say(view.state),
            "item": item if view.state == "working" else "",
            "to": self._phrases.destination(view),
            "usage": self._phrases.usage(view),
            "ticks": view.waiting_since is None,
            "clock_s": round(view.clock_s(self._now), 2),
        }

    def _plan(self, view: RunView) -> Json | None:
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

    def _layout(self, view: RunView, whole: bool) -> tuple[list[str], dict[str, Json]]:
        """The keys of the rows in order, and the rows that are news."""
        order: list[str] = []
        rows: dict[str, Json] = {}
        groups = view.groups
        for group in groups:
            keys = list(self._group(group, rows, whole))
            if group.finished and group is not groups[-1] and keys:
                key = f"item:{group.blocks[0].id}"
                self._put(rows, key, {"kind": "fold", "title": self._phrases.group(group), "children": keys}, whole)
                keys = [key]
            order += keys
        return order, rows

    def _group(self, group: Group, rows: dict[str, Json], whole: bool) -> Iterator[str]:
        """The rows of one plan item; reads that follow each other fold into one."""
        shown = (block for block in group.blocks if not _shown_elsewhere(block))
        for folds, run in groupby(shown, key=lambda block: isinstance(block, Step) and block.folds):
            blocks = tuple(run)
            keys = [key for block in blocks for key in self._block(block, rows, whole)]
            if not folds:
                yield from keys
                continue
            steps = [block for block in blocks if isinstance(block, Step)]
            key = f"look:{blocks[0].id}"
            runs = CALL_MARKS["running"] if any(step.state == "running" for step in steps) else ""
            row = {"kind": "fold", "title": self._phrases.looked_at(steps), "children": keys, "mark": runs}
            self._put(rows, key, row, whole)
            yield key

    def _put(self, rows: dict[str, Json], key: str, row: Json, whole: bool) -> None:
        if whole or self._rows.get(key) != row:
            self._rows[key] = rows[key] = row

    def _block(self, block: Block, rows: dict[str, Json], whole: bool) -> Iterator[str]:
        news = whole or self._sources.get(block.id) is not block
        self._sources[block.id] = block
        match block:
            case Said():
                yield from self._said(block, rows, news, whole)
            case Step():
                if news:
                    rows[block.id] = self._step(block)
                yield block.id
            case Note():
                if news:
                    kind = self._words.say("prompt_added" if block.code == "prompt" else "notice")
                    text = f"{kind}: {visible_line(block.text).text}"
                    rows[block.id] = {"kind": "note", "level": block.level, "text": text}
                yield block.id

    def _said(self, said: Said, rows: dict[str, Json], news: bool, whole: bool) -> Iterator[str]:
        if said.thinking.strip():
            key = f"thought:{said.id}"
            if news:
                painter = Painter(self._words, live=True, max_lines=RESULT_LINES)
                body = plain(painter.paint(Text(said.thinking)))
                self._put(rows, key, {"kind": "thought", "title": self._words.say("thought"), "body": body}, whole)
            yield key
        if said.text.strip():
            if news:
                rows[said.id] = self._pieces(said, whole)
            yield said.id

    def _pieces(self, said: Said, whole: bool) -> Json:
        """The blocks of a message from the first that changed; a text that was replaced is told anew."""
        if said.id not in self._streams or not said.text.startswith(self._streamed[said.id]):
            self._streams[said.id] = MarkdownStream()
            whole = True
        stream = self._streams[said.id]
        self._streamed[said.id] = said.text
        first = stream.feed(said.text)
        first = 0 if whole else first
        return {"kind": "said", "from": first, "pieces": [plain(block) for block in stream.blocks[first:]]}

    def _step(self, step: Step) -> Json:
        about = " · ".join(part for part in (self._phrases.outcome(step), self._phrases.decision(step)) if part)
        row: Json = {
            "kind": "step",
            "state": step.state,
            "mark": mark(step),
            "title": self._phrases.headline(step.headline),
            "about": about,
        }
        if step.state == "running":
            return row | {"running": self._running(step)}
        shown = Text(step.text) if step.text else None if step.folds else step.view
        if shown is not None:
            row["body"] = plain(Painter(self._words, live=True, max_lines=RESULT_LINES).paint(shown))
        return row

    def _running(self, step: Step) -> Json:
        limit = next((part.timeout_s for part in parts_of(step.asked) if hasattr(part, "timeout_s")), 0.0)
        running: Json = {"limit": clock(limit) if limit else "", "fraction": step.fraction}
        running["clock_s"] = round(max(0.0, self._now - step.started_ts), 2)
        painter = Painter(self._words, live=True, max_lines=RESULT_LINES)
        if step.view is not None:
            running["body"] = plain(painter.paint(step.view))
        if step.tail is not None:
            lines = step.tail.text.removesuffix("\n").rsplit("\n", TAIL_LINES)[-TAIL_LINES:]
            running["tail"] = plain(painter.paint(Text("\n".join(line[-TAIL_LINE_CHARS:] for line in lines))))
            running["lines"] = self._words.count("last_lines", step.tail.total_lines, shown=len(lines))
        return running

    def _cards(self, view: RunView, whole: bool) -> Json:
        """Bodies of cards that are new to the pages, and how those that are gone were answered."""
        message: Json = {}
        for approval in view.approvals:
            pending = approval.outcome is None
            if pending and (whole or approval.id not in self._asked):
                message.setdefault("bodies", {})[approval.id] = card_body(approval, self._words)
            elif not pending and self._asked.get(approval.id):
                message.setdefault("settled", {})[approval.id] = settled(approval, self._words)
            self._asked[approval.id] = pending
        return message

    def _speech(self, view: RunView) -> Iterator[list[str]]:
        """What a screen reader is told, once each: ``[kind, words]``, where kind is step, polite or assertive."""
        if self._hears("run", "working"):
            yield ["polite", self._words.say("spoken_working")]
        now = view.now
        if now is not None and self._hears("item", now.content):
            number = view.todos.index(now) + 1
            item = visible_line(now.content).text
            yield ["step", self._words.say("spoken_step", n=number, total=len(view.todos), item=item)]
        for approval in view.approvals:
            if self._hears(f"approval:{approval.id}", approval.outcome or "pending"):
                yield from self._approval_speech(approval)
        if view.ended_ts is not None and self._hears("run", view.state):
            yield self._ending_speech(view)

    def _hears(self, what: str, news: str) -> bool:
        """Whether ``news`` of ``what`` has not been said; "working" is said only at first."""
        if self._heard.get(what) == news or (what == "run" and news == "working" and what in self._heard):
            return False
        self._heard[what] = news
        return True

    def _approval_speech(self, approval: Approval) -> Iterator[list[str]]:
        if approval.outcome is None:
            first = self._hears("hint", "given")
            what = spoken_what(approval, self._words)
            asked = self._words.say("needs_approval", n=approval.number, total=approval.total, what=what)
            hint = f" {self._words.say('needs_approval_hint')}" if first else ""
            yield ["assertive", asked + hint]
        elif approval.outcome in ("allowed", "denied"):
            yield ["polite", self._words.say(f"spoken_{approval.outcome}")]

    def _ending_speech(self, view: RunView) -> list[str]:
        if view.state in ("failed", "limit"):
            cause = visible_line(f"{view.error} {view.next_step}".strip()).text
            return ["assertive", self._phrases.because(view, cause)]
        if view.state == "stopped":
            return ["polite", self._words.say("spoken_stopped")]
        seconds = round(view.clock_s(self._now))
        time = self._words.count("spoken_seconds", seconds) if seconds < 60 else duration(seconds, self._words)
        said = self._words.say("spoken_done", time=time)
        files = sum(change.kind == "file" for change in view.changes)
        return ["polite", f"{said} {self._words.count('files_changed', files)}." if files else said]


def _shown_elsewhere(block: Block) -> bool:
    """The plan has its own line, and a call that waits for its answer its card."""
    return isinstance(block, Step) and (block.state == "waiting" or isinstance(block.view, Plan))
