"""What the model has read of which file, so that an edit can tell "the bytes you saw" from "something else"."""

from collections import OrderedDict
from collections.abc import Iterable

import msgspec

__all__ = ["ReadState", "Seen"]


class Seen(msgspec.Struct, frozen=True):
    """The newest bytes of a file that the model knows: their digest, and whether it knows all of them.

    ``pages`` are the (offset, limit) pairs already shown of exactly these bytes, so that a repeated read can say so
    instead of repeating.
    """

    digest: str
    whole: bool
    pages: frozenset[tuple[int, int]] = frozenset()


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

    def forget(self, paths: Iterable[str] | None = None) -> None:
        """Forget these paths, or all."""
        for path in list(self._seen) if paths is None else paths:
            self._seen.pop(path, None)
