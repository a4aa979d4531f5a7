"""Numbers as people read them: durations, clocks, tokens, money."""

import math

from tah_jupyter.ui.words import Words

__all__ = ["clock", "duration", "money", "tokens"]


def duration(seconds: float, words: Words) -> str:
    """A length of time: ``0.6 s``, ``52 s``, ``5 min 12 s``.

    >>> duration(0.61, Words()), duration(52.4, Words()), duration(312, Words())
    ('0.6 s', '52 s', '5 min 12 s')
    """
    if seconds < 9.95:
        return words.say("seconds", n=f"{seconds:.1f}")
    whole = round(seconds)
    return words.say("minutes", m=whole // 60, s=whole % 60) if whole >= 60 else words.say("seconds", n=whole)


def clock(seconds: float) -> str:
    """A clock that runs: ``0:07``, ``12:03``, ``1:00:00``; whole seconds, rounded down.

    >>> clock(7.9), clock(723), clock(3600)
    ('0:07', '12:03', '1:00:00')
    """
    whole = math.floor(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def tokens(number: int) -> str:
    """A number of tokens: ``940``, ``9 k``, ``12.3 k``, ``1.2 M``.

    >>> tokens(940), tokens(9_000), tokens(12_345), tokens(1_240_000)
    ('940', '9 k', '12.3 k', '1.2 M')
    """
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if number >= size - size // 20_000:  # 999,950 is already 1 M, once rounded
            return f"{number / size:.1f}".removesuffix(".0") + f" {unit}"
    return str(number)


def money(cost_usd: float | None, host: str, words: Words) -> str:
    """A price in US dollars. Unknown is said, never 0; what is known to be free says so.

    >>> money(0.0421, "api.example.org", Words()), money(None, "api.example.org", Words()), money(0.0, "", Words())
    ('$0.04', 'cost n/a', 'local, no charge')
    """
    if cost_usd is None:
        return words.say("cost_unknown")
    if cost_usd == 0:
        return words.say("no_charge" if host and not is_this_machine(host) else "local_no_charge")
    return f"${cost_usd:.2f}" if cost_usd >= 0.005 else f"${cost_usd:.2g}"


def is_this_machine(host: str) -> bool:
    """Whether ``host``, with or without a port, is this machine by one of its usual names."""
    name = host.removeprefix("[").partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return host == "::1" or name in ("localhost", "::1") or name.startswith("127.")
