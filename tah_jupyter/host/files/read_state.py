"""What the model has read of which file, so that an edit can tell "the bytes you saw" from "something else"."""

from collections import OrderedDict
from collections.abc import Iterable

import msgspec

__all__ = ["ReadState", "Seen"]


class Seen(msgspec.Struct, frozen=True):
    """The newest bytes of a file that the model knows: their digest, and whether it knows all of them.

    ``pages`` are the (offset, limit) pairs already shown of exactly these bytes, so that a repeated read can say so
    instead of repeating; ``lines`` are the ranges of lines, first and last, that were shown uncut.
    """

    digest: str
    whole: bool
    pages: frozenset[tuple[int, int]] = frozenset()
    lines: frozenset[tuple[int, int]] = frozenset()


class ReadState:
    """The most recently seen ``max_files`` files, by absolute path."""

    def __init__(self, max_files: int = 500) -> None:
        self._seen: OrderedDict[str, Seen] = OrderedDict()
        self._max_files = max_files

    def get(self, path: str) -> Seen | None:
        """What is known of ``path``, or None."""
        return self._seen.get(path)

    def put(self, path: str, seen: Seen) -> None:
        """Remember ``seen`` as the newest."""
        self._seen[path] = seen
        self._seen.move_to_end(path)
        while len(self._seen) > self._max_files:
            self._seen.popitem(last=False)

    def put_page(
        self, path: str, digest: str, *, page: tuple[int, int], lines: tuple[int, int] | None, total: int
    ) -> None:
        """Remember that ``page`` (offset, limit) was shown of these bytes, and with it the ``lines`` (first, last) in
        full; None when something was cut. The file is known whole when its ``total`` lines were all shown.
        """
        before = self.get(path)
        same = before if before is not None and before.digest == digest else Seen(digest, whole=False)
        shown = same.lines if lines is None else same.lines | {lines}
        self.put(path, Seen(digest, same.whole or _covers(shown, total), same.pages | {page}, shown))

    def knows_all_of(self, path: str, digest: str) -> bool:
        """Whether the model has seen every byte of this version of the file."""
        seen = self.get(path)
        return seen is not None and seen.whole and seen.digest == digest

    def forget(self, paths: Iterable[str] | None = None) -> None:
        """Forget these paths, or all."""
        for path in list(self._seen) if paths is None else paths:
            self._seen.pop(path, None)


def _covers(ranges: Iterable[tuple[int, int]], total: int) -> bool:
    known = 0
    for first, last in sorted(ranges):
        if first > known + 1:
            break
        known = max(known, last)
    return known >= total
