"""A neutral tree of elements that both the saved record and the live frame are drawn from.

Only the tags and attributes listed here exist, text is always text, and links and pictures are checked once, here. So
there is one place that turns values into HTML, and the frame never parses any.
"""

import html
import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import msgspec

__all__ = [
    "ATTRIBUTES",
    "TAGS",
    "Element",
    "Node",
    "element",
    "link",
    "picture",
    "plain",
    "shield",
    "shield_plain",
    "text_of",
    "to_html",
]

TAGS = frozenset(
    {"a", "blockquote", "br", "code", "del", "details", "div", "em", "h3", "h4", "h5", "h6", "hr", "img", "ins", "li"}
    | {"ol", "p", "pre", "s", "span", "strong", "summary", "table", "tbody", "td", "th", "thead", "tr", "ul"}
)
VOID = frozenset({"br", "hr", "img"})
ATTRIBUTES = frozenset({"alt", "href", "open", "rel", "role", "src", "start", "style", "target"})
_BLANK_LINE = re.compile(r"\n(?=[ \t]*\n)")
_COMMAND_LINKER = re.compile("(command)(l)(inker)", re.IGNORECASE)
LINK_SCHEMES = frozenset({"http", "https", "mailto"})


class Element(msgspec.Struct, frozen=True):
    """One element. ``look`` names a class of the live frame's style sheet; the record has none."""

    tag: str
    children: "tuple[Node, ...]" = ()
    attributes: dict[str, str] = {}
    look: str = ""


Node: TypeAlias = str | Element


def element(tag: str, *children: Node, look: str = "", **attributes: str) -> Element:
    """Make an element. Raises ValueError for a tag or attribute that is not on the list: that is a bug of ours."""
    if tag not in TAGS or not ATTRIBUTES.issuperset(attributes):
        raise ValueError(f"no element <{tag} {' '.join(attributes)}> may be drawn")
    return Element(tag, children, attributes, look)


def link(address: str, *children: Node) -> Element:
    """A link when ``address`` is http, https or mailto; otherwise its words, followed by the address as text."""
    if _may_be_linked(address):
        return element("a", *children, href=address, rel="noopener noreferrer", target="_blank")
    return element("span", *children, *([f" ({address})"] if address else []))


def _may_be_linked(address: str) -> bool:
    if any(ord(character) <= 0x20 or ord(character) == 0x7F for character in address):
        return False
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    scheme = parts.scheme.lower()
    return scheme in LINK_SCHEMES and (bool(parts.netloc) or scheme == "mailto")


def picture(mime: str, data: str, alt: str) -> Node:
    """An image that travels inside the document; anything that is not base64 of a known image type is its words."""
    known = mime in ("image/png", "image/jpeg", "image/gif", "image/webp")
    if not known or not data.isascii() or not data.replace("+", "").replace("/", "").rstrip("=").isalnum():
        return alt
    return element("img", src=f"data:{mime};base64,{data}", alt=alt)


def to_html(nodes: Iterable[Node]) -> str:
    """HTML for the saved record: escaped text, no class, no script, no ``data-*``, nothing that is fetched.

    It has no blank line: in Markdown, which nbconvert makes of it, one would end the HTML (CommonMark 0.31, section
    4.6), and what a tool printed below it would be read as Markdown.
    """
    return _BLANK_LINE.sub("&#10;", "".join(_html(node) for node in nodes))


def _html(node: Node) -> str:
    if isinstance(node, str):
        return shield(html.escape(node, quote=False))
    attributes = "".join(_attribute(name, value) for name, value in node.attributes.items())
    if node.tag in VOID:
        return f"<{node.tag}{attributes}>"
    return f"<{node.tag}{attributes}>{''.join(map(_html, node.children))}</{node.tag}>"


def _attribute(name: str, value: str) -> str:
    return f' {name}="{shield(html.escape(value))}"' if value else f" {name}"


def shield(escaped: str) -> str:
    """Spell the name of JupyterLab's command linker with an entity, so that not even text that a careless front end
    parses twice can press its buttons (CVE-2026-42557). People see no difference.
    """
    return _COMMAND_LINKER.sub(lambda match: f"{match[1]}&#{ord(match[2])};{match[3]}", escaped)


def shield_plain(text: str) -> str:
    """The same where no entity is read, as in code: the letter is written as its escape, which people can read."""
    return _COMMAND_LINKER.sub(lambda match: f"{match[1]}\\u{ord(match[2]):04x}{match[3]}", text)


def plain(nodes: Iterable[Node]) -> list[Any]:
    """The tree as JSON for the frame: text, or ``[tag, look, attributes, children]``."""
    return [
        node if isinstance(node, str) else [node.tag, node.look, node.attributes, plain(node.children)]
        for node in nodes
    ]


def text_of(nodes: Iterable[Node]) -> str:
    """All the text of a tree, as ``textContent`` would give it."""
    return "".join(_texts(nodes))


def _texts(nodes: Iterable[Node]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield node
        else:
            yield from _texts(node.children)
