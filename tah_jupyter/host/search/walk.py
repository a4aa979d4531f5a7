"""Walking a folder of the workspace: sorted, pruned, and never through a link.

Left out are ``node_modules``, ``dist``, names that begin with a dot, and what ``.gitignore`` names, from the top of the
repository down (without one, from the root). A folder that is asked for by name is walked even when a rule above it
ignores it. Folders are opened part by part through their handles (:mod:`tah_jupyter.host.files.confine`), so what is
read lies in the workspace whatever is swapped meanwhile; named pipes, sockets and devices are never opened.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple

from tah_jupyter.host.files import confine
from tah_jupyter.host.files.workspace import Workspace
from tah_jupyter.host.search.ignore import Rules

__all__ = ["MAX_DEPTH", "Entry", "Tree", "open_file"]

MAX_DEPTH = 64
"""How many folders deep a walk goes: each open folder costs a file descriptor."""

_PRUNED = frozenset({"node_modules", "dist"})
_GITIGNORE_BYTES = 64 * 1024  # a longer one is no list that somebody wrote, and is not followed
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

Kind = Literal["file", "folder", "link", "special"]


class Entry(NamedTuple):
    """One name in a folder. ``path`` is relative to the start of the walk, as Python's ``os`` gives names; ``dir_fd``
    is the handle of its folder, open until the walk goes on.
    """

    path: str
    name: str
    kind: Kind
    dir_fd: int


class _Frame(NamedTuple):
    handle: int
    entries: Iterator[Entry]
    rules: Rules


class Tree:
    """The part of a workspace below ``start``, a folder that was resolved and lies in the allowed folder ``base``.

    It counts what it met: ``ignored`` entries (a folder is one), folders that were ``unreadable`` or ``too_deep``.
    """

    def __init__(self, base: Path, start: Path, *, include_ignored: bool = False) -> None:
        self.base = base
        self.start = start
        self.include_ignored = include_ignored
        self.ignored = self.unreadable = self.too_deep = 0
        self._parts = start.relative_to(base).parts
        self._system = _system_devices() - {os.stat(base).st_dev}
        above = _Above(base, start)
        self.rules_reach_up = above.as_git_reads
        """Whether the rules above the start are those that git, and so ripgrep, would read there."""
        self._prefix = above.prefix
        self._folders: dict[str, Rules | None] = {"": above.rules}
        self._complete: set[str] = set()

    @classmethod
    def at(cls, workspace: Workspace, start: Path, *, include_ignored: bool = False) -> "Tree":
        """The tree at ``start``, a folder that ``workspace`` has resolved."""
        allowed = (workspace.root, *workspace.folders, *workspace.readable)
        base = next(folder for folder in allowed if start.is_relative_to(folder))
        return cls(base, start, include_ignored=include_ignored)

    def walk(self) -> Iterator[Entry]:
        """Everything but folders, in order of path. Raises OSError when the start cannot be read."""
        frames = [self._frame(self._open(""), "", self._folders[""] or Rules())]
        try:
            while frames:
                entry = next(frames[-1].entries, None)
                if entry is None:
                    os.close(frames.pop().handle)
                elif entry.kind != "folder":
                    yield entry
                elif deeper := self._descend(entry, frames):
                    frames.append(deeper)
        finally:
            for frame in frames:
                os.close(frame.handle)

    @contextmanager
    def scan(self, folder: str = "") -> Iterator[list[Entry]]:
        """The entries of one folder, sorted by path. Raises OSError when it cannot be read."""
        rules = self._rules_of(folder)
        handle = self._open(folder)
        try:
            yield self._entries(handle, f"{folder}/" if folder else "", rules or Rules())
        finally:
            os.close(handle)

    def shows(self, path: str) -> bool:
        """Whether a walk would come by the file ``path``."""
        folder, _, name = path.rpartition("/")
        rules = self._rules_of(folder)
        return rules is not None and not self._hides(name, path, rules, is_folder=False)

    def open(self, path: str) -> int:
        """A handle to read the regular file ``path``; the caller closes it. Raises OSError when it is anything else."""
        *folders, name = path.split("/")
        with confine.directory(self.base, (*self._parts, *folders)) as dir_fd:
            return open_file(name, dir_fd)

    def _open(self, folder: str) -> int:
        parts = folder.split("/") if folder else ()
        with confine.directory(self.base, (*self._parts, *parts)) as dir_fd:
            return os.open(".", _FOLDER, dir_fd=dir_fd)

    def _frame(self, handle: int, prefix: str, rules: Rules) -> _Frame:
        try:
            rules = self._rules_in(handle, prefix, rules)
            return _Frame(handle, iter(self._entries(handle, prefix, rules)), rules)
        except BaseException:
            os.close(handle)
            raise

    def _descend(self, entry: Entry, frames: list[_Frame]) -> _Frame | None:
        if len(frames) >= MAX_DEPTH:
            self.too_deep += 1
            return None
        try:
            handle = os.open(entry.name, _FOLDER, dir_fd=entry.dir_fd)
            if os.fstat(handle).st_dev in self._system:
                os.close(handle)
                return None
            return self._frame(handle, f"{entry.path}/", frames[-1].rules)
        except OSError:
            self.unreadable += 1
            return None

    def _entries(self, handle: int, prefix: str, rules: Rules) -> list[Entry]:
        """The shown entries. A folder sorts as its name with ``/``, so that a whole walk is in order of path."""
        found: list[tuple[str, Entry]] = []
        with os.scandir(handle) as listing:
            for item in listing:
                name, kind = item.name, _kind(item)
                path = prefix + name
                if self._hides(name, path, rules, is_folder=kind == "folder"):
                    self.ignored += 1
                else:
                    key = f"{name}/" if kind == "folder" else name
                    found.append((key, Entry(path, name, kind, handle)))
        found.sort()
        return [entry for _, entry in found]

    # what is left out

    def _hides(self, name: str, path: str, rules: Rules, *, is_folder: bool) -> bool:
        if self.include_ignored:
            return False
        if name[0] == "." or (is_folder and name in _PRUNED):
            return True
        return bool(rules) and rules.ignore(self._prefix + os.fsencode(path) + (b"/" if is_folder else b""))

    def _rules_in(self, handle: int, prefix: str, above: Rules) -> Rules:
        if self.include_ignored:
            return above
        return _rules_in(handle, self._prefix + os.fsencode(prefix), above)

    def _rules_of(self, folder: str) -> Rules | None:
        """The rules in ``folder``, or None when a walk would not enter it."""
        if folder in self._complete:
            return self._folders[folder]
        rules = self._folders.get(folder)
        if folder:
            parent, _, name = folder.rpartition("/")
            rules = self._rules_of(parent)
            if rules is not None and self._hides(name, folder, rules, is_folder=True):
                rules = None
        if rules is not None:
            rules = self._read_rules(folder, rules)
        self._complete.add(folder)
        self._folders[folder] = rules
        return rules

    def _read_rules(self, folder: str, above: Rules) -> Rules | None:
        try:
            handle = self._open(folder)
        except OSError:
            return None
        try:
            return self._rules_in(handle, f"{folder}/" if folder else "", above)
        finally:
            os.close(handle)


class _Above:
    """The rules above the start of a walk. Paths in them are relative to the top: the repository's, else ``base``."""

    def __init__(self, base: Path, start: Path) -> None:
        repository = next((folder for folder in (start, *start.parents) if os.path.exists(folder / ".git")), None)
        top = repository or base
        self.rules = Rules()
        self.prefix = _folder_bytes(start.relative_to(top))
        self.as_git_reads = repository is not None or not any(os.path.exists(up / ".gitignore") for up in base.parents)
        at = top
        for part in start.relative_to(top).parts:
            self._read(at, _folder_bytes(at.relative_to(top)))
            at /= part
            if self.rules.ignore(_folder_bytes(at.relative_to(top))):
                self.rules, self.as_git_reads = Rules(), False

    def _read(self, folder: Path, prefix: bytes) -> None:
        with suppress(OSError):
            handle = os.open(folder, _FOLDER)
            try:
                self.rules = _rules_in(handle, prefix, self.rules)
            finally:
                os.close(handle)


def _rules_in(handle: int, prefix: bytes, above: Rules) -> Rules:
    """The rules in the open folder, whose path is ``prefix``, given those of the folder it is in."""
    text = None
    with suppress(OSError):
        file = open_file(".gitignore", handle)
        try:
            text = confine.read_capped(file, _GITIGNORE_BYTES)
        finally:
            os.close(file)
    repository = False
    with suppress(OSError):
        repository = bool(above) and os.stat(".git", dir_fd=handle, follow_symlinks=False).st_mode != 0
    return above.inside(prefix, text, repository=repository) if text or repository else above


def open_file(name: str, dir_fd: int) -> int:
    """Open ``name`` in the folder ``dir_fd`` to read; never blocks. Raises OSError, and NotRegular for what is not a
    regular file.
    """
    try:
        handle = os.open(name, _FILE, dir_fd=dir_fd)
    except OSError as error:
        if error.errno != errno.ENXIO:  # what a socket says
            raise
        kind = confine.kind_of(os.stat(name, dir_fd=dir_fd, follow_symlinks=False).st_mode)
        raise confine.NotRegular(kind) from error
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        raise confine.NotRegular(confine.kind_of(mode))
    return handle


def _kind(item: "os.DirEntry[str]") -> Kind:
    if item.is_file(follow_symlinks=False):
        return "file"
    if item.is_dir(follow_symlinks=False):
        return "folder"
    return "link" if item.is_symlink() else "special"


def _folder_bytes(path: Path) -> bytes:
    return b"".join(os.fsencode(part) + b"/" for part in path.parts)


def _system_devices() -> set[int]:
    """Device numbers of ``/proc``, ``/sys`` and ``/dev``, which no walk enters."""
    found = set()
    for mount in ("/proc", "/sys", "/dev"):
        with suppress(OSError):
            found.add(os.stat(mount).st_dev)
    return found - {os.stat("/").st_dev}
