"""The record of a run as elements: what stays in the saved notebook, and what the frame turns into at the end.

It must read well in a notebook nobody trusts: ``details``, lists, tables, ``pre``, ``ins`` and ``del`` survive a
sanitiser, styles, scripts and buttons do not.
"""

from collections.abc import Iterable, Iterator

from tah_jupyter.core.calls import Change
from tah_jupyter.core.views import Diff, Output, Plan, Text
from tah_jupyter.ui import markdown
from tah_jupyter.ui.nodes import Element, Node, element
from tah_jupyter.ui.paint import Painter
from tah_jupyter.ui.phrases import Phrases, is_step, parts_of
from tah_jupyter.ui.run_view import Block, Note, RunView, Said, Step
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = ["checkpoint", "record", "short_summary"]

DIFF_LINES = 200
"""Lines of one diff kept in a record; the log has all of it."""

RESULT_LINES = 40
"""Lines of one result kept in a record."""

IN_SHORT_STEPS = 30
IN_SHORT_S = 300.0
IN_SHORT_ITEMS = 10
"""From so many steps or seconds on, an answer is preceded by three lines from the log."""

ANSWER_START_CHARS = 60


def record(view: RunView, words: Words) -> Element:
    """The record: header, answer, changes, plan, steps, what was sent, usage."""
    return _Record(view, words).whole()


def checkpoint(view: RunView, words: Words, *, saved_at: str) -> Element:
    """The folded record of a run that is not over, in case its kernel does not survive it. ``saved_at`` is a time of
    day.
    """
    return _Record(view, words).folded(words.say("checkpoint", time=saved_at))


def short_summary(view: RunView, words: Words) -> list[str]:
    """What a long run changed, ran and could not do, from the log and not from the model; empty for a short one."""
    steps = [block for block in view.blocks if is_step(block)]
    seconds = view.clock_s(view.ended_ts) if view.ended_ts is not None else 0.0
    if len(steps) <= IN_SHORT_STEPS and seconds <= IN_SHORT_S:
        return []
    phrases = Phrases(words)
    ran = [step for step in view.steps if any(isinstance(part, Output) for part in parts_of(step.view))]
    trouble = [step for step in view.steps if step.state in ("denied", "failed")]
    lines = {
        "short_changed": [phrases.change(change) for change in view.changes],
        "short_commands": [f"{phrases.headline(step.headline)} ({phrases.outcome(step)})" for step in ran],
        "short_trouble": [phrases.headline(step.headline) for step in trouble],
    }
    return [words.say(key, what=_some(what, words) or words.say("nothing")) for key, what in lines.items()]


def _some(what: list[str], words: Words) -> str:
    """The first of them, each once, and how many more there are: a line stays a line."""
    each = list(dict.fromkeys(what))
    more = [words.count("more_items", len(each) - IN_SHORT_ITEMS)] if len(each) > IN_SHORT_ITEMS else []
    return ", ".join([*each[:IN_SHORT_ITEMS], *more])


class _Record:
    def __init__(self, view: RunView, words: Words) -> None:
        self._view = view
        self._words = words
        self._phrases = Phrases(words)
        self._painter = Painter(words, live=False, run=view.run, max_lines=RESULT_LINES)
        self._diff_painter = Painter(words, live=False, run=view.run, max_lines=DIFF_LINES)

    def whole(self) -> Element:
        return element("details", element("summary", self._phrases.header(self._view)), *self._body(), open="")

    def folded(self, about: str) -> Element:
        view = self._view
        start = visible_line(" ".join(view.answer_text.split())).text
        start = (
            f" · {start[:ANSWER_START_CHARS]}…" if len(start) > ANSWER_START_CHARS else f" · {start}" if start else ""
        )
        running = next((step for step in reversed(view.steps) if step.state in ("running", "waiting")), None)
        now = f" · {self._phrases.headline(running.headline)}" if running is not None else ""
        summary = element("summary", f"{self._phrases.header(view)}{now} · {about}{start}")
        return element("details", summary, *self._body())

    def _body(self) -> Iterator[Element]:
        view = self._view
        if aftermath := self._phrases.aftermath(view):
            yield element("p", aftermath)
        if summary := short_summary(view, self._words):
            yield element("p", element("strong", self._words.say("in_short")))
            yield element("ul", *(element("li", line) for line in summary))
        yield from self._answer()
        yield from self._changed()
        if view.todos:
            yield element("details", element("summary", self._phrases.plan(view)), self._painter.plan(view.todos))
        yield from self._steps()
        if sent := self._phrases.sent(view):
            yield element("p", sent)
        yield element("p", self._phrases.footer(self._view))

    def _answer(self) -> Iterator[Element]:
        answer = next((b for b in self._view.blocks if isinstance(b, Said) and b.id == self._view.answer), None)
        if answer is None:
            return
        yield element("div", *markdown.render(answer.text))
        if answer.finish not in ("stop", "calls"):
            yield element("p", element("em", self._words.say("cut_answer")))

    def _changed(self) -> Iterator[Element]:
        changes = self._view.changes
        if not changes:
            return
        yield element("p", element("strong", self._words.say("changed")))
        for change in changes:
            yield self._change(change)

    def _change(self, change: Change) -> Element:
        steps = [step for step in self._view.steps if step.made(change)]
        title = " · ".join([self._phrases.change(change), *self._phrases.decisions(self._view, change)])
        diffs = [node for step in steps for diff in _diffs(step, change) for node in self._diff_painter.paint(diff)]
        return element("details", element("summary", title), *diffs) if diffs else element("p", title)

    def _steps(self) -> Iterator[Element]:
        groups = self._view.groups
        blocks = [block for group in groups for block in group.blocks]
        if not any(is_step(block) or isinstance(block, Note) for block in blocks):
            return
        title = self._words.say("steps_of", n=sum(map(is_step, blocks)), kinds=self._phrases.kinds(blocks))
        parts: list[Node] = []
        for group in groups:
            items = element("ol", *(item for block in group.blocks for item in self._step(block)))
            if group.item and items.children:
                parts.append(element("details", element("summary", self._phrases.group(group)), items))
            elif items.children:
                parts.append(items)
        yield element("details", element("summary", title), *parts)

    def _step(self, block: Block) -> Iterable[Element]:
        match block:
            case Said():
                return self._said(block)
            case Note():
                kind = self._words.say("prompt_added" if block.code == "prompt" else "notice")
                return [element("li", f"{kind}: {visible_line(block.text).text}")]
            case Step():
                return [self._call(block)] if not isinstance(block.view, Plan) else []

    def _said(self, said: Said) -> list[Element]:
        items = []
        if said.thinking.strip():
            thought = self._painter.paint(Text(said.thinking))
            items.append(element("li", element("details", element("summary", self._words.say("thought")), *thought)))
        if said.text.strip():
            items.append(element("li", *markdown.render(said.text)))
        return items

    def _call(self, step: Step) -> Element:
        line = self._phrases.step(step)
        shown = Text(step.text) if step.text else step.view
        if step.folds or shown is None:
            return element("li", line)
        return element("li", element("details", element("summary", line), *self._painter.paint(shown)))


def _diffs(step: Step, change: Change) -> list[Diff]:
    """What the call did to the target: from its result, or from what its card showed."""
    for view in (step.view, step.asked):
        found = [part for part in parts_of(view) if isinstance(part, Diff) and part.path == change.target]
        if found:
            return found
    return []
