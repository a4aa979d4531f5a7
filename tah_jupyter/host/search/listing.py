"""A folder as a tree, as far as there is room: what is nearest to the top comes first."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress

import msgspec

from tah_jupyter.host.files import confine
from tah_jupyter.host.files.names import encode_name
from tah_jupyter.host.files.workspace import size_in_words
from tah_jupyter.host.search.ignore import Glob
from tah_jupyter.host.search.walk import Entry, Tree

__all__ = ["Folder", "grow", "newest"]

_ENTRIES_BETWEEN_CHECKS = 256


class Folder(msgspec.Struct):
    """A folder in a listing. ``lines`` are its shown entries with their sizes, in order of path, ``below`` those that
    are folders, by position; ``total`` counts all its entries, None when it could not be read.
    """

    path: str
    lines: list[str] = []
    below: dict[int, "Folder"] = {}
    total: int | None = 0
    expanded: bool = False

    @property
    def left_out(self) -> int:
        """How many of its entries, and of the folders below, are not shown though they are near enough."""
        own = (self.total or 0) - len(self.lines) if self.expanded else 0
        return own + sum(folder.left_out for folder in self.below.values())

    @property
    def shown(self) -> int:
        """How many entries are shown, here and below."""
        return len(self.lines) + sum(folder.shown for folder in self.below.values())

    def drawn(self, indent: str = "") -> Iterator[str]:
        """Lines of the tree, two spaces a level."""
        for position, line in enumerate(self.lines):
            folder = self.below.get(position)
            yield indent + line + (folder.remark() if folder else "")
            if folder:
                yield from folder.drawn(indent + "  ")
        if self.expanded and (left := (self.total or 0) - len(self.lines)):
            yield f"{indent}… {left:,} more"

    def remark(self) -> str:
        """What is said beside its name when its entries are not shown."""
        if self.total is None:
            return "  (cannot be read)"
        if self.expanded and self.total:
            return ""
        return f"  ({self.total:,} {'entry' if self.total == 1 else 'entries'})" if self.total else "  (empty)"


def grow(tree: Tree, *, depth: int, max_entries: int, check: Callable[[], None]) -> tuple[Folder, int]:
    """The tree below ``tree.start``, ``depth`` levels of it, at most ``max_entries``, and how many entries the rules
    left out in the folders that are shown open. ``check()`` may raise to end it.

    Raises OSError when the start cannot be read.
    """
    top = Folder("", expanded=True)
    level = [top]
    room = max_entries
    for _ in range(depth):
        for folder in level:
            check()
            folder.expanded = True
            room -= _fill(tree, folder, room, raises=folder is top)
        level = [below for folder in level for below in folder.below.values()]
    ignored = tree.ignored
    for folder in level:
        check()
        _fill(tree, folder, 0)
    return top, ignored


def newest(tree: Tree, glob: Glob, *, max_entries: int, check: Callable[[], None]) -> tuple[list[str], int]:
    """Paths of the files that ``glob`` names, the newest ``max_entries`` of them, and how many there are. ``check()``
    may raise to end it.

    Raises OSError when the start cannot be read.
    """
    found: list[tuple[int, str]] = []
    for number, entry in enumerate(tree.walk()):
        if number % _ENTRIES_BETWEEN_CHECKS == 0:
            check()
        if not glob.matches(os.fsencode(entry.path)):
            continue
        with suppress(OSError):  # it went away meanwhile
            changed_ns = os.stat(entry.name, dir_fd=entry.dir_fd, follow_symlinks=False).st_mtime_ns
            found.append((-changed_ns, entry.path))
    found.sort()
    return [encode_name(path) for _, path in found[:max_entries]], len(found)


def _fill(tree: Tree, folder: Folder, room: int, *, raises: bool = False) -> int:
    try:
        with tree.scan(folder.path) as entries:
            folder.total = len(entries)
            for entry in entries[:room]:
                if entry.kind == "folder":
                    folder.below[len(folder.lines)] = Folder(entry.path)
                folder.lines.append(_line(entry))
    except OSError:
        if raises:
            raise
        folder.total = None
    return len(folder.lines)


def _line(entry: Entry) -> str:
    name = encode_name(entry.name)
    if entry.kind == "folder":
        return f"{name}/"
    with suppress(OSError):  # it went away meanwhile: its name is all there is to say
        if entry.kind == "link":
            return f"{name} -> {encode_name(os.readlink(entry.name, dir_fd=entry.dir_fd))}"
        found = os.stat(entry.name, dir_fd=entry.dir_fd, follow_symlinks=False)
        if entry.kind == "special":
            return f"{name}  ({confine.kind_of(found.st_mode)})"
        return f"{name}  {size_in_words(found.st_size)}"
    return name
