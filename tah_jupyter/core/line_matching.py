"""Which lines of two texts differ, in bounded time.

What both begin and end with is set aside first, so an edit in a long text costs what the edit costs. The middle is
split at lines that occur once on both sides ("patience"), and what then is left goes to the greedy algorithm of
E. W. Myers, "An O(ND) difference algorithm and its variations", Algorithmica 1 (1986). All of it shares a budget of
steps: texts made to be slow come out as one replaced block, never as a hang.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

__all__ = ["Range", "changed_ranges"]

Range: TypeAlias = tuple[int, int, int, int]
"""``(a, b, c, d)``: lines ``[a, b)`` of the old text were replaced by lines ``[c, d)`` of the new one."""

_BLOCK = 512
_MAX_EDITS = 400
_SPARE_STEPS = 300_000
_STEPS_PER_LINE = 8


def changed_ranges(old: Sequence[str], new: Sequence[str]) -> list[Range]:
    """The ranges that differ, in order; two of them never touch.

    >>> changed_ranges(["a", "b", "c"], ["a", "B", "c", "d"])
    [(1, 2, 1, 2), (3, 3, 3, 4)]
    """
    return _Matching(old, new).run()


class _Matching:
    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self.old = old
        self.new = new
        self.steps_left = _SPARE_STEPS + _STEPS_PER_LINE * (len(old) + len(new))

    def run(self) -> list[Range]:
        found: list[Range] = []
        waiting: list[Range] = [(0, len(self.old), 0, len(self.new))]
        while waiting:
            where = a, b, c, d = self._trimmed(waiting.pop())
            if a == b or c == d or self.steps_left <= 0:
                found.append(where)
            elif anchors := self._anchors(where):
                starts = [(a, c), *((i + 1, j + 1) for i, j in anchors)]
                ends = [*anchors, (b, d)]
                waiting.extend((i, k, j, m) for (i, j), (k, m) in zip(starts, ends, strict=True))
            else:
                found.extend(self._myers(where))
        return _joined(sorted(found))

    def _trimmed(self, where: Range) -> Range:
        """Without the lines that both sides begin and end with; whole blocks are compared at once."""
        a, b, c, d = where
        old, new = self.old, self.new
        for size in (_BLOCK, 1):
            while a + size <= b and c + size <= d and old[a : a + size] == new[c : c + size]:
                a, c = a + size, c + size
            while a + size <= b and c + size <= d and old[b - size : b] == new[d - size : d]:
                b, d = b - size, d - size
        return a, b, c, d

    def _anchors(self, where: Range) -> list[tuple[int, int]]:
        """Pairs of equal lines that occur once on both sides, the longest chain that rises on both."""
        a, b, c, d = where
        self.steps_left -= b - a + d - c
        in_old, in_new = Counter(self.old[a:b]), Counter(self.new[c:d])
        once = {self.new[j]: j for j in range(c, d) if in_new[self.new[j]] == 1}
        return _longest_rise(
            [(i, once[self.old[i]]) for i in range(a, b) if self.old[i] in once and in_old[self.old[i]] == 1]
        )

    def _myers(self, where: Range) -> list[Range]:
        a, b, c, d = where
        old, new = self.old[a:b], self.new[c:d]
        limit = min(len(old) + len(new), _MAX_EDITS)
        reach = [0] * (2 * limit + 3)  # reach[k]: how far diagonal k got in old; negative k count from the end
        history: list[list[int]] = []
        for edits in range(limit + 1):
            history.append(reach.copy())
            for k in range(-edits, edits + 1, 2):
                start = x = _entered(reach, k, edits)
                while x < len(old) and x - k < len(new) and old[x] == new[x - k]:
                    x += 1
                reach[k] = x
                self.steps_left -= 1 + x - start
                if x >= len(old) and x - k >= len(new):
                    return [(a + p, a + q, c + r, c + s) for p, q, r, s in _path(history, len(old), len(new))]
            if self.steps_left <= 0:
                break
        return [where]


def _longest_rise(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence whose second values rise (patience sorting); the first values rise already."""
    tops: list[int] = []
    piles: list[int] = []
    below: list[int] = []
    for index, (_, j) in enumerate(pairs):
        at = bisect_left(tops, j)
        below.append(piles[at - 1] if at else -1)
        if at == len(tops):
            tops.append(j)
            piles.append(index)
        else:
            tops[at], piles[at] = j, index
    chain: list[tuple[int, int]] = []
    index = piles[-1] if piles else -1
    while index >= 0:
        chain.append(pairs[index])
        index = below[index]
    return chain[::-1]


def _entered(reach: list[int], k: int, edits: int) -> int:
    """Where diagonal ``k`` is entered with one more edit: by an insertion from above or a deletion from the left."""
    if k == -edits or (k != edits and reach[k - 1] < reach[k + 1]):
        return reach[k + 1]
    return reach[k - 1] + 1


def _path(history: list[list[int]], x: int, y: int) -> list[Range]:
    """The single edits on the way to ``(x, y)``, walked backwards through what each round had reached."""
    edits: list[Range] = []
    for count in range(len(history) - 1, 0, -1):
        reach, k = history[count], x - y
        inserted = k == -count or (k != count and reach[k - 1] < reach[k + 1])
        from_k = k + 1 if inserted else k - 1
        from_x = reach[from_k]
        from_y = from_x - from_k
        x, y = (from_x, from_y + 1) if inserted else (from_x + 1, from_y)  # where the common lines began
        edits.append((from_x, x, from_y, y))
        x, y = from_x, from_y
    return edits


def _joined(ranges: list[Range]) -> list[Range]:
    joined: list[Range] = []
    for a, b, c, d in ranges:
        if joined and joined[-1][1] == a and joined[-1][3] == c:
            joined[-1] = (joined[-1][0], b, joined[-1][2], d)
        elif a != b or c != d:
            joined.append((a, b, c, d))
    return joined
