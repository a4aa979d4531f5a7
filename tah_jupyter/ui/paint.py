"""Views of tools as elements. No tool is known here by name, only the kinds of view.

Everything a view says came from somewhere else: hidden characters are made visible and remembered, so that a card can
warn of them.
"""

import re
from collections.abc import Iterable
from itertools import islice

from tah_jupyter.core.calls import Todo
from tah_jupyter.core.views import (
    Code,
    Command,
    Diff,
    Facts,
    Items,
    Markdown,
    Output,
    Picture,
    Plan,
    Stack,
    Text,
    View,
)
from tah_jupyter.ui import diff, markdown
from tah_jupyter.ui.figures import duration
from tah_jupyter.ui.nodes import Element, Node, element, picture
from tah_jupyter.ui.visible import visible, visible_line
from tah_jupyter.ui.words import Words

__all__ = ["MARKS", "Painter"]

MARKS = {"pending": "○", "in_progress": "▸", "completed": "✓"}
"""Shapes of to-do items."""

ROWS_A_TABLE = 100
"""A long diff is drawn as several tables, so that a browser need not lay out all of it."""

_PLAIN_ARGUMENT = re.compile(r"[\w@%+=:,./-]+\Z", re.ASCII)
_TINT = {
    "+": "background-color:rgba(46,160,67,0.2);text-decoration:none",
    "-": "background-color:rgba(248,81,73,0.2);text-decoration:none",
}
"""No ink is dark enough on white paper and light enough on black at once: the paper is tinted and the ink kept."""

_ITEM = {"pending": "item_open", "in_progress": "item_now", "completed": "item_done"}


class Painter:
    """Draws views: ``live`` for the frame, with classes and tables; otherwise for the record, which must survive a
    sanitiser. ``max_lines`` shortens what is long and says so; None draws all of it. ``hidden`` names the characters
    that were made visible so far.
    """

    def __init__(self, words: Words, *, live: bool, run: int = 0, max_lines: int | None = None) -> None:
        self.hidden: dict[str, None] = {}
        self._words = words
        self._live = live
        self._run = run
        self._max_lines = max_lines

    def paint(self, view: View) -> tuple[Node, ...]:
        match view:
            case Text():
                return (element("div", self._shown(view.text), look="text") if self._live else self._pre(view.text),)
            case Markdown():
                self._shown(view.text)
                return (element("div", *markdown.render(view.text), look="prose"),)
            case Code():
                return (self._code(view),)
            case Command():
                return self._command(view)
            case Diff():
                return self._diff(view)
            case Output():
                return self._output(view)
            case Facts():
                return (self._facts(view),)
            case Items():
                return (self._items(view),)
            case Plan():
                return (self.plan(view.todos),)
            case Picture():
                return (picture(view.mime, view.data, self.line(view.alt)),)
            case Stack():
                return tuple(node for each in view.views for node in self.paint(each))

    def line(self, text: str) -> str:
        """Text that must stay on one line."""
        shown = visible_line(text)
        self.hidden |= dict.fromkeys(shown.hidden)
        return shown.text

    def plan(self, todos: Iterable[Todo]) -> Element:
        """The to-do list: shape and words for each item."""
        items = []
        for todo in todos:
            text = self.line(todo.content)
            spoken = self._words.say(_ITEM[todo.status], item=text)
            items.append(
                element("li", f"{MARKS[todo.status]} {text}" if self._live else f"{MARKS[todo.status]} {spoken}")
            )
        return element("ul", *items, look="plan-list")

    def _shown(self, text: str) -> str:
        shown = visible(text)
        self.hidden |= dict.fromkeys(shown.hidden)
        return shown.text

    def _pre(self, text: str, *, from_end: bool = False, look: str = "") -> Element:
        """Text in fixed type; what is left out is counted, at the side it was left out on."""
        lines = self._shown(text).removesuffix("\n").split("\n")
        left_out = len(lines) - self._max_lines if self._max_lines is not None else 0
        if left_out <= 0:
            return element("pre", "\n".join(lines), look=look)
        more = self._words.count("lines_more", left_out, run=self._run)
        kept = lines[left_out:] if from_end else lines[:-left_out]
        return element("pre", "\n".join([more, *kept] if from_end else [*kept, more]), look=look)

    def _code(self, view: Code) -> Element:
        if not view.first_line:
            return self._pre(view.code, look="code")
        lines = view.code.removesuffix("\n").split("\n")
        width = len(str(view.first_line + len(lines) - 1))
        numbered = (f"{number:>{width}}  {line}" for number, line in enumerate(lines, view.first_line))
        return self._pre("\n".join(numbered), look="code")

    def _command(self, view: Command) -> tuple[Node, ...]:
        """All arguments: in a row when that is unambiguous, otherwise one an item, so that no byte is quoted away."""
        if all(_PLAIN_ARGUMENT.match(argument) for argument in view.argv):
            shown = element("pre", " ".join(view.argv), look="code")
        else:
            items = (element("li", element("code", self._shown(argument))) for argument in view.argv)
            shown = element("ol", *items, look="argv")
        about = [self._words.count("arguments", len(view.argv))] if shown.tag == "ol" else []
        if view.cwd not in ("", "."):
            about.append(self._words.say("in_folder", folder=self.line(view.cwd)))
        if view.timeout_s:
            about.append(self._words.say("time_limit", time=duration(view.timeout_s, self._words)))
        return (shown, element("div", " · ".join(about), look="about")) if about else (shown,)

    def _diff(self, view: Diff) -> tuple[Node, ...]:
        notes = [element("div", self.line(self._words.told(note)), look="about") for note in view.notes]
        if not view.hunks:
            return (*notes, element("div", self._words.say("no_changes"), look="about"))
        rows = [diff.Row(row.kind, row.number, self._shown(row.text)) for row in diff.rows(view)]
        if self._live:
            parts = range(0, len(rows), ROWS_A_TABLE)
            return (*notes, *(self._diff_table(rows[at : at + ROWS_A_TABLE]) for at in parts))
        return (*notes, self._diff_pre(rows))

    def _diff_table(self, rows: list[diff.Row]) -> Element:
        return element("table", element("tbody", *map(self._diff_row, rows)), look="diff")

    def _diff_row(self, row: diff.Row) -> Element:
        said = {"+": "added_line", "-": "removed_line"}.get(row.kind)
        spoken = [element("span", self._words.say(said, n=row.number) + " ", look="spoken")] if said else []
        sign = {"-": "−", "~": ""}.get(row.kind, row.kind)
        number = "⋮" if row.kind == "~" else str(row.number or "")
        return element(
            "tr",
            element("td", *spoken, element("span", sign, look="sign"), look="sign-cell"),
            element("td", number, look="number"),
            element("td", row.text, look="line"),
            look={"+": "added", "-": "removed", "~": "gap"}.get(row.kind, ""),
        )

    def _diff_pre(self, rows: list[diff.Row]) -> Element:
        width = len(str(max(row.number for row in rows)))
        lines: list[Node] = []
        for row in islice(rows, self._max_lines):
            text = diff.as_text(row, width)
            tag = {"+": "ins", "-": "del"}.get(row.kind)
            lines += [element(tag, text, style=_TINT[row.kind]) if tag else text, "\n"]
        if self._max_lines is not None and len(rows) > self._max_lines:
            lines.append(self._words.count("lines_more", len(rows) - self._max_lines, run=self._run))
        return element("pre", *lines)

    def _output(self, view: Output) -> tuple[Node, ...]:
        text = (self._pre(view.text, from_end=True, look="output"),) if view.text else ()
        status = (element("div", self.line(self._words.told(view.status)), look="about"),) if view.status else ()
        return (*text, *status)

    def _facts(self, view: Facts) -> Element:
        rows = (
            element("tr", element("th", self.line(name)), element("td", self._shown(value)))
            for name, value in view.rows
        )
        return element("table", element("tbody", *rows), look="facts")

    def _items(self, view: Items) -> Element:
        shown = view.items[: self._max_lines]
        more = view.more + len(view.items) - len(shown)
        rest = [element("li", self._words.count("more_items", more))] if more else []
        return element("ul", *(element("li", self.line(item)) for item in shown), *rest, look="items")
