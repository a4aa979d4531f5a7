"""The record of a run as elements: what stays in the saved notebook, and what the frame turns into at the end.

It must read well in a notebook nobody trusts: ``details``, lists, tables, ``pre``, ``ins`` and ``del`` survive a
sanitiser, styles, scripts and buttons do not.
"""

from collections.abc import Iterable, Iterator

from tah_jupyter.core.calls import Change
from tah_jupyter.core.views import Diff, Plan, Text
from tah_jupyter.ui import markdown
from tah_jupyter.ui.nodes import Element, Node, element, text_of
from tah_jupyter.ui.paint import Painter
from tah_jupyter.ui.phrases import Phrases, is_step, parts_of
from tah_jupyter.ui.run_view import Block, Group, Note, RunView, Said, Step
from tah_jupyter.ui.summary import short_summary
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = ["checkpoint", "record"]

DIFF_LINES = 200
"""Lines of one diff kept in a record; the log has all of it."""

RESULT_LINES = 40
"""Lines of one result kept in a record."""

RESULT_CHARS = 200_000
"""Characters of all diffs and results together: a notebook is read whole each time it is opened."""

ANSWER_START_CHARS = 60


def record(view: RunView, words: Words, *, whole: bool = False) -> Element:
    """The record: header, answer, changes, plan, steps, what was sent, usage. ``whole`` shortens no diff or result."""
    return _Record(view, words, whole=whole).whole()


def checkpoint(view: RunView, words: Words, *, saved_at: str) -> Element:
    """The folded record of a run that is not over, in case its kernel does not survive it. ``saved_at`` is a time of
    day.
    """
    return _Record(view, words).folded(words.say("checkpoint", time=saved_at))


class _Record:
    def __init__(self, view: RunView, words: Words, *, whole: bool = False) -> None:
        self._view = view
        self._words = words
        self._phrases = Phrases(words)
        results, diffs = (None, None) if whole else (RESULT_LINES, DIFF_LINES)
        self._painter = Painter(words, live=False, run=view.run, max_lines=results)
        self._diff_painter = Painter(words, live=False, run=view.run, max_lines=diffs)
        self._room = None if whole else RESULT_CHARS

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
        return _fold(f"{self._phrases.header(view)}{now} · {about}{start}", *self._body())

    def _body(self) -> Iterator[Node]:
        view = self._view
        if aftermath := self._phrases.aftermath(view):
            yield element("p", aftermath)
        if view.detail:
            yield _fold(self._phrases.raw_answer(view), *self._painter.paint(Text(view.detail)))
        if summary := short_summary(view, self._words):
            yield self._heading("in_short")
            yield element("ul", *(element("li", line) for line in summary))
        yield from self._answer()
        yield from self._changed()
        yield from (element("div", line) for line in self._phrases.asked(view))
        if view.todos:
            yield _fold(self._phrases.plan(view), self._painter.plan(view.todos))
        yield from self._steps()
        if sent := self._phrases.sent(view):
            yield element("div", sent)
        yield element("div", self._phrases.footer(self._view))

    def _heading(self, key: str) -> Element:
        return element("h4", self._words.say(key))

    def _answer(self) -> Iterator[Node]:
        answer = next((b for b in self._view.blocks if isinstance(b, Said) and b.id == self._view.answer), None)
        if answer is None:
            return
        yield from markdown.render(answer.text)
        if answer.finish not in ("stop", "calls"):
            yield element("p", element("em", self._words.say("cut_answer")))

    def _changed(self) -> Iterator[Element]:
        if self._view.changes:
            yield self._heading("changed")
        for change in self._view.changes:
            yield self._change(change)

    def _change(self, change: Change) -> Element:
        steps = [step for step in self._view.steps if step.made(change)]
        title = " · ".join([self._phrases.change(change), *self._phrases.decisions(self._view, change)])
        diffs = [node for step in steps for diff in _diffs(step, change) for node in self._diff_painter.paint(diff)]
        if not diffs:
            return element("div", title)
        return _fold(title, *diffs) if self._has_room(diffs) else element("div", self._elsewhere(title))

    def _steps(self) -> Iterator[Element]:
        groups = self._view.groups
        blocks = [block for group in groups for block in group.blocks]
        if not any(is_step(block) or isinstance(block, Note) for block in blocks):
            return
        count, kinds = sum(map(is_step, blocks)), self._phrases.kinds(blocks)
        title = self._words.say("steps_of", n=count, kinds=kinds) if count else self._words.say("steps")  # notes alone
        yield _fold(title, *self._grouped(groups))

    def _grouped(self, groups: tuple[Group, ...]) -> list[Element]:
        """The steps of each item of the plan below it; one list where there was no plan."""
        parts = []
        for group in groups:
            steps = element("ol", *(item for block in group.blocks for item in self._step(block)))
            if steps.children:
                parts.append(_fold(self._phrases.group(group), steps) if group.item else steps)
        if not any(group.item for group in groups):
            return parts
        return [element("ul", *(element("li", part) for part in parts))]

    def _step(self, block: Block) -> Iterable[Element]:
        match block:
            case Said():
                return self._said(block)
            case Note():
                return [element("li", self._phrases.note(block))]
            case Step():
                return [self._call(block)] if not isinstance(block.view, Plan) else []

    def _said(self, said: Said) -> list[Element]:
        items = []
        if said.thinking.strip():
            items.append(element("li", _fold(self._words.say("thought"), *self._painter.paint(Text(said.thinking)))))
        if said.text.strip():
            items.append(element("li", *markdown.render(said.text)))
        return items

    def _call(self, step: Step) -> Element:
        line = self._phrases.step(step)
        shown = Text(self._words.told(step.text)) if step.text else step.view
        if step.folds or shown is None:
            return element("li", line)
        painted = self._painter.paint(shown)
        return element("li", _fold(line, *painted) if self._has_room(painted) else self._elsewhere(line))

    def _has_room(self, nodes: Iterable[Node]) -> bool:
        """Whether a diff or a result still fits into the record, which it then takes."""
        if self._room is None:
            return True
        size = len(text_of(nodes))
        fits = size <= self._room
        self._room -= size if fits else 0
        return fits

    def _elsewhere(self, line: str) -> str:
        return f"{line} · {self._words.say('result_elsewhere', run=self._view.run)}"


def _fold(title: str, *content: Node) -> Element:
    return element("details", element("summary", title), *content)


def _diffs(step: Step, change: Change) -> list[Diff]:
    """What the call did to the target: from its result, or from what its card showed."""
    for view in (step.view, step.asked):
        found = [part for part in parts_of(view) if isinstance(part, Diff) and part.path == change.target]
        if found:
            return found
    return []
