"""Searching a folder: which files, in which order, how many hits, and when to stop.

With ripgrep, it proposes the files and only those are read; without, every file of the walk is. Either way the same
rules say which files count and the same scanner reads them, in order of path, and stops once the page is full.
"""

import errno
import os
import threading
import time
from collections.abc import Iterator
from typing import Literal

import anyio.to_thread
import msgspec

from tah_jupyter.host.files.names import encode_name
from tah_jupyter.host.search import ripgrep
from tah_jupyter.host.search.ignore import Glob
from tah_jupyter.host.search.regex import Pattern
from tah_jupyter.host.search.scan import Hit, Line, Scanned, Scanner, begins_binary
from tah_jupyter.host.search.walk import Tree, open_file

__all__ = ["LIMIT_S", "FileHits", "Found", "Query", "find"]

LIMIT_S = 30.0
"""How long a search may take in seconds; what was found until then is kept."""

_LINE_OVERHEAD_BYTES = 10


class Query(msgspec.Struct, frozen=True):
    """What to look for below ``tree.start``: in the one ``file`` there, or in all that pass ``filters``.

    A result is a hit (``content``) or a file with hits (``files``, ``count``); ``offset`` of them are passed over, at
    most ``max_results`` taken, and no more than fit into ``max_bytes`` with lines cut to ``width`` characters.
    """

    tree: Tree
    pattern: Pattern
    output: Literal["content", "files", "count"]
    file: str | None = None
    filters: tuple[Glob, ...] = ()
    context: int = 0
    offset: int = 0
    max_results: int = 200
    max_bytes: int = 40_000
    width: int = 300


class FileHits(msgspec.Struct, frozen=True):
    """A file with hits: its path in the form of :mod:`tah_jupyter.host.files.names`, relative to the start."""

    path: str
    count: int
    hits: tuple[Hit, ...] = ()


class Found(msgspec.Struct):
    """The page. ``more`` says that there are further results; ``too_large`` names files that were not searched,
    ``binary`` that the one file asked for is binary, which is not searched either.
    """

    files: list[FileHits] = []
    taken: int = 0
    more: bool = False
    out_of_time: bool = False
    unreadable: bool = False
    binary: bool = False
    too_large: list[str] = []


async def find(query: Query, *, program: str | None) -> Found:
    """Search, with the ripgrep at ``program`` or without. Ends within a moment when it is cancelled.

    Raises OSError when the start cannot be read.
    """
    search = _Search(query)
    proposed = None
    if program is not None and query.file is None:
        proposed = await ripgrep.propose(program, query.tree, query.pattern, search.globs())
    try:
        return await anyio.to_thread.run_sync(search.run, proposed, abandon_on_cancel=True)
    finally:
        search.stop.set()


class _Stopped(Exception):
    pass


class _Search:
    """One search, in a thread."""

    def __init__(self, query: Query) -> None:
        self.stop = threading.Event()
        self._query = query
        self._deadline = time.monotonic() + LIMIT_S
        self._found = Found()
        self._to_skip = query.offset
        self._bytes_left = query.max_bytes
        self._scanner = Scanner(query.pattern, context=query.context, width=query.width, check=self._check)

    def globs(self) -> tuple[str, ...]:
        """What ripgrep may be told of the filters: one of them, as it knows no "and"."""
        return next((plain for glob in self._query.filters if (plain := glob.plain())), ())

    def run(self, proposed: list[str] | None) -> Found:
        """The page; without ``proposed`` paths every file of the walk is looked at."""
        try:
            for path, dir_fd in self._files(proposed):
                self._look_into(path, dir_fd)
                if self._found.more:
                    break
        except _Stopped:
            self._found.out_of_time = True
        self._found.unreadable = self._found.unreadable or self._query.tree.unreadable > 0
        return self._found

    def _check(self) -> None:
        if self.stop.is_set() or time.monotonic() > self._deadline:
            raise _Stopped

    def _files(self, proposed: list[str] | None) -> Iterator[tuple[str, int | None]]:
        """The files to look into, in order of path, with a handle of their folder where there is one."""
        tree, filters = self._query.tree, self._query.filters
        if self._query.file is not None:
            yield self._query.file, None
            return
        walked: Iterator[tuple[str, int | None]]
        if proposed is None:
            walked = ((entry.path, entry.dir_fd) for entry in tree.walk() if entry.kind == "file")
        else:
            walked = ((path, None) for path in sorted(proposed) if tree.shows(path))
        for path, dir_fd in walked:
            self._check()
            if all(glob.matches(os.fsencode(path)) for glob in filters):
                yield path, dir_fd

    def _look_into(self, path: str, dir_fd: int | None) -> None:
        try:
            handle = self._query.tree.open(path) if dir_fd is None else open_file(path.rpartition("/")[2], dir_fd)
            try:
                self._take(encode_name(path), handle)
            finally:
                os.close(handle)
        except OSError as error:
            if self._query.file is not None:
                raise
            if error.errno in (errno.EACCES, errno.EPERM, errno.EIO):  # others: it went away meanwhile
                self._found.unreadable = True

    def _take(self, path: str, handle: int) -> None:
        query, found = self._query, self._found
        room = query.max_results - found.taken
        if query.output == "content":  # one more than there is room for tells whether there are more
            scanned = self._scanner.scan(handle, skip=self._to_skip, limit=room + 1)
            self._to_skip -= min(self._to_skip, scanned.count)
            self._take_hits(path, scanned, room)
        else:
            scanned = self._scanner.scan(handle, limit=1 if query.output == "files" else None, keep=False)
            if scanned.count and self._to_skip:
                self._to_skip -= 1
            elif scanned.count:
                self._take_file(path, scanned.count, room)
        if query.file is not None and not scanned.count:
            found.binary = scanned.binary or begins_binary(handle)
        if scanned.too_large:
            found.too_large.append(path)

    def _take_hits(self, path: str, scanned: Scanned, room: int) -> None:
        taken: list[Hit] = []
        for hit in scanned.hits:
            size = sum(_size(path, line) for line in hit.lines)
            if len(taken) == room or (size > self._bytes_left and (taken or self._found.taken)):
                self._found.more = True
                break
            taken.append(hit if size <= self._bytes_left else self._shortened(path, hit))
            self._bytes_left -= size
        if taken:
            self._found.files.append(FileHits(path, len(taken), tuple(taken)))
            self._found.taken += len(taken)

    def _shortened(self, path: str, hit: Hit) -> Hit:
        """The lines of the match itself, as many as fit, without context: a page holds at least one hit."""
        kept: list[Line] = []
        left = self._query.max_bytes
        own = [line for line in hit.lines if line.is_match]
        for line in own:
            left -= _size(path, line)
            if left < 0 and kept:
                break
            kept.append(line)
        return Hit(tuple(kept), more=hit.more + len(own) - len(kept))

    def _take_file(self, path: str, count: int, room: int) -> None:
        size = len(path.encode()) + _LINE_OVERHEAD_BYTES
        if room == 0 or (size > self._bytes_left and self._found.taken):
            self._found.more = True
            return
        self._bytes_left -= size
        self._found.files.append(FileHits(path, count))
        self._found.taken += 1


def _size(path: str, line: Line) -> int:
    return len(path.encode()) + len(line.text.encode()) + _LINE_OVERHEAD_BYTES
