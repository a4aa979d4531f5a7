"""The diff of a 21,000-line file with one edit, as an approval shows it, beside difflib on the same texts."""

import difflib
import statistics
import time
from collections.abc import Callable
from typing import Any

from tah_jupyter.core.diff import diff_texts

LINES = 21_000
ROUNDS = 15


def median_ms(work: Callable[[], object]) -> float:
    """Median wall time of ``work()``, in ms."""
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        taken.append((time.perf_counter() - start) * 1e3)
    return statistics.median(taken)


def figures() -> list[dict[str, Any]]:
    """One figure: ours against ``difflib.unified_diff``."""
    old = "".join(f"line {number} = {number * 7 % 1000}\n" for number in range(LINES))
    new = old.replace("line 12345 =", "line 12345 +=")
    lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
    ours = median_ms(lambda: diff_texts("a.py", old, new))
    theirs = median_ms(lambda: list(difflib.unified_diff(*lines)))
    return [
        {
            "name": "diff of 21,000 lines, one edit (ms; difflib)",
            "ours": ours,
            "reference": theirs,
            "ratio": ours / theirs,
            "goal": "≤ 5 ms",
            "ok": ours <= 5,
        }
    ]
