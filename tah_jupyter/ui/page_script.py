"""The frame's script and style, written as several files and handed to the page as one text each.

A page loads a widget's script from memory, where ``import … from "./card.js"`` finds nothing. So the modules share one
scope there: imports of our own are dropped, ``export`` with them, and each stands after those it imports. It is done
when the package is imported and not when it is built: what is in the checkout is what runs, and nothing can be stale.
"""

import pkgutil
import re

__all__ = ["STYLES", "script", "style"]

ENTRY = "frame.js"

STYLES = ("frame.css", "rows.css", "views.css", "cards.css", "adapting.css")
"""In the order in which they overrule each other."""

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def script() -> str:
    """One module with everything that :data:`ENTRY` imports, each part once and after what it needs."""
    parts: dict[str, str] = {}
    _add(ENTRY, parts)
    return "\n".join(parts.values())


def style() -> str:
    """The whole style sheet."""
    return "\n".join(map(_text, STYLES))


def _add(name: str, parts: dict[str, str]) -> None:
    text = _text(name)
    for needed in _IMPORT.findall(text):
        if needed not in parts:
            _add(needed, parts)
    parts[name] = _EXPORT.sub("", _IMPORT.sub("", text))


def _text(name: str) -> str:
    data = pkgutil.get_data(__package__, f"static/{name}")
    if data is None:
        raise FileNotFoundError(f"The package has no ui/static/{name}; install it again.")
    return data.decode("utf-8")
