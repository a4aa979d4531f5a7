"""The findings for people, a line each and below it what to copy, and for programs."""

import json
from collections import Counter
from collections.abc import Sequence

from tah_jupyter._version import __version__
from tah_jupyter.jupyter.columns import aligned
from tah_jupyter.jupyter.doctor.finding import Finding, State
from tah_jupyter.ui.words import Words

__all__ = ["as_json", "as_text"]

_MARKS: dict[State, str] = {"good": "✓", "note": "◆", "problem": "✕", "unknown": "–"}


def as_text(findings: Sequence[Finding], words: Words, *, took_s: float) -> str:
    """A line on the whole, then one for each finding: mark and word, what, what holds; its fix stands below it."""
    counted = Counter(finding.state for finding in findings)
    parts = [words.count("doctor_checks", len(findings))]
    parts += [words.count(f"doctor_count_{state}", counted[state]) for state in ("problem", "note") if counted[state]]
    lines = [" · ".join([*parts, words.say("seconds", n=f"{took_s:.1f}")])]
    states = aligned(
        [(f"{_MARKS[each.state]} {words.say(f'doctor_state_{each.state}')}", each.about) for each in findings]
    )
    for line, finding in zip(
        aligned([(state, each.meaning) for state, each in zip(states, findings, strict=True)]), findings, strict=True
    ):
        lines += [line, *([f"    {finding.fix}"] if finding.fix else [])]
    return "\n".join(lines)


def as_json(findings: Sequence[Finding], *, took_s: float) -> str:
    """The same as one JSON object: ``{version, took_s, checks: [{check, state, about, meaning, fix}]}``."""
    checks = [finding._asdict() for finding in findings]
    return json.dumps(
        {"version": __version__, "took_s": round(took_s, 2), "checks": checks}, ensure_ascii=False, indent=1
    )
