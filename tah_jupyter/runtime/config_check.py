"""One source of settings, checked against the table: what of it can be used, and what is wrong with the rest."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tah_jupyter.runtime.config_schema import CONFIG, Key, is_group

__all__ = ["Problem", "Setting", "Source", "check", "nearest"]

_SHOWN_CHARS = 60
_WORDS = {
    "text": "a text",
    "whole": "a whole number",
    "flag": "true or false",
    "list": "a list",
    "section": "an object",
    "table": "an object",
}
_BAD = object()


class Source(NamedTuple):
    """Where settings come from: a file and the lines of its keys, or a name alone. ``by_hand`` marks the person's own
    commands.
    """

    name: str
    lines: Mapping[tuple[str | int, ...], int] = {}
    by_hand: bool = False

    def at(self, path: tuple[str | int, ...]) -> str:
        """The source of one key, with its line when it has one."""
        return f"{self.name}:{self.lines[path]}" if path in self.lines else self.name


class Setting(NamedTuple):
    """A value that passed: the dotted path of its key, and where it stands."""

    path: str
    key: Key
    value: Any
    source: str
    line: int


class Problem(NamedTuple):
    """What is wrong with a source. A fatal one makes everything ask until it is mended; others are only told."""

    source: str
    line: int
    key: str
    message: str
    fatal: bool = True

    def __str__(self) -> str:
        return f"{self.source}{f', line {self.line}' if self.line else ''}: {self.message}"


def check(tree: Any, source: Source) -> tuple[list[Setting], list[Problem]]:
    """Split ``tree`` into the settings that can be used and the problems with all others.

    No problem quotes a value, because a key of a provider may stand in the wrong place.
    """
    checker = _Checker(source)
    checker.group(CONFIG, tree, ())
    return checker.settings, checker.problems


def nearest(word: str, known: Iterable[str]) -> str:
    """``did you mean "x"?`` for the known name most like ``word``, else all known names."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it, and loading counts milliseconds

    known = sorted(known)
    found = get_close_matches(word[:_SHOWN_CHARS], known, n=1, cutoff=0.6)
    return f"did you mean {quoted(found[0])}?" if found else f"known: {', '.join(known)}."


def quoted(word: str) -> str:
    """A name from a file for a message: cut, and with nothing in it that a screen would act on."""
    shown = word if len(word) <= _SHOWN_CHARS else word[:_SHOWN_CHARS] + "…"
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in shown) + '"'


class _Checker:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.settings: list[Setting] = []
        self.problems: list[Problem] = []

    def problem(self, path: tuple[str | int, ...], message: str, *, fatal: bool = True) -> object:
        line = self.source.lines.get(path, 0)
        self.problems.append(Problem(self.source.name, line, _dotted(path), message, fatal))
        return _BAD

    def group(self, key: Key, value: Any, path: tuple[str | int, ...]) -> None:
        """Take apart an object that only holds keys together."""
        for name, below, inner in self.known(key, value, path):
            if is_group(below):
                self.group(below, inner, (*path, name))
            elif below.later:
                self.later(below, inner, (*path, name))
            elif (usable := self.value(below, inner, (*path, name))) is not _BAD:
                self.found(below, usable, (*path, name))

    def known(self, key: Key, value: Any, path: tuple[str | int, ...]) -> Iterable[tuple[str, Key, Any]]:
        if not isinstance(value, Mapping):
            self.wrong_type(key, value, path)
            return
        for name, inner in value.items():
            if name in key.keys:
                yield name, key.keys[name], inner
            else:
                where = f" in {quoted(_dotted(path))}" if path else ""
                self.problem((*path, name), f"unknown key {quoted(str(name))}{where}; {nearest(str(name), key.keys)}")

    def found(self, key: Key, value: Any, path: tuple[str | int, ...]) -> None:
        if key.kind == "table":  # entries of several sources live side by side, each whole
            for name, entry in value.items():
                self.setting(key, entry, (*path, name))
        else:
            self.setting(key, value, path)

    def setting(self, key: Key, value: Any, path: tuple[str | int, ...]) -> None:
        line = self.source.lines.get(path, 0)
        self.settings.append(Setting(_dotted(path), key, value, self.source.at(path), line))

    def later(self, key: Key, value: Any, path: tuple[str | int, ...]) -> None:
        """A part that is not built yet. A guard the person relies on and that would not run must not pass unseen."""
        name = quoted(_dotted(path))
        if path == ("hooks",) and value:
            self.problem(path, f"{name} is not used by this version, so its checks would not run. Remove it to go on.")
        else:
            self.problem(path, f"{name} is not used by this version.", fatal=False)

    def value(self, key: Key, value: Any, path: tuple[str | int, ...]) -> Any:
        """What of ``value`` can be used, or ``_BAD``. Bad entries of lists and tables are left out, good ones kept."""
        if key.or_flag and isinstance(value, bool):
            return value
        match key.kind, value:
            case "text", str():
                return self.text(key, value, path)
            case "whole", int() if not isinstance(value, bool):
                return self.whole(key, value, path)
            case "flag", bool():
                return value
            case "list", list() | tuple():
                return self.entries(key, enumerate(value), path)
            case "table", Mapping():
                return dict(self.named_entries(key, value, path))
            case "section", Mapping():
                return self.section(key, value, path)
            case _:
                return self.wrong_type(key, value, path)

    def text(self, key: Key, value: str, path: tuple[str | int, ...]) -> Any:
        name = quoted(_dotted(path))
        choices = key.choices + (key.by_hand if self.source.by_hand else ())
        if value in key.by_hand and value not in choices:
            return self.problem(path, f"{name} cannot be {quoted(value)} here; it is chosen by hand and never saved.")
        if choices and value not in choices:
            return self.problem(path, f"{name} cannot be {quoted(value)}; {nearest(value, choices)}")
        if key.pattern and (value.endswith("\n") or not re.search(key.pattern, value)):
            return self.problem(path, f"{name} must be {key.pattern_says or 'a text that is not empty'}.")
        return value

    def whole(self, key: Key, value: int, path: tuple[str | int, ...]) -> Any:
        if key.least is not None and value < key.least:
            return self.problem(path, f"{quoted(_dotted(path))} must be at least {key.least}.")
        if key.most is not None and value > key.most:
            return self.problem(path, f"{quoted(_dotted(path))} must be at most {key.most}.")
        return value

    def entries(self, key: Key, entries: Iterable[tuple[int, Any]], path: tuple[str | int, ...]) -> tuple[Any, ...]:
        assert key.item is not None
        usable = [self.value(key.item, entry, (*path, number)) for number, entry in entries]
        return tuple(entry for entry in usable if entry is not _BAD)

    def named_entries(
        self, key: Key, entries: Mapping[str, Any], path: tuple[str | int, ...]
    ) -> Iterable[tuple[str, Any]]:
        assert key.item is not None
        for name, entry in entries.items():
            if (usable := self.value(key.item, entry, (*path, name))) is not _BAD:
                yield name, usable

    def section(self, key: Key, value: Mapping[str, Any], path: tuple[str | int, ...]) -> Any:
        """An object that counts only as a whole: one mistake in an endpoint, and it is not used."""
        before = len(self.problems)
        usable = {n: self.value(below, inner, (*path, n)) for n, below, inner in self.known(key, value, path)}
        exempt = any(value.get(name) == reason for name, reason in key.required_unless.items())
        for name in key.required:
            if name not in value and not exempt:
                self.problem(path, f"{quoted(_dotted(path))} needs the key {quoted(name)}.")
        return usable if len(self.problems) == before else _BAD

    def wrong_type(self, key: Key, value: Any, path: tuple[str | int, ...]) -> object:
        wanted = _WORDS[key.kind] + (" or true or false" if key.or_flag else "")
        name = quoted(_dotted(path)) if path else "the whole"
        return self.problem(path, f"{name} must be {wanted}, not {_type_of(value)}.")


def _dotted(path: tuple[str | int, ...]) -> str:
    return ".".join(str(part) for part in path)


def _type_of(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case Mapping():
            return "an object"
        case list() | tuple():
            return "a list"
        case _:
            return f"of type {type(value).__name__}"
