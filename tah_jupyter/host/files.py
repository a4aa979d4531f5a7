"""The one place that opens workspace files: where a path leads, whether it may be used, and reading and writing it.

Path rule. A path is relative to the root; ``~`` and ``$VAR`` are literal names. ``..``, absolute paths and links are
resolved first; what then lies outside the root and the added folders is refused. Only regular files are opened, part by
part through directory handles (:mod:`tah_jupyter.host.confine`), so nothing can be swapped in after the check. Writing
is as confined as reading, and atomic (:mod:`tah_jupyter.host.atomic`).

All methods block; a caller on an event loop uses a thread. Names that are not UTF-8 are written as
:mod:`tah_jupyter.host.names` says, in paths that come in and in paths that go out.
"""

import errno
import hashlib
import os
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TypeAlias, Union

import msgspec

from tah_jupyter.core.errors import ToolError
from tah_jupyter.host import atomic, confine
from tah_jupyter.host.names import decode_name, encode_name

__all__ = ["ABSENT", "MAX_FILE_BYTES", "RootLike", "Snapshot", "Workspace", "Written"]

MAX_FILE_BYTES = 64 * 1024 * 1024
"""The largest file that is read whole, or written, in bytes."""

ABSENT = "absent"
"""The digest of a file that does not exist."""

_NEVER = tuple(Path(folder) for folder in ("/proc", "/sys", "/dev"))
_UNSEARCHED = frozenset({".git", "node_modules", "__pycache__", ".venv", "site-packages"})
_STRAY_SEARCH_ENTRIES = 20_000
"""How many entries the search for strays looks at, nearest to the root first: some 10 ms."""

RootLike: TypeAlias = Union[str, "os.PathLike[str]", "Workspace"]


class Snapshot(msgspec.Struct, frozen=True):
    """A file as it was when it was read. ``path`` is absolute with links resolved, ``shown`` is how to name it;
    ``links`` counts its names (2 or more: hard links), ``mode`` is ``st_mode``.
    """

    path: str
    shown: str
    data: bytes
    mode: int
    links: int

    @property
    def digest(self) -> str:
        """The SHA-256 of the bytes, in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()


class Written(msgspec.Struct, frozen=True):
    """What writing did. ``notices`` are sentences on what was unusual."""

    path: str
    shown: str
    created: bool
    notices: tuple[str, ...] = ()


class _Place(msgspec.Struct, frozen=True):
    """A checked path: ``parts`` below the allowed folder ``base``; no part is a link unless it was swapped since."""

    base: Path
    parts: tuple[str, ...]
    real: Path
    shown: str


class Workspace:
    """The files an agent may use: everything under ``root``, under ``folders``, and, to read only, under ``readable``.

    Clears away temporary files that killed writers left behind. Raises ToolError when a folder does not exist or
    belongs to the system (``/proc``, ``/sys``, ``/dev``; ``/dev/shm`` is a folder like any other).
    """

    def __init__(
        self,
        root: "str | os.PathLike[str]" = ".",
        folders: "Iterable[str | os.PathLike[str]]" = (),
        *,
        readable: "Iterable[str | os.PathLike[str]]" = (),
    ) -> None:
        self.root = _real_folder(root)
        self.folders = tuple(_real_folder(folder) for folder in folders)
        self.readable = tuple(_real_folder(folder) for folder in readable)
        self._remove_strays()

    @classmethod
    def of(cls, root: RootLike) -> "Workspace":
        """``root`` itself when it is a workspace, else one at that folder."""
        return root if isinstance(root, Workspace) else cls(root)

    # where a path leads

    def resolve(self, path: str, *, write: bool = False) -> Path:
        """The absolute path, links resolved, that ``path`` leads to; it need not exist.

        Raises ToolError (``OutsideWorkspace``, ``BadPath``) when it may not be used.
        """
        return self._place(path, write=write).real

    def resolve_dir(self, path: str = ".") -> Path:
        """As :meth:`resolve`, for a folder that exists."""
        place = self._place(path, write=False)
        try:
            with confine.directory(place.base, place.parts):
                return place.real
        except OSError as error:
            raise self._refusal(error, place) from error

    def relative(self, path: "str | os.PathLike[str]") -> str:
        """How to name an absolute path: relative to the root with ``/``, or absolute when it lies outside."""
        path = Path(path)
        inside = path.is_relative_to(self.root)
        return encode_name((path.relative_to(self.root) if inside else path).as_posix())

    def locate(self, path: str) -> str:
        """As :meth:`relative`, of where ``path`` leads; never raises, also for what may not be used."""
        try:
            return self.relative(self._real(path))
        except ToolError:
            return path

    # reading and writing

    def read(self, path: str, *, max_bytes: int = MAX_FILE_BYTES) -> Snapshot:
        """The whole file. Raises ToolError when it is outside, missing, not a regular file, or over ``max_bytes``."""
        place = self._place(path, write=False)
        return self._read(place, max_bytes)

    def read_if_exists(self, path: str, *, max_bytes: int = MAX_FILE_BYTES) -> Snapshot | None:
        """As :meth:`read` for a file that is about to be written; None when there is none."""
        place = self._place(path, write=True)
        try:
            return self._read(place, max_bytes)
        except ToolError as error:
            if error.code == "NotFound":
                return None
            raise

    def write(self, path: str, data: bytes, *, base: Snapshot | None) -> Written:
        """Put ``data`` there, atomically, provided the file still is what ``base`` says (None: it does not exist).

        Parents are made. Mode, owner and extended attributes stay; a file with hard links is written in place, so that
        all its names keep naming it. Raises ToolError: ``ChangedOnDisk`` when it is not ``base`` any more, and as
        :meth:`read`; the file is then as it was.
        """
        place = self._place(path, write=True)
        if len(data) > MAX_FILE_BYTES:
            raise ToolError(f"{place.shown} would be {_size(len(data))}; at most {_size(MAX_FILE_BYTES)} are written.",
                            code="TooLarge")  # fmt: skip
        if not place.parts:
            raise ToolError(f"{place.shown} is a folder, not a file.", code="NotRegular")
        *parents, name = place.parts
        try:
            with confine.directory(place.base, parents, make=base is None) as dir_fd:
                if base is None:
                    atomic.create(name, data, dir_fd=dir_fd)
                    return Written(str(place.real), place.shown, created=True)
                return self._rewrite(place, data, base, dir_fd)
        except FileExistsError as error:
            raise _changed(place) from error
        except OSError as error:
            raise self._refusal(error, place) from error

    def _rewrite(self, place: _Place, data: bytes, base: Snapshot, dir_fd: int) -> Written:
        name = place.parts[-1]

        def check() -> None:
            handle = confine.open_regular(name, os.O_RDONLY, dir_fd=dir_fd)
            try:
                if confine.read_capped(handle, len(base.data)) != base.data:
                    raise _changed(place)
            finally:
                os.close(handle)

        check()
        if not os.access(name, os.W_OK, dir_fd=dir_fd):
            raise ToolError(f"{place.shown} is read-only for this account; it was left as it is.", code="ReadOnly")
        original = confine.open_regular(name, os.O_RDONLY, dir_fd=dir_fd)
        try:
            if os.fstat(original).st_nlink > 1:
                notices = self._write_in_place(name, data, base, dir_fd)
            else:
                notices = atomic.replace(name, data, original, dir_fd=dir_fd, before_replace=check)
        finally:
            os.close(original)
        return Written(str(place.real), place.shown, created=False, notices=notices)

    def _write_in_place(self, name: str, data: bytes, base: Snapshot, dir_fd: int) -> tuple[str, ...]:
        handle = confine.open_regular(name, os.O_WRONLY, dir_fd=dir_fd)
        try:
            links = os.fstat(handle).st_nlink
            atomic.overwrite(handle, data, base.data)
        finally:
            os.close(handle)
        return (f"It has {links} names (hard links) and was written in place, so all of them show the change.",)

    def _read(self, place: _Place, max_bytes: int) -> Snapshot:
        if not place.parts:
            raise ToolError(f"{place.shown} is a folder, not a file.", code="NotRegular")
        *parents, name = place.parts
        try:
            with confine.directory(place.base, parents) as dir_fd:
                handle = confine.open_regular(name, os.O_RDONLY, dir_fd=dir_fd)
            try:
                data, found = confine.read_capped(handle, max_bytes), os.fstat(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise self._refusal(error, place) from error
        if data is None:
            raise ToolError(
                f"{place.shown} is {_size(max(found.st_size, max_bytes))}; files over {_size(max_bytes)} are not read "
                "whole. Search it with grep, or cut a part out with a command such as head or tail.",
                code="TooLarge",
            )
        return Snapshot(str(place.real), place.shown, data, found.st_mode, found.st_nlink)

    # the path rule

    def _real(self, path: str) -> Path:
        if "\0" in path:
            raise ToolError("A path cannot hold a NUL character.", code="BadPath")
        if not path:
            raise ToolError('The path is empty; use "." for the root.', code="BadPath")
        try:
            return Path(os.path.realpath(os.path.join(self.root, decode_name(path))))
        except UnicodeEncodeError as error:
            raise ToolError("The path holds half a character (a lone surrogate).", code="BadPath") from error

    def _place(self, path: str, *, write: bool) -> _Place:
        real = self._real(path)
        bases = (self.root, *self.folders) if write else (self.root, *self.folders, *self.readable)
        base = next((folder for folder in bases if real.is_relative_to(folder)), None)
        if base is None:
            raise self._outside(path, real)
        if _is_pseudo(real) and not _is_pseudo(base):
            raise ToolError(f"{path} belongs to the system, not to a project; it is not opened.", code="NotRegular")
        if path.endswith(("/", "/.")) and real != base and not real.is_dir() and real.exists():
            raise ToolError(f"{path} is a file, not a folder; leave out the / at its end.", code="BadPath")
        return _Place(base, real.relative_to(base).parts, real, self.relative(real))

    def _outside(self, path: str, real: Path) -> ToolError:
        if any(real.is_relative_to(folder) for folder in self.readable):
            return ToolError(f"{path} lies in a folder that may only be read.", code="OutsideWorkspace")
        where = encode_name(str(real))
        leads = "" if where == path else f" (it leads to {where})"
        return ToolError(
            f"{path} is outside the folder {encode_name(str(self.root))}{leads}; only files inside it can be used.",
            code="OutsideWorkspace",
            offer=f"Add the folder {encode_name(str(real if real.is_dir() else real.parent))}",
        )

    def _refusal(self, error: OSError, place: _Place) -> ToolError:
        shown = place.shown
        if isinstance(error, confine.NotRegular):
            hint = "; list_files shows what is in it" if error.kind == "folder" else "; it is not opened"
            return ToolError(f"{shown} is a {error.kind}, not a regular file{hint}.", code="NotRegular")
        if error.errno == errno.ENOENT:
            return ToolError(f"{shown} does not exist.{self._nearest(place)}", code="NotFound")
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            why = "a part of it is a file, a link that leads in a circle, or was changed just now"
            return ToolError(f"{shown} cannot be reached: {why}.", code="BadPath")
        words = (error.strerror or str(error)).lower()
        code = errno.errorcode.get(error.errno or 0, "OSError")
        return ToolError(f"{shown}: {words}. Nothing was changed.", code=code)

    def _nearest(self, place: _Place) -> str:
        """Names in the same folder that look like the missing one."""
        with suppress(OSError, IndexError), confine.directory(place.base, place.parts[:-1]) as dir_fd:
            handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=dir_fd)
            try:
                close = get_close_matches(place.parts[-1], os.listdir(handle)[:2000], n=3)
            finally:
                os.close(handle)
            if close:
                return f" Nearest: {', '.join(self.relative(place.real.parent / name) for name in close)}."
        return ""

    # after a crash

    def _remove_strays(self) -> None:
        """Remove what killed writers left, nearest folders first, in a bounded search."""
        waiting = deque([self.root, *self.folders])
        left = _STRAY_SEARCH_ENTRIES
        while waiting and left > 0:
            folder = waiting.popleft()
            with suppress(OSError), os.scandir(folder) as entries:
                for entry in entries:
                    left -= 1
                    if atomic.is_temporary(entry.name):
                        self._remove_stray(folder, entry.name)
                    elif entry.name not in _UNSEARCHED and entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))

    def _remove_stray(self, folder: Path, name: str) -> None:
        base = next(base for base in (self.root, *self.folders) if folder.is_relative_to(base))
        with suppress(OSError), confine.directory(base, folder.relative_to(base).parts) as dir_fd:
            atomic.remove_stray(name, dir_fd=dir_fd)


def _changed(place: _Place) -> ToolError:
    next_step = "Read it again, then repeat the change."
    return ToolError(f"{place.shown} changed on disk just now and was left as it is. {next_step}", code="ChangedOnDisk")


def _real_folder(path: "str | os.PathLike[str]") -> Path:
    real = Path(os.path.realpath(path))
    if not real.is_dir():
        raise ToolError(f"The folder {encode_name(str(real))} does not exist.", code="NotFound")
    if _is_pseudo(real):
        raise ToolError(f"The folder {real} belongs to the system and cannot be worked in.", code="NotRegular")
    return real


def _is_pseudo(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _NEVER) and not path.is_relative_to("/dev/shm")  # noqa: S108 - shared memory, where temporary folders may be


def _size(count: int) -> str:
    """A count of bytes in words, with decimal units."""
    for unit, factor in (("MB", 1_000_000), ("KB", 1000)):
        if count >= factor:
            return f"{count / factor:,.1f} {unit}"
    return f"{count} bytes"
