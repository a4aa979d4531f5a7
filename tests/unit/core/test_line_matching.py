"""The ranges that differ turn the old lines into the new ones, whatever the lines are, and in bounded time."""

import itertools
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tah_jupyter.core.line_matching import Range, changed_ranges


def applied(old: Sequence[str], new: Sequence[str], changes: list[Range]) -> list[str]:
    result: list[str] = []
    at = 0
    for a, b, c, d in changes:
        result += [*old[at:a], *new[c:d]]
        at = b
    return [*result, *old[at:]]


LINES = st.lists(st.sampled_from("abcde"), max_size=24)


@settings(max_examples=300, deadline=None)
@given(LINES, LINES)
def test_the_ranges_make_the_new_from_the_old(old: list[str], new: list[str]) -> None:
    changes = changed_ranges(old, new)
    assert applied(old, new, changes) == new
    for (_, b, _, d), (a, _, c, _) in itertools.pairwise(changes):
        assert a - b == c - d > 0


def test_a_small_change_is_found_exactly() -> None:
    old = [f"line {n}" for n in range(3000)]
    new = old.copy()
    new[1500:1501] = ["x", "y"]
    assert changed_ranges(old, new) == [(1500, 1501, 1500, 1502)]
    moved = [*old[:10], *old[20:30], *old[10:20], *old[30:]]
    assert sum(b - a for a, b, _, _ in changed_ranges(old, moved)) == 10


def test_lines_that_repeat_are_matched_as_well() -> None:
    old = ["{", "a", "}"] * 50
    new = [*old[:60], "b", *old[60:]]
    assert changed_ranges(old, new) == [(60, 60, 60, 61)]


RANDOM = random.Random(5)
BLOCKS = [[line for n in range(30) for line in (*RANDOM.choices("ab", k=900), f"anchor {n}")] for _ in range(2)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["a"] * 20_000, ["b", "a"] * 10_000),
        (RANDOM.choices("ab", k=20_000), RANDOM.choices("ab", k=20_000)),
        (RANDOM.choices([str(n) for n in range(60)], k=20_000), RANDOM.choices([str(n) for n in range(60)], k=20_000)),
        ([str(n) for n in range(50_000)], [str(n) for n in range(49_999, -1, -1)]),
        ([f"{n // 2}" for n in range(40_000)], [f"{n // 3}" for n in range(60_000)]),
        (["x"] * 30_000, ["y"] * 30_000),
        (["x"] * 20_000, [*["x"] * 100, "y"] * 200),
        (BLOCKS[0], BLOCKS[1]),
        ([*["x"] * 500, "u", *["y"] * 500] * 20, [*["y"] * 500, "u", *["x"] * 500] * 20),
    ],
)
@pytest.mark.timeout(20)
def test_lines_made_to_be_slow_end_as_a_block(old: list[str], new: list[str]) -> None:
    assert applied(old, new, changed_ranges(old, new)) == new


def test_nested_anchors_share_the_budget() -> None:
    old = [f"{n}" for n in range(4000) for _ in range(2)]
    new = [*old[1:], "end"]
    assert applied(old, new, changed_ranges(old, new)) == new
