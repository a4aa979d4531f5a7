"""Rules: names of tools that are denied, ask, or are allowed. A rule that cannot be read closes everything."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

import msgspec

__all__ = ["Rules", "read_rules"]


class Rules(msgspec.Struct, frozen=True):
    """Names or aliases of tools by what happens to their calls; ``fail_closed`` is why everything asks, if it does."""

    deny: frozenset[str] = frozenset()
    ask: frozenset[str] = frozenset()
    allow: frozenset[str] = frozenset()
    fail_closed: str = ""


def read_rules(
    *,
    deny: Iterable[str] = (),
    ask: Iterable[str] = (),
    allow: Iterable[str] = (),
    tools: Sequence[str],
    broken: str = "",
) -> tuple[Rules, tuple[str, ...]]:
    """Rules from their texts, and what the person should be told of them.

    A rule is the name of a tool. A text that is no name (``edit_file(src/**)``, ``Wirte(x)``) fails closed: everything
    asks until it is mended. A name that no tool has is a warning: a server may still bring it. ``broken`` says why the
    config itself could not be read; then everything asks as well.
    """
    problems = [broken] if broken else []
    warnings: list[str] = []
    kinds: dict[str, list[str]] = {"deny": list(deny), "ask": list(ask), "allow": list(allow)}
    for kind, texts in kinds.items():
        for text in texts:
            if not text.isidentifier():
                problems.append(f"the {kind} rule {text!r} cannot be read: a rule is the name of a tool")
            elif text not in tools:
                near = get_close_matches(text, tools, n=1, cutoff=0.5)
                hint = f" (did you mean {near[0]}?)" if near else ""
                warnings.append(f"The {kind} rule {text!r} names no tool that is there now{hint}.")
    closed = "; ".join(problems)
    deny_set, ask_set, allow_set = (frozenset(kinds[kind]) for kind in ("deny", "ask", "allow"))
    told = [f"Everything asks until this is mended: {text}." for text in problems]
    return Rules(deny_set, ask_set, allow_set, closed and f"everything asks: {closed}"), (*told, *warnings)
