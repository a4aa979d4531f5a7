r"""The pattern language of grep, read once and made the same for every engine.

It is RE2's syntax (https://github.com/google/re2/wiki/Syntax), in which no pattern can take long, with three additions:
``\w``, ``\d`` and ``\s`` know all of Unicode, ``$`` also stands before a CRLF, and what RE2 lacks is named in the
error. ``\b`` knows ASCII letters only. The pattern is written anew from its parts, in a form that RE2 and ripgrep read
alike. For ripgrep, which only proposes files, assertions that the two read differently are dropped: it then proposes
too many files, never too few.
"""

from typing import Any

import msgspec
import re2
from msgspec.structs import replace

from tah_jupyter.host.search.regex_classes import ASCII, UNICODE, Shorthands
from tah_jupyter.host.search.regex_reader import BadPattern, Reader

__all__ = ["BadPattern", "Pattern", "compile_pattern"]

_MEMORY_BYTES = 3 << 20
"""What RE2 may use for one pattern: so much takes it about 50 ms to prepare, for which it holds the interpreter."""

_MAX_PROPERTIES = 400
"""How many Unicode properties one pattern may name; each is hundreds of ranges to RE2, and one ``\\w`` names four."""

MAX_PATTERN_CHARS = 5000


class Pattern(msgspec.Struct, frozen=True):
    """A pattern ready to search bytes of UTF-8 with.

    ``literal`` is text that every match holds, None when there is none or case does not count; ``whole`` says that it
    is all of the pattern. ``sieve`` is the pattern for ripgrep. ``ascii_only``: it is so large that its shorthands, as
    ``\\w``, know only ASCII.
    """

    regex: Any
    literal: bytes | None
    whole: bool
    sieve: str
    ignore_case: bool
    multiline: bool
    ascii_only: bool = False


def compile_pattern(text: str, *, ignore_case: bool = False, multiline: bool = False) -> Pattern:
    """Read ``text``; with ``multiline`` it may match line ends, otherwise it is matched line by line.

    Raises BadPattern with the position and, for what RE2 has not, its name.
    """
    if len(text) > MAX_PATTERN_CHARS:
        raise BadPattern(f"it has {len(text):,} characters; at most {MAX_PATTERN_CHARS:,} are read")
    try:
        return _compile(text, UNICODE, ignore_case=ignore_case, multiline=multiline)
    except _TooLarge:
        pass
    try:
        small = _compile(text, ASCII, ignore_case=ignore_case, multiline=multiline)
    except _TooLarge as error:
        raise BadPattern("it needs too much memory; use smaller repetitions") from error
    return replace(small, ascii_only=True)


class _TooLarge(Exception):
    pass


def _compile(text: str, shorthands: Shorthands, *, ignore_case: bool, multiline: bool) -> Pattern:
    reader = Reader(text, multiline=multiline, shorthands=shorthands)
    reader.read()
    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.never_nl = not multiline
    options.max_mem = _MEMORY_BYTES
    options.log_errors = False
    written = "".join(reader.out)
    if written.count(r"\p{") + written.count(r"\P{") > _MAX_PROPERTIES:
        raise _TooLarge
    try:
        regex = re2.compile(f"(?m){written}".encode(), options)
    except re2.error as error:
        raise _refused(error, text) from error
    literal = reader.literal(ignore_case=ignore_case)
    return Pattern(
        regex=regex,
        literal=literal.encode() if literal else None,
        whole=literal is not None and reader.is_plain,
        sieve="".join(reader.sieve),
        ignore_case=ignore_case,
        multiline=multiline,
    )


def _refused(error: re2.error, text: str) -> Exception:
    """What RE2 says, as ``kind: fragment``, with the place of the fragment."""
    raw = error.args[0]
    said = raw.decode(errors="replace") if isinstance(raw, bytes) else str(raw)
    kind, _, fragment = said.partition(": ")
    if "too large" in kind:
        return _TooLarge()
    at = text.find(fragment) + 1 if fragment else 0
    return BadPattern(f"{kind}: {fragment}" if at else kind, at)
