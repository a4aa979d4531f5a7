"""JSON that remembers on which line each key stands, so that an error in a config file can point at it.

Stricter than :mod:`json`: a key given twice, a number that is no number, or text that is not Unicode is an error,
because the second ``permissions`` of a file would otherwise quietly replace the first.
"""

import json
import re
from typing import Any, NamedTuple

__all__ = ["JsonError", "Located", "parse"]

MAX_DEPTH = 40
_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,300})(?:\.[0-9]{1,300})?(?:[eE][+-]?[0-9]{1,3})?(?![0-9.])")
_WORD = re.compile(r"(?:true|false|null)\b")


class JsonError(ValueError):
    """Text that is not JSON: ``line`` (from 1) and what is wrong there, without quoting the text."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


class Located(NamedTuple):
    """A parsed value, and the line of each key and list item by its path from the top."""

    value: Any
    lines: dict[tuple[str | int, ...], int]


def parse(text: str) -> Located:
    """Read one JSON value. Raises JsonError with the line of the first mistake."""
    scanner = _Scanner(text)
    value = scanner.value(())
    scanner.skip_space()
    if scanner.at < len(text):
        raise scanner.error("there is more after the end of the JSON value")
    return Located(value, scanner.lines)


class _Scanner:
    """Where the reading stands. Lines are counted as it goes, so that a long file costs linear time."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[tuple[str | int, ...], int] = {}
        self._line = 1
        self._counted = 0

    def line(self) -> int:
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def error(self, message: str) -> JsonError:
        return JsonError(self.line(), message)

    def skip_space(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def next_is(self, character: str) -> bool:
        """Whether ``character`` comes next, apart from space; it is then read."""
        self.skip_space()
        found = self.text.startswith(character, self.at)
        self.at += found
        return found

    def value(self, path: tuple[str | int, ...]) -> Any:
        if len(path) > MAX_DEPTH:
            raise self.error(f"values are nested more than {MAX_DEPTH} deep")
        if self.next_is("{"):
            return self.object(path)
        if self.next_is("["):
            return self.array(path)
        if self.text.startswith('"', self.at):
            return self.string()
        return self.scalar()

    def object(self, path: tuple[str | int, ...]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.next_is("}"):
            return found
        while True:
            self.skip_space()
            if not self.text.startswith('"', self.at):
                raise self.error(self.instead_of("a key in double quotes"))
            line = self.line()
            key = self.string()
            if key in found:
                raise self.error(f"the key {json.dumps(key[:60])} is given twice")
            if not self.next_is(":"):
                raise self.error(self.instead_of(f'":" after the key {json.dumps(key[:60])}'))
            self.lines[(*path, key)] = line
            found[key] = self.value((*path, key))
            if self.next_is("}"):
                return found
            if not self.next_is(","):
                raise self.error(self.instead_of('"," or "}"'))

    def array(self, path: tuple[str | int, ...]) -> list[Any]:
        found: list[Any] = []
        if self.next_is("]"):
            return found
        while True:
            self.skip_space()
            self.lines[(*path, len(found))] = self.line()
            found.append(self.value((*path, len(found))))
            if self.next_is("]"):
                return found
            if not self.next_is(","):
                raise self.error(self.instead_of('"," or "]"'))

    def string(self) -> str:
        match = _STRING.match(self.text, self.at)
        if match is None:
            raise self.error("a text is not closed on its line, or holds an escape that JSON does not have")
        text: str = json.loads(match[0])
        if not _is_unicode(text):
            raise self.error("a text holds half of a surrogate pair, which is no character")
        self.at = match.end()
        return text

    def scalar(self) -> Any:
        match = _NUMBER.match(self.text, self.at) or _WORD.match(self.text, self.at)
        if match is None:
            raise self.error(self.instead_of("a value"))
        value = json.loads(match[0])
        if value in (float("inf"), float("-inf")):
            raise self.error("a number is too large")
        self.at = match.end()
        return value

    def instead_of(self, wanted: str) -> str:
        """What stands where ``wanted`` should; the usual slips by name, anything else unquoted."""
        rest = self.text[self.at : self.at + 2]
        if not rest:
            return f"the file ends where {wanted} should come"
        if rest in ("//", "/*") or rest[0] == "#":
            return "JSON has no comments"
        if rest[0] in "}]":
            return f"{wanted} should come before {rest[0]!r} (JSON allows no comma after the last entry)"
        return f"{wanted} should come here"


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
