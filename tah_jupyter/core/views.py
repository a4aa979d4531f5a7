"""Neutral pictures of calls and results. A tool makes them, every renderer draws them, so no renderer knows a tool.

Text in a view is data from anywhere and is never trusted: a renderer escapes it, and makes bidi and zero-width
characters visible.
"""

from typing import Literal, TypeAlias

import msgspec

from tah_jupyter.core.calls import Todo

__all__ = [
    "Code",
    "Command",
    "Diff",
    "DiffLine",
    "Facts",
    "Hunk",
    "Items",
    "Markdown",
    "Output",
    "Picture",
    "Plan",
    "Stack",
    "Text",
    "View",
]


class Text(msgspec.Struct, frozen=True, tag="text"):
    """Plain words."""

    text: str


class Markdown(msgspec.Struct, frozen=True, tag="markdown"):
    """Markdown of unknown origin; raw HTML in it is shown as text."""

    text: str


class Code(msgspec.Struct, frozen=True, omit_defaults=True, tag="code"):
    """Code or file contents, shown whole in a scroll region. ``first_line`` numbers the first line (0 = no numbers)."""

    code: str
    language: str = ""
    first_line: int = 0


class Command(msgspec.Struct, frozen=True, omit_defaults=True, tag="command"):
    """A command: every argument, and the folder it runs in."""

    argv: tuple[str, ...]
    cwd: str = ""
    timeout_s: float = 0.0


class DiffLine(msgspec.Struct, frozen=True, array_like=True):
    """One line of a hunk; ``old`` and ``new`` are 1-based line numbers, 0 where it does not exist on that side."""

    kind: Literal[" ", "+", "-"]
    old: int
    new: int
    text: str


class Hunk(msgspec.Struct, frozen=True):
    """Neighbouring changed lines with their context."""

    lines: tuple[DiffLine, ...]


class Diff(msgspec.Struct, frozen=True, omit_defaults=True, tag="diff"):
    """A change of one file. ``notes`` say what lines cannot show: line ends, mode, encoding, no final newline."""

    path: str
    hunks: tuple[Hunk, ...]
    added: int = 0
    removed: int = 0
    action: Literal["created", "modified", "deleted"] = "modified"
    notes: tuple[str, ...] = ()


class Output(msgspec.Struct, frozen=True, omit_defaults=True, tag="output"):
    """What a process printed; ``total_lines`` counts all of it, also what ``text`` leaves out. ``status`` is e.g.
    ``exit 0 · 6.8 s``.
    """

    text: str
    total_lines: int = 0
    status: str = ""
    failed: bool = False


class Facts(msgspec.Struct, frozen=True, tag="facts"):
    """A small table of names and values."""

    rows: tuple[tuple[str, str], ...]


class Items(msgspec.Struct, frozen=True, omit_defaults=True, tag="items"):
    """A list of short things (paths, matches); ``more`` counts those left out."""

    items: tuple[str, ...]
    more: int = 0


class Plan(msgspec.Struct, frozen=True, tag="plan"):
    """The to-do list."""

    todos: tuple[Todo, ...]


class Picture(msgspec.Struct, frozen=True, tag="picture"):
    """An image as base64 of ``mime`` (image/png or image/jpeg), with words for who cannot see it."""

    mime: Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
    data: str
    alt: str


class Stack(msgspec.Struct, frozen=True, tag="stack"):
    """Several views, one below the other."""

    views: "tuple[View, ...]"


View: TypeAlias = Text | Markdown | Code | Command | Diff | Output | Facts | Items | Plan | Picture | Stack
