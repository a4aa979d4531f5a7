"""Markdown of unknown origin as a neutral tree: raw HTML is text, links are checked, pictures are not fetched."""

from collections.abc import Sequence
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tah_jupyter.ui.nodes import Node, element, link
from tah_jupyter.ui.visible import visible, visible_line

__all__ = ["MAX_OPEN_CHARS", "MarkdownStream", "render"]

MAX_OPEN_CHARS = 8_000
"""A block that is still open is cut here while it streams, so that a long one is not parsed over and over."""

_MAX_FENCE_CHARS = 200
_SAME_TAG = frozenset({"blockquote", "em", "li", "p", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"})


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable(["table", "strikethrough"])


def render(text: str) -> tuple[Node, ...]:
    """The blocks of ``text`` as elements; hidden characters are made visible.

    >>> render("**b** [x](https://example.org)")[0].children[0].tag
    'strong'
    """
    return _tree(_parser().parse(visible(text, prose=True).text))


def _tree(tokens: Sequence[Token]) -> tuple[Node, ...]:
    """Nest a flat list of tokens: an opening begins a level, its closing wraps what was gathered since."""
    levels: list[list[Node]] = [[]]
    openings: list[Token] = []
    for token in tokens:
        if token.nesting == 1:
            openings.append(token)
            levels.append([])
        elif token.nesting == -1:
            children = tuple(levels.pop())
            levels[-1].extend(_wrapped(openings.pop(), children))
        else:
            levels[-1].extend(_leaf(token))
    return tuple(levels[0])


def _wrapped(opening: Token, children: tuple[Node, ...]) -> tuple[Node, ...]:
    if opening.hidden:  # a tight list has no paragraphs inside its items
        return children
    if opening.type == "link_open":
        return (link(str(opening.attrGet("href") or ""), *children),)
    if opening.type == "heading_open":  # a cell's own headings are h1 and h2
        return (element(f"h{min(6, int(opening.tag[1]) + 2)}", *children),)
    if opening.type == "ordered_list_open":
        return (element("ol", *children, start=str(opening.attrGet("start") or 1)),)
    return (element(opening.tag if opening.tag in _SAME_TAG else "div", *children),)


def _leaf(token: Token) -> tuple[Node, ...]:
    match token.type:
        case "inline":
            return _tree(token.children or ())
        case "fence" | "code_block":
            return (element("pre", element("code", _shown(token.content)), look="code"),)
        case "code_inline":
            return (element("code", _shown(token.content)),)
        case "hr":
            return (element("hr"),)
        case "hardbreak":
            return (element("br"),)
        case "softbreak":
            return ("\n",)
        case "image":  # named and linked, never fetched
            return (link(str(token.attrGet("src") or ""), visible_line(token.content).text or "image"),)
        case _:
            return (_shown(token.content),) if token.content else ()


def _shown(text: str) -> str:
    """Once more, because ``&#x202e;`` was harmless before it was parsed."""
    return visible(text, prose=True).text


class MarkdownStream:
    """Markdown that arrives in pieces. Blocks that can no longer change are parsed once and kept.

    A top-level block is settled when the one after it begins with a line that is complete: only a whole line can be
    told from a continuation.
    """

    def __init__(self) -> None:
        self._settled: list[tuple[Node, ...]] = []
        self._seen = 0
        self._tail = ""
        self._open: tuple[Node, ...] = ()

    def feed(self, text: str) -> int:
        """Take the whole text so far, which must begin with what was fed before. Returns the index of the first block
        that changed.
        """
        first = len(self._settled)
        self._tail += text[self._seen :]
        self._seen = len(text)
        self._settle()
        self._open = render(self._tail)
        return first

    @property
    def blocks(self) -> list[tuple[Node, ...]]:
        """All blocks now; the last may still change."""
        return [*self._settled, *([self._open] if self._open else [])]

    def _settle(self) -> None:
        complete = visible(self._tail[: self._tail.rfind("\n") + 1], prose=True).text
        starts = [token.map[0] for token in _parser().parse(complete) if token.level == 0 and token.map]
        if len(starts) > 1:
            lines = self._tail.split("\n")
            for start, end in zip([0, *starts[1:]], starts[1:], strict=False):
                self._settled.append(render("\n".join(lines[start:end])))
            self._tail = "\n".join(lines[starts[-1] :])
        while len(self._tail) > MAX_OPEN_CHARS:
            self._cut()

    def _cut(self) -> None:
        """Settle the front of a block that has grown too long; a fence goes on under the same opening line."""
        front = self._tail[:MAX_OPEN_CHARS]
        opening = self._fence(front)
        cut = front.rfind("\n", len(opening)) + 1 or front.rfind(" ", len(opening)) + 1 or MAX_OPEN_CHARS
        self._settled.append(render(front[:cut]))
        self._tail = opening + self._tail[cut:]

    @staticmethod
    def _fence(front: str) -> str:
        """The opening line of the fence that ``front`` begins with, or nothing."""
        line = front[: front.find("\n") + 1]
        tokens = _parser().parse(front) if 0 < len(line) <= _MAX_FENCE_CHARS else []
        return line if tokens and tokens[0].type == "fence" else ""
