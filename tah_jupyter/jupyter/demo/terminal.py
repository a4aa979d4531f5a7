"""What the command prints: the run as it happens, a line for each thing, in colour where there is a terminal."""

import sys
from collections.abc import Iterable
from typing import Any, TextIO

from tah_jupyter.jupyter.demo.page import Card

__all__ = ["Terminal"]

_COLOURS = {"+": "32", "-": "31", "dim": "2", "bold": "1", "ask": "33", "bad": "31"}
_MAX_CHARS = 110


class Terminal:
    """Prints to ``out``. It is told the frame's messages and prints what is finished in them, once."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = sys.stdout if out is None else out
        self._colours = self._out.isatty()
        self._plan = ""
        self._said: dict[str, list[Any]] = {}
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
        for key, row in message.get("rows", {}).items():
            if row["kind"] == "said":
                pieces = self._said.setdefault(key, [])
                pieces[row["from"] :] = row["pieces"]
            elif row["kind"] == "step" and row["state"] not in ("queued", "waiting", "running"):
                self._step(key, row)
        if (plan := message.get("plan")) is not None:
            self._show_plan(plan)
        if message["type"] == "closed":
            self._flush()

    def _step(self, key: str, row: dict[str, Any]) -> None:
        if key not in self._printed:
            self._printed.add(key)
            self._flush()
            about = f" · {row['about']}" if row["about"] else ""
            self.line(f"  {row['mark']} {row['title']}{about}"[:_MAX_CHARS])

    def _show_plan(self, plan: dict[str, Any]) -> None:
        shown = f"{plan['title']}   " + "   ".join(f"{item['mark']} {item['text']}" for item in plan["items"])
        if shown != self._plan:
            self._plan = shown
            self._flush()
            self.line(f"  {shown}", "bold")

    def _flush(self) -> None:
        """Print what was said up to here; a text that still grows is complete when something else comes."""
        for key, pieces in self._said.items():
            if key not in self._printed:
                self._printed.add(key)
                self.line()
                for line in _lines(pieces):
                    self.line(f"  {line}")


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
