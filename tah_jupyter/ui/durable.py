"""A tree in the few elements that every sanitiser of a saved notebook leaves alone.

nbconvert's ``--sanitize-html`` shows each tag it does not know as text and drops ``style`` (``clean_html`` of nbconvert
7.17: bleach's list with ``div pre code span table tr td``); JupyterLab knows more. So the record says with ``div``,
lists and ``strong`` what prose says with paragraphs and headings. ``details`` and ``summary`` stay: nothing else folds,
and JupyterLab, Notebook 7, VS Code, Colab and GitHub know them. A picture stays too.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from tah_jupyter.ui.nodes import Element, Node, element

__all__ = ["durable"]

_GAP = element("div", "\u00a0")
"""An empty line. A margin would need a style, which is dropped."""

_RULE = "―――"
_PROSE = frozenset({"h3", "h4", "h5", "h6", "hr", "ol", "p", "pre", "table", "ul"})
_SAME_TAG = {"p": "div", "ins": "span", "del": "span"}


def durable(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """The same content in elements that survive; blocks of prose are kept apart by an empty line.

    >>> durable([element("p", "a"), element("p", "b")]) == (element("div", "a"), _GAP, element("div", "b"))
    True
    """
    nodes = tuple(nodes)
    made: list[Node] = []
    for node, following in pairwise([*nodes, ""]):
        made += _made(node)
        if _are_apart(node, following):
            made.append(_GAP)
    return tuple(made)


def _are_apart(node: Node, following: Node) -> bool:
    """Whether an empty line stands between two neighbours: lists, tables and quotes keep their own distance."""
    if isinstance(node, str) or isinstance(following, str):
        return False
    if node.tag == "p":
        return following.tag not in ("blockquote", "ol", "ul")
    return node.tag == "pre" and following.tag in _PROSE


def _made(node: Node) -> Iterator[Node]:
    if isinstance(node, str):
        yield node
        return
    children = durable(node.children)
    match node.tag:
        case "thead" | "tbody":  # a browser adds them by itself
            yield from children
        case "th":
            yield Element("td", (element("strong", *children),), node.attributes)
        case "h3" | "h4" | "h5" | "h6":
            yield element("div", element("strong", *children))
        case "pre" if not _is_code(children):  # the type of ``pre`` alone is not fixed on every page
            yield element("pre", element("code", *children))
        case "br":  # an empty block ends a line as well
            yield element("div")
        case "hr":
            yield element("div", _RULE)
        case tag:
            yield Element(_SAME_TAG.get(tag, tag), children, node.attributes, node.look)


def _is_code(children: tuple[Node, ...]) -> bool:
    return any(isinstance(child, Element) and child.tag == "code" for child in children)
