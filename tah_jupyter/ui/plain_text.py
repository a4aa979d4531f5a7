"""Elements as plain text: what the prose of a model says, without the marks of Markdown."""

import re
from collections.abc import Iterable, Iterator

from tah_jupyter.ui.nodes import Element, Node, text_of

__all__ = ["to_plain"]

_RULE = "―――"
_ONE_WORD = re.compile(r"\S*\w\S*")
_PARTS = frozenset({"thead", "tbody"})
_BLOCKS = frozenset({"blockquote", "div", "h3", "h4", "h5", "h6", "hr", "ol", "p", "pre", "table", "ul"})


def to_plain(nodes: Iterable[Node]) -> list[str]:
    """The lines of a text: an empty one between blocks, lists and tables as such.

    >>> from tah_jupyter.ui.markdown import render
    >>> to_plain(render("# Why\\n\\n**March** is low:\\n- a `b`"))
    ['Why', '', 'March is low:', '- a b']
    """
    lines: list[str] = []
    inline: list[Node] = []
    before = ""
    for node in [*nodes, None]:
        if node is not None and (isinstance(node, str) or node.tag not in _BLOCKS):
            inline.append(node)
            continue
        if text := _inline(inline).strip("\n"):
            lines += [*_gap(before, "p"), *text.split("\n")]
            before = "p"
        inline = []
        if isinstance(node, Element):
            lines += [*_gap(before, node.tag), *_block(node)]
            before = node.tag
    return lines


def _gap(before: str, tag: str) -> list[str]:
    return [] if not before or (before == "p" and tag in ("ul", "ol")) else [""]


def _block(node: Element) -> list[str]:
    match node.tag:
        case "pre":
            return [f"    {line}".rstrip() for line in text_of(node.children).rstrip("\n").split("\n")]
        case "ul" | "ol":
            return list(_list(node))
        case "blockquote":
            return [f"> {line}".rstrip() for line in to_plain(node.children)]
        case "table":
            return _table(node)
        case "hr":
            return [_RULE]
        case _:
            return to_plain(node.children)


def _list(node: Element) -> Iterator[str]:
    for number, item in enumerate(node.children, int(node.attributes.get("start", "1"))):
        lead = f"{number}. " if node.tag == "ol" else "- "
        lines = to_plain(item.children) if isinstance(item, Element) else [item]
        for index, line in enumerate(lines or [""]):
            yield f"{lead if index == 0 else ' ' * len(lead)}{line}".rstrip()


def _table(node: Element) -> list[str]:
    """Its columns below each other; a cell has no line breaks."""
    rows = [[_inline(_children(cell)).replace("\n", " ") for cell in _children(row)] for row in _rows(node)]
    columns = range(max((len(row) for row in rows), default=0))
    widths = [max(len(row[column]) for row in rows if column < len(row)) for column in columns]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip() for row in rows]


def _rows(node: Element) -> Iterator[Node]:
    for part in node.children:
        if isinstance(part, Element) and part.tag in _PARTS:
            yield from part.children
        else:
            yield part


def _children(node: Node) -> tuple[Node, ...]:
    return node.children if isinstance(node, Element) else (node,)


def _inline(nodes: Iterable[Node]) -> str:
    return "".join(node if isinstance(node, str) else _inline_element(node) for node in nodes)


def _inline_element(node: Element) -> str:
    text = _inline(node.children)
    match node.tag:
        case "a":
            address = node.attributes["href"]
            return text if address in (text, f"mailto:{text}") else f"{text} ({address})"
        case "br":
            return "\n"
        case "code" if not _ONE_WORD.fullmatch(text):  # where it ends would not be seen
            return f"`{text}`"
        case "s":
            return f"~~{text}~~"
        case _:
            return text
