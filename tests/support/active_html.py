"""What is active in a piece of HTML: anything but text, structure, colour, and links a person has to click."""

import re
from html.parser import HTMLParser

__all__ = ["active_in"]

TAGS = frozenset(
    {"a", "blockquote", "br", "code", "del", "details", "div", "em", "h3", "h4", "h5", "h6", "hr", "img", "ins", "li"}
    | {"ol", "p", "pre", "s", "span", "strong", "summary", "table", "tbody", "td", "th", "thead", "tr", "ul"}
)
ATTRIBUTES = {
    "open": re.compile(""),
    "href": re.compile(r"(https?://|mailto:).*", re.IGNORECASE | re.DOTALL),
    "rel": re.compile("noopener noreferrer"),
    "target": re.compile("_blank"),
    "start": re.compile(r"\d+"),
    "style": re.compile(r"background-color:rgba\(\d+,\d+,\d+,0\.2\);text-decoration:none"),
    "src": re.compile(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+"),
    "alt": re.compile(".*", re.DOTALL),
}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.found.append(f"<{tag}>")
        for name, value in attrs:
            allowed = ATTRIBUTES.get(name)
            if allowed is None or allowed.fullmatch(value or "") is None:
                self.found.append(f"<{tag} {name}={value!r}>")

    def handle_comment(self, data: str) -> None:
        self.found.append(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self.found.append(f"<!{decl}>")

    def handle_pi(self, data: str) -> None:
        self.found.append(f"<?{data}>")


def active_in(html: str) -> list[str]:
    """Every element, attribute, comment or declaration of ``html`` that a record must not hold."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.found
