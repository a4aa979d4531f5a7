"""Reads a pattern part by part and writes it anew; see :mod:`tah_jupyter.host.search.regex` for the language."""

import re
from typing import NoReturn

from tah_jupyter.host.search.regex_classes import ClassError, Members, Shorthands, bracket, inverse, quote

__all__ = ["BadPattern", "Reader"]

_FLAGS = re.compile(r"\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])")
_NAMED = re.compile(r"\(\?P?<(\w*)(>?)")
_REPEAT = re.compile(r"\{(\d*)(,?)(\d*)\}", re.ASCII)
_POSIX = re.compile(r"\[:\^?[a-z]+:\]")
_PROPERTY = re.compile(r"\\([pP])(?:\{(\^?)(\w+)\}|([A-Z]))", re.ASCII)
_CODE = re.compile(r"\\(?:x\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})|(0[0-7]{0,2}))")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a"}
_LINE_END = r"(?:\r?$)"

_UNSUPPORTED_GROUPS = {
    "(?=": "look-ahead", "(?!": "look-ahead", "(?<=": "look-behind", "(?<!": "look-behind", "(?>": "an atomic group",
    "(?(": "a condition", "(?#": "a comment", "(?P=": "a backreference", "(?P>": "recursion", "(?&": "recursion",
    "(?R": "recursion", "(?|": "a branch reset",
}  # fmt: skip
_UNSUPPORTED_ESCAPES = {
    **dict.fromkeys("123456789kg", "a backreference"),
    **dict.fromkeys("ZGKRXNhHuUC", "an escape of another engine"),
}


class BadPattern(ValueError):
    """A pattern that cannot be searched for. ``at`` is the 1-based character of the trouble, 0 when it has no place."""

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(message)
        self.at = at


class Reader:
    """One pass over a pattern. ``out`` collects it for RE2, ``sieve`` for ripgrep."""

    def __init__(self, text: str, *, multiline: bool, shorthands: Shorthands) -> None:
        self.text = text
        self._shorthands = shorthands
        self.multiline = multiline
        self.out: list[str] = []
        self.sieve: list[str] = []
        self._at = 0
        self._open: list[int] = []
        self._repeatable = False
        self._run: list[str] = []
        self._runs: list[str] = []
        self._branches = self._folds_case = False

    def read(self) -> None:
        """Read all of it. Raises BadPattern."""
        try:
            self.text.encode()
        except UnicodeEncodeError as error:
            raise BadPattern("half a character (a lone surrogate)", error.start + 1) from error
        while self._at < len(self.text):
            self._token(self.text[self._at])
        if self._open:
            self._fail("( is never closed", self._open[-1])
        self._end_run()

    def literal(self, *, ignore_case: bool) -> str | None:
        """The longest text that every match holds, or None."""
        runs = [] if self._branches else self._runs
        if ignore_case or self._folds_case:
            runs = [run for run in runs if run.upper() == run.lower() == run]
        return max(runs, key=len, default=None)

    @property
    def is_plain(self) -> bool:
        """Whether the pattern is nothing but text."""
        return len(self._runs) == 1 and len(self.out) == len(self._runs[0])

    def _token(self, char: str) -> None:
        match char:
            case "\\":
                self._escape()
            case "[":
                self._class()
            case "(":
                self._group()
            case ")":
                if not self._open:
                    self._fail(") closes nothing; write \\) for the character")
                self._open.pop()
                self._emit(")", 1)
            case "|":
                self._branches = self._branches or not self._open
                self._emit("|", 1, repeatable=False)
            case "*" | "+" | "?":
                self._repeat(char, 1, minimum=int(char == "+"))
            case "{":
                self._braces()
            case "$":
                self._emit(_LINE_END, 1)
            case "." | "^":
                self._emit(char, 1)
            case _:
                self._char(char, 1)

    def _emit(self, written: str, length: int, *, sieve: str | None = None, repeatable: bool = True) -> None:
        self._end_run()
        self.out.append(written)
        self.sieve.append(written if sieve is None else sieve)
        self._at += length
        self._repeatable = repeatable

    def _char(self, char: str, length: int) -> None:
        if char == "\n":
            if not self.multiline:
                self._fail("a line end is never part of a line; set multiline=true to match across lines")
            self._emit(r"(?:\r?\n)", length)
            return
        self.out.append(quote(char))
        self.sieve.append(quote(char))
        self._at += length
        self._repeatable = True
        if not self._open:
            self._run.append(char)

    def _end_run(self) -> None:
        if self._run:
            self._runs.append("".join(self._run))
            self._run.clear()

    def _fail(self, message: str, at: int | None = None) -> NoReturn:
        raise BadPattern(message, (self._at if at is None else at) + 1)

    # repetition

    def _braces(self) -> None:
        found = _REPEAT.match(self.text, self._at)
        if found is None or found[0] in ("{}", "{,}"):
            self._char("{", 1)
            return
        low, comma, high = found.groups()
        self._repeat(f"{{{low or 0}{comma}{high}}}", len(found[0]), minimum=int(low or 0))

    def _repeat(self, written: str, length: int, *, minimum: int) -> None:
        if not self._repeatable:
            self._fail(f"{self.text[self._at]} repeats nothing; write \\{self.text[self._at]} for the character")
        if minimum == 0 and self._run:
            self._run.pop()
        follows = self.text[self._at + length : self._at + length + 1]
        if follows == "+":
            self._fail("a possessive repetition is not supported by this engine, which never backtracks")
        if follows == "?":
            written, length = written + "?", length + 1
        self._emit(written, length, repeatable=False)

    # groups

    def _group(self) -> None:
        start = self._at
        head = self.text[start:]
        for opening, name in _UNSUPPORTED_GROUPS.items():
            if head.startswith(opening):
                self._fail(f"{opening} is {name}, which this engine does not support")
        if not head.startswith("(?"):
            self._begin_group("(?:", 1)
        elif named := _NAMED.match(head):
            if not named[1] or not named[2]:
                self._fail(f"{named[0]} begins a named group, but the name is not complete: (?P<name>…)")
            self._begin_group("(?:", len(named[0]))
        elif flags := _FLAGS.match(head):
            self._flags(flags)
        else:
            self._fail("(? begins nothing that is known; write \\( for the character")

    def _begin_group(self, written: str, length: int) -> None:
        self._open.append(self._at)
        self._emit(written, length, repeatable=False)

    def _flags(self, found: re.Match[str]) -> None:
        on, off, end = found[1], found[2] or "", found[3]
        for flag in on + off:
            if flag not in "imsU":
                self._fail(f"the flag {flag} is not supported by this engine; there are i, m, s and U")
        self._folds_case = self._folds_case or "i" in on
        on, off = on.replace("m", ""), off.replace("m", "")  # ^ and $ always are those of lines
        written = f"(?{on}{'-' + off if off else ''}{end}"
        if end == ":":
            self._begin_group(written, len(found[0]))
        else:
            self._emit("" if written == "(?)" else written, len(found[0]), repeatable=False)

    # escapes

    def _escape(self) -> None:
        name = self.text[self._at + 1 : self._at + 2]
        if name in self._shorthands:
            self._emit(f"[{''.join(self._shorthands[name])}]", 2)
        elif name.lower() in self._shorthands:
            self._emit(inverse(self._shorthands[name.lower()]), 2)
        elif name and name in "bB":
            self._emit(f"\\{name}", 2, sieve="(?:)")
        elif name and name in "Az":
            self._text_end(name)
        elif name == "Q":
            self._quotation()
        elif found := _PROPERTY.match(self.text, self._at):
            self._emit(_property(found), len(found[0]))
        else:
            self._char(*self._escaped_char())

    def _text_end(self, name: str) -> None:
        if self.multiline:
            self._emit(f"\\{name}", 2, sieve="(?:)")
        else:
            self._emit("^" if name == "A" else _LINE_END, 2)

    def _quotation(self) -> None:
        end = self.text.find("\\E", self._at + 2)
        inner = self.text[self._at + 2 : end if end >= 0 else None]
        self._at += 2
        for char in inner:
            self._char(char, 1)
        self._at += 2 if end >= 0 else 0

    def _escaped_char(self) -> tuple[str, int]:
        """The character that the escape at this place stands for, and the length of the escape."""
        name = self.text[self._at + 1 : self._at + 2]
        if not name:
            self._fail("\\ at the end escapes nothing; write \\\\ for the character")
        if found := _CODE.match(self.text, self._at):
            code = int(found[1] or found[2] or found[3], 8 if found[3] else 16)
            if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
                self._fail(f"{found[0]} is not a character")
            return chr(code), len(found[0])
        if name in _CONTROLS:
            return _CONTROLS[name], 2
        if name in _UNSUPPORTED_ESCAPES:
            self._fail(f"\\{name} is {_UNSUPPORTED_ESCAPES[name]}, which this engine does not support")
        if name.isascii() and name.isalnum():
            self._fail(f"\\{name} is not an escape; write {name} for the character")
        return name, 2

    # classes

    def _class(self) -> None:
        start = self._at
        negated = self.text.startswith("[^", start)
        self._at += 1 + negated
        members: list[str] = []
        inverted: list[Members] = []
        first = self._at
        while self._at == first or not self.text.startswith("]", self._at):
            if self._at >= len(self.text):
                self._fail("[ is never closed; write \\[ for the character", start)
            self._member(members, inverted)
        try:
            written = bracket(members, inverted, negated=negated)
        except ClassError as error:
            self._fail(str(error), start)
        self._emit(written, 1)

    def _member(self, members: list[str], inverted: list[Members]) -> None:
        name = self.text[self._at + 1 : self._at + 2] if self.text[self._at] == "\\" else ""
        if found := _POSIX.match(self.text, self._at) or _PROPERTY.match(self.text, self._at):
            members.append(_property(found) if found.re is _PROPERTY else found[0])
            self._at += len(found[0])
        elif name in self._shorthands:
            members.extend(self._shorthands[name])
            self._at += 2
        elif name.lower() in self._shorthands:
            inverted.append(self._shorthands[name.lower()])
            self._at += 2
        else:
            members.append(self._range())

    def _range(self) -> str:
        start = self._at
        low = self._class_char()
        after = self.text[self._at + 1 : self._at + 2]
        if not self.text.startswith("-", self._at) or after in ("", "]"):
            return quote(low)
        self._at += 1
        high = self._class_char()
        if high < low:
            self._fail(f"the range {self.text[start : self._at]} runs backwards", start)
        return f"{quote(low)}-{quote(high)}"

    def _class_char(self) -> str:
        char = self.text[self._at]
        char, length = self._escaped_char() if char == "\\" else (char, 1)
        self._at += length
        return char


def _property(found: re.Match[str]) -> str:
    letter, caret, name = found[1], found[2], found[3] or found[4]
    if caret:
        letter = "P" if letter == "p" else "p"
    return f"\\{letter}{{{name}}}"
