"""What a page must be told of a run: everything once, afterwards only what changed. Plain JSON, no widget here.

A message is made from the newest picture and from what was told before. Snapshots of untouched blocks are the very same
objects, so only what really changed is looked at; text is parsed from its last settled block on.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any, TypeAlias

from tah_jupyter.core.views import Plan, Text
from tah_jupyter.ui.cards import (
    card_body,
    card_head,
    question_body,
    question_card,
    question_head,
    question_settled,
    settled,
)
from tah_jupyter.ui.figures import clock
from tah_jupyter.ui.html import RESULT_LINES, record
from tah_jupyter.ui.markdown import MarkdownStream
from tah_jupyter.ui.nodes import plain
from tah_jupyter.ui.paint import Painter
from tah_jupyter.ui.phrases import CALL_MARKS, Phrases, mark, parts_of
from tah_jupyter.ui.run_view import Block, Group, Note, RunView, Said, Step
from tah_jupyter.ui.speech import Speech
from tah_jupyter.ui.status import RUNNING_FIGURES, Status
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = ["TAIL_LINES", "Live", "ends"]

Json: TypeAlias = dict[str, Any]

TAIL_LINES = 8
"""Lines of a running command's output in the frame."""

TAIL_LINE_CHARS = 500

_PAGE_WORDS = (
    *("add_note", "allow_once", "allow_once_what", "allow_run", "and_then", "answer_title", "approve_title", "away"),
    *("chip", "chip_question", "choose", "clock_stopped", "crashed", "deny", "deny_what", "deny_why", "deny_why_what"),
    *("elsewhere", "end_command", "end_command_what", "files_changed", "frame", "go_on", "instead", "kernel_silent"),
    *("newer", "newer_spoken", "next_approval", "note_name", "note_queued", "note_unsent", "of_time"),
    *("previous_approval", "progress", "progress_of", "queued_notes", "raw_answer", "release", "release_what", "run"),
    *("send", "send_note", "send_now", "sending", "shorter", "show", "silence", "spoken_seconds", "steps"),
    *("steps_count", "stop", "stop_run", "taller", "waiting_since", "withdraw", "withdraw_mark"),
)

_SECONDS = re.compile(r"\d+(?= (?:s\b|秒))")


class Live:
    """One frame's memory of what it has told its pages."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._phrases = Phrases(words)
        self._speech = Speech(words)
        self._status = Status(words)
        self._asked: dict[str, bool] = {}
        self._now = 0.0
        self._begin(0)

    def _begin(self, run: int) -> None:
        """Forget the rows of another run: a request that was held has the number 0 until its run begins."""
        self._run = run
        self._sources: dict[str, Block] = {}
        self._streams: dict[str, MarkdownStream] = {}
        self._streamed: dict[str, str] = {}
        self._told: Json = {}
        self._rows: dict[str, Json] = {}

    def message(self, view: RunView, *, now: float, whole: bool = False) -> Json | None:
        """The next message for the pages, or None when there is nothing new. ``whole`` tells everything, for a page
        that knows nothing yet; ``now`` is seconds since the epoch.
        """
        self._now = now
        if view.run != self._run:
            self._begin(view.run)
            whole = True
        spoken = list(self._speech.news(view, now))
        if view.ended_ts is not None:
            return self._closed(view, spoken, whole)
        order, rows = self._layout(view, whole)
        parts: Json = {"header": self._status.header(view, now), "plan": self._status.plan(view), "order": order}
        parts["cards"] = [question_head(question) for question in view.asked]
        parts["cards"] += [card_head(approval, self._words) for approval in view.pending]
        parts["notes"] = self._status.notes(view)
        message = {key: value for key, value in parts.items() if self._is_news(key, value) or whole}
        if self._is_news("heard", view.quiet_since) or whole:
            message["heard"] = self._status.silence(view, now)
        message |= {"rows": rows} if rows else {}
        message |= self._cards(view, whole)
        message |= {"speak": spoken} if spoken else {}
        if whole:
            page = self._words.templates(*_PAGE_WORDS)
            return {"type": "draw", "run": view.run, "language": self._words.language, "words": page, **message}
        return {"type": "patch", **message} if message else None

    def _is_news(self, key: str, value: Any) -> bool:
        """Whether a part differs from what was told."""
        seen = {k: v for k, v in value.items() if k not in RUNNING_FIGURES} if key == "header" else value
        if key in self._told and self._told[key] == seen:
            return False
        self._told[key] = seen
        return True

    def _closed(self, view: RunView, spoken: list[list[str]], whole: bool) -> Json | None:
        if self._told.get("closed") and not whole:
            return None
        self._told["closed"] = True
        return {"type": "closed", "run": view.run, "record": plain([record(view, self._words)]), "speak": spoken}

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
                    rows[block.id] = self._note(block)
                yield block.id

    def _note(self, note: Note) -> Json:
        """A line to know; one that waits for a moment is cut around its seconds, which the page counts down."""
        text = self._phrases.note(note)
        row: Json = {"kind": "note", "level": note.level, "text": text}
        seconds = list(_SECONDS.finditer(text)) if note.until else []
        if seconds:
            left = max(0.0, note.until - self._now)
            row["until"] = {"before": text[: seconds[-1].start()], "after": text[seconds[-1].end() :]}
            row["until"]["left_s"] = round(left, 2)
        return row

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
        phrases = self._phrases
        parts = (phrases.lines_changed(step), phrases.outcome(step), phrases.decision(step))
        about = " · ".join(part for part in parts if part)
        row: Json = {
            "kind": "step",
            "state": step.state,
            "mark": mark(step),
            "title": self._phrases.headline(step.headline),
            "about": about,
        }
        if step.state == "running":
            return row | {"running": self._running(step)} | ({"end": step.id} if ends(step) else {})
        shown = Text(self._words.told(step.text)) if step.text else None if step.folds else step.view
        if shown is not None:
            row["body"] = plain(Painter(self._words, live=True, max_lines=RESULT_LINES).paint(shown))
        return row

    def _running(self, step: Step) -> Json:
        limit = next((part.timeout_s for part in parts_of(step.asked) if hasattr(part, "timeout_s")), 0.0)
        running: Json = {"limit": clock(limit) if limit else "", "limit_s": limit, "fraction": step.fraction}
        running["what"] = visible_line(step.headline.target).text or self._phrases.headline(step.headline)
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
        for ask in view.questions:
            key, pending = question_card(ask.question), ask.key is None
            if self._is_new_card(key, pending, whole):
                message.setdefault("bodies", {})[key] = question_body(ask.question)
            elif self._is_gone(key, pending):
                message.setdefault("settled", {})[key] = question_settled(ask, self._words)
            self._asked[key] = pending
        for approval in view.approvals:
            pending = approval.outcome is None
            if self._is_new_card(approval.id, pending, whole):
                message.setdefault("bodies", {})[approval.id] = card_body(approval, self._words)
            elif self._is_gone(approval.id, pending):
                message.setdefault("settled", {})[approval.id] = settled(approval, self._words)
            self._asked[approval.id] = pending
        return message

    def _is_new_card(self, key: str, pending: bool, whole: bool) -> bool:
        return pending and (whole or key not in self._asked)

    def _is_gone(self, key: str, pending: bool) -> bool:
        return not pending and self._asked.get(key, False)


def ends(step: Step) -> bool:
    """Whether a person may end this call alone: it runs, and it is not one that is over in a moment."""
    return step.state == "running" and not step.folds


def _shown_elsewhere(block: Block) -> bool:
    """The plan has its own line, and a call that waits for its answer its card."""
    return isinstance(block, Step) and (block.state == "waiting" or isinstance(block.view, Plan))
