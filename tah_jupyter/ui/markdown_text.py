"""Elements as Markdown for ``text/markdown``: what was text stays text, also when somebody renders it with HTML on."""

import re
from collections.abc import Iterable

from tah_jupyter.ui.nodes import Element, Node, shield, text_of

__all__ = ["code_span", "escape", "paragraph", "to_markdown"]

_SPECIAL = re.compile(r"[\\`*\[\]|$]|~~|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_LINE_START = re.compile(r"^(\s*)([#+>=-]|\d+(?=[.)]))", re.MULTILINE)
_WRAPPED = {"em": "*", "strong": "**", "s": "~~"}


def escape(text: str) -> str:
    r"""Text as Markdown that reads the same inside a line; see :func:`paragraph` for the start of one.

    >>> escape("a_b <b> *c*")
    'a_b &lt;b> \\*c\\*'
    """
    escaped = _SPECIAL.sub(lambda match: "\\" + match[0], _ENTITY.sub("&amp;", text))
    return shield(escaped.replace("<", "&lt;"))


def paragraph(line: str) -> str:
    r"""Escaped text that begins a line, so that it begins no list, heading or quote.

    >>> paragraph("1. x"), paragraph("+1")
    ('&#49;. x', '\\+1')
    """
    return _LINE_START.sub(_escaped_start, line)


def _escaped_start(match: re.Match[str]) -> str:
    return f"{match[1]}\\{match[2]}" if not match[2].isdigit() else f"{match[1]}&#{ord(match[2][0])};{match[2][1:]}"


def code_span(text: str) -> str:
    """``text`` in as many backticks as it takes; a newline in it would end a line of the document."""
    text = text.replace("\n", " ")
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}" if text.strip() else ""


def to_markdown(nodes: Iterable[Node]) -> str:
    """Blocks of Markdown, one blank line between them."""
    blocks: list[str] = []
    inline: list[Node] = []
    for node in [*nodes, None]:
        if node is not None and (isinstance(node, str) or node.tag in ("a", "br", "code", "em", "s", "span", "strong")):
            inline.append(node)
            continue
        if text := _inline(inline).strip("\n"):
            blocks.append(paragraph(text))
        inline = []
        if node is not None and not isinstance(node, str):
            blocks.append(_block(node))
    return "\n\n".join(block for block in blocks if block.strip())


def _block(node: Element) -> str:
    match node.tag:
        case "h3" | "h4" | "h5" | "h6":
            return f"{'#' * int(node.tag[1])} {_inline(node.children)}"
        case "pre":
            return _fence(text_of(node.children))
        case "ul" | "ol":
            return _list(node)
        case "blockquote":
            return _indented(to_markdown(node.children), "> ", "> ")
        case "table":
            return _table(node)
        case "hr":
            return "---"
        case "p":
            return paragraph(_inline(node.children))
        case _:
            return to_markdown(node.children)


def _fence(code: str) -> str:
    longest = max((len(run) for run in re.findall("`{3,}", code)), default=2)
    ticks = "`" * (longest + 1)
    newline = "" if code.endswith("\n") else "\n"
    return f"{ticks}\n{code}{newline}{ticks}"


def _list(node: Element) -> str:
    first = int(node.attributes.get("start", "1"))
    items = []
    for number, child in enumerate(node.children, first):
        lead = f"{number}. " if node.tag == "ol" else "- "
        content = to_markdown(child.children) if isinstance(child, Element) else escape(child)
        items.append(_indented(content, lead, " " * len(lead)))
    return "\n".join(items)


def _indented(text: str, first: str, rest: str) -> str:
    lines = text.split("\n")
    return "\n".join((first if index == 0 else rest) + line for index, line in enumerate(lines)).rstrip()


def _table(node: Element) -> str:
    rows = [[_inline(_children(cell)).replace("\n", " ") for cell in _children(row)] for row in _rows(node)]
    if not rows:
        return ""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def _rows(node: Element) -> list[Element]:
    return [
        row for part in node.children if isinstance(part, Element) for row in part.children if isinstance(row, Element)
    ]


def _children(node: Node) -> tuple[Node, ...]:
    return node.children if isinstance(node, Element) else (node,)


def _inline(nodes: Iterable[Node]) -> str:
    return "".join(escape(node) if isinstance(node, str) else _inline_element(node) for node in nodes)


def _inline_element(node: Element) -> str:
    text = _inline(node.children)
    match node.tag:
        case "code":
            return code_span(text_of(node.children))
        case "a":
            address = node.attributes["href"].replace("(", "%28").replace(")", "%29").replace("<", "%3C")
            return f"[{text}]({address})"
        case "br":
            return "\\\n"
        case "em" | "strong" | "s":
            mark = _WRAPPED[node.tag]
            return f"{mark}{text}{mark}" if text.strip() == text and text else text
        case _:
            return text
