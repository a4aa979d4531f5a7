"""What the command prints: the run as it happens, a line for each thing, in colour where there is a terminal."""

import sys
from collections.abc import Iterable
from typing import Any, TextIO

from tah_jupyter.jupyter.demo.page import Card

__all__ = ["Terminal"]

_COLOURS = {"+": "32", "-": "31", "dim": "2", "bold": "1", "ask": "33", "bad": "31"}
_MAX_CHARS = 110


class Terminal:
    """Prints to ``out``. It is told the frame's messages and prints each thing in them once, when it is complete.

    A message's text is complete when its calls have come or the next message begins, so lines wait until then.
    """

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = sys.stdout if out is None else out
        self._colours = self._out.isatty()
        self._said: dict[str, list[Any]] = {}
        self._waiting: dict[str, tuple[str, str]] = {}
        self._printed: set[str] = set()

    def line(self, text: str = "", colour: str = "") -> None:
        """One line."""
        code = _COLOURS.get(colour) if self._colours else None
        print(f"\x1b[{code}m{text}\x1b[0m" if code else text, file=self._out, flush=True)

    def source(self, number: int, source: str) -> None:
        """A cell as it is sent."""
        self.line()
        for index, line in enumerate(source.split("\n")):
            self.line(f"{f'In [{number}]:' if index == 0 else '':<9}{line}", "bold")

    def text(self, text: str) -> None:
        """The readable output of a cell."""
        for line in text.strip().split("\n"):
            self.line(f"         {line}", "dim")

    def card(self, card: Card, answer: str) -> None:
        """A question, its diff, and what was answered."""
        self._flush()
        self.line(f"  ◆ Approve? {card.title}", "ask")
        for sign, text in card.diff:
            self.line(f"      {sign} {text}".rstrip(), sign)
        self.line(f"    {answer}", "dim")

    def told(self, message: dict[str, Any]) -> None:
        """A message of the frame."""
        rows = message.get("rows", {})
        if (plan := message.get("plan")) is not None:
            shown = "   ".join([plan["title"], *(f"{item['mark']} {item['text']}" for item in plan["items"])])
            self._waiting[shown] = (shown, "bold")
        for key, row in rows.items():
            if row["kind"] == "step" and row["state"] not in ("queued", "waiting", "running"):
                about = f" · {row['about']}" if row["about"] else ""
                self._waiting[key] = (f"{row['mark']} {row['title']}{about}"[:_MAX_CHARS], "")
        for key, row in rows.items():
            if row["kind"] == "said":
                if key not in self._said:
                    self._flush()
                pieces = self._said.setdefault(key, [])
                pieces[row["from"] :] = row["pieces"]

    def answer(self, text: str) -> None:
        """The end of a run: what waits, and the whole of its last message, of which the frame may know less."""
        for key in list(self._said)[-1:]:
            self._printed.add(key)
        self._flush()
        self.line()
        for line in text.split("\n"):
            if line:
                self.line(f"  {line}")

    def _flush(self) -> None:
        """Print what waits: the text first, then what was done."""
        for key in [key for key in self._said if key not in self._printed]:
            self.line()
            for line in _lines(self._said[key]):
                self.line(f"  {line}")
        for key in [key for key in self._waiting if key not in self._printed]:
            self.line(f"  {self._waiting[key][0]}", self._waiting[key][1])
        self._printed |= self._said.keys() | self._waiting.keys()


def _lines(nodes: Iterable[Any]) -> list[str]:
    """Blocks as lines: paragraphs, items of lists, code."""
    lines: list[str] = []
    for node in nodes:
        if isinstance(node, list) and node and isinstance(node[0], list):
            lines += _lines(node)
        elif isinstance(node, list):
            tag, _, _, children = node
            lines += _lines(children) if tag in ("ul", "ol") else [("- " if tag == "li" else "") + _inline(node)]
    return lines


def _inline(node: Any) -> str:
    if isinstance(node, str):
        return node
    text = "".join(_inline(child) for child in node[3])
    return f"`{text}`" if node[0] == "code" else text
