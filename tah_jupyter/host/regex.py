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

from tah_jupyter.host.regex_reader import BadPattern, Reader

__all__ = ["BadPattern", "Pattern", "compile_pattern"]

_MEMORY_BYTES = 64 << 20


class Pattern(msgspec.Struct, frozen=True):
    """A pattern ready to search bytes of UTF-8 with.

    ``literal`` is text that every match holds, None when there is none or case does not count; ``whole`` says that it
    is all of the pattern. ``sieve`` is the pattern for ripgrep.
    """

    regex: Any
    literal: bytes | None
    whole: bool
    sieve: str
    ignore_case: bool
    multiline: bool


def compile_pattern(text: str, *, ignore_case: bool = False, multiline: bool = False) -> Pattern:
    """Read ``text``; with ``multiline`` it may match line ends, otherwise it is matched line by line.

    Raises BadPattern with the position and, for what RE2 has not, its name.
    """
    reader = Reader(text, multiline=multiline)
    reader.read()
    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.never_nl = not multiline
    options.max_mem = _MEMORY_BYTES
    options.log_errors = False
    try:
        regex = re2.compile(("(?m)" + "".join(reader.out)).encode(), options)
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


def _refused(error: re2.error, text: str) -> BadPattern:
    """What RE2 says, as ``kind: fragment``, with the place of the fragment."""
    raw = error.args[0]
    said = raw.decode(errors="replace") if isinstance(raw, bytes) else str(raw)
    kind, _, fragment = said.partition(": ")
    if "too large" in kind:
        return BadPattern("it needs too much memory; use smaller repetitions")
    at = text.find(fragment) + 1 if fragment else 0
    return BadPattern(f"{kind}: {fragment}" if at else kind, at)
