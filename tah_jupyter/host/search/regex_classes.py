r"""Character classes of the pattern language of grep: ``\w``, ``\d``, ``\s`` with all of Unicode, and ``[…]``.

RE2's own ``\w``, ``\d`` and ``\s`` know ASCII only, so they are spelled out here: by Unicode Technical Standard 18,
Annex C (``\w`` without the few circled letters), in parts, so that ``[^\W_]`` can leave one out.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import re2

__all__ = ["ASCII", "UNICODE", "ClassError", "Members", "Shorthands", "bracket", "inverse", "quote"]

Members: TypeAlias = tuple[str, ...]
Shorthands: TypeAlias = Mapping[str, Members]

_META = frozenset("\\.+*?()|[]{}^$#&-~")
_PC = "_\u203f\u2040\u2054\ufe33\ufe34\ufe4d\ufe4e\ufe4f\uff3f"  # category Pc, connector punctuation
_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"  # White_Space, with the range below


class ClassError(ValueError):
    """A ``[…]`` that cannot be written for RE2."""


def quote(char: str) -> str:
    """A literal character, in a form that reads the same everywhere, inside brackets too."""
    if char in _META:
        return "\\" + char
    return char if char.isprintable() else f"\\x{{{ord(char):X}}}"


UNICODE: Shorthands = {
    "d": (r"\p{Nd}",),
    "w": (r"\p{L}", r"\p{M}", r"\p{Nl}", r"\p{Nd}", *map(quote, _PC), quote("\u200c"), quote("\u200d")),
    "s": (*map(quote, _SPACE), r"\x{2000}-\x{200A}"),
}
"""What each shorthand is made of, as members of a ``[…]``."""

ASCII: Shorthands = {
    "d": ("0-9",),
    "w": ("A-Z", "a-z", "0-9", "_"),
    "s": tuple(map(quote, "\t\n\v\f\r ")),
}
"""The same without Unicode, some hundred times smaller for RE2."""


def inverse(shorthand: Members) -> str:
    """Every character that is not in ``shorthand``."""
    return f"[^{''.join(shorthand)}]"


def bracket(members: Sequence[str], inverted: Sequence[Members], *, negated: bool) -> str:
    r"""A ``[…]`` with these members and the inverted shorthands (``\W`` is given as what ``\w`` is made of) among them.

    RE2 has no class inside a class: a union becomes an alternation, and ``[^\W…]`` is ``\w`` without the rest. Raises
    ClassError where that cannot be written.
    """
    if not inverted:
        return f"[{'^' if negated else ''}{''.join(members)}]"
    if negated:
        return _without(inverted, members)
    return "(?:" + "|".join([*([f"[{''.join(members)}]"] if members else []), *map(inverse, inverted)]) + ")"


def _without(inverted: Sequence[Members], members: Sequence[str]) -> str:
    kept = inverted[0]
    whole = f"[{''.join(kept)}]"
    for member in members:
        if member not in kept and (not _is_single(member) or re2.search(whole, _char(member))):
            raise ClassError(f"\\W, \\D or \\S in [^…] cannot leave out {member} in this engine")
    left = [part for part in kept if part not in members]
    if len(set(inverted)) > 1 or not left:
        raise ClassError("this mixture of \\W, \\D or \\S in [^…] is not supported by this engine")
    return f"[{''.join(left)}]"


def _is_single(member: str) -> bool:
    return len(member) == 1 or re.fullmatch(r"\\x\{[0-9A-F]+\}|\\[^\w]", member) is not None


def _char(member: str) -> str:
    return chr(int(member[3:-1], 16)) if member.startswith("\\x{") else member[-1]
