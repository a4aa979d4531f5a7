"""Keys in the text of a cell: values that a name of a secret is given, and the shapes of keys wherever they stand."""

import re
from collections.abc import Iterator
from functools import cache

from tah_jupyter.host.secrets.redact import Redactor
from tah_jupyter.host.secrets.values import secrets_in

__all__ = ["has_key"]

_NAME = r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
_GIVEN = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf"^\s*%(?:set_)?env\s+{_NAME}\s*[=\s]\s*['\"]?(?P<value>[^\s'\"{{$][^\s'\"]*)",
        rf"""environ\s*\[\s*['"]{_NAME}['"]\s*\]\s*=\s*f?['"](?P<value>[^'"\n]+)['"]""",
        rf"""(?:putenv|setdefault|setenv)\s*\(\s*['"]{_NAME}['"]\s*,\s*['"](?P<value>[^'"\n]+)['"]""",
        rf"^\s*!?\s*export\s+{_NAME}=['\"]?(?P<value>[^\s'\"$][^\s'\"]*)",
    )
)
_ASSIGNED = re.compile(rf"""\b{_NAME}\s*=\s*['"](?P<value>[^'"\n]+)['"]""")
"""An assignment or an argument: its name alone says little (``key="amount"``), so its value must look random too."""

_PLACEHOLDER = re.compile(r"your|xxx|\.\.\.|…|<|\{|\$|example|changeme|placeholder|todo|\bname\b", re.IGNORECASE)


def has_key(cell: str) -> bool:
    """Whether a key stands in ``cell``."""
    return any(secrets_in({name: value}) for name, value in _given(cell)) or _has_shape(cell)


def _given(cell: str) -> Iterator[tuple[str, str]]:
    """Names and the literal values they are given."""
    found = [match for pattern in _GIVEN for match in pattern.finditer(cell)]
    found += [match for match in _ASSIGNED.finditer(cell) if _looks_random(match["value"])]
    for match in found:
        if _PLACEHOLDER.search(match["value"]) is None and " " not in match["value"]:
            yield match["name"].upper(), match["value"]


def _looks_random(value: str) -> bool:
    runs = re.split(r"[^A-Za-z0-9]", value)
    return any(len(run) >= 12 and not run.isalpha() and not run.isdecimal() for run in runs)


def _has_shape(cell: str) -> bool:
    """Whether a key of a known shape stands in it, with the patterns that also keep keys out of the log."""
    return bool(_redactor().spans(cell))


@cache
def _redactor() -> Redactor:
    return Redactor()
