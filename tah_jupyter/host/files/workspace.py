"""The one place that opens workspace files.

Where a path leads is checked first (:mod:`tah_jupyter.host.files.boundary`); then it is opened part by part through
folder handles (:mod:`tah_jupyter.host.files.confine`), so that nothing can be swapped in after the check, and only when
it is a regular file. Writing is as confined as reading, and atomic (:mod:`tah_jupyter.host.files.atomic`).

Reading and writing block; a caller on an event loop uses a thread. Names that are not UTF-8 are written as
:mod:`tah_jupyter.host.files.names` says, in paths that come in and in paths that go out.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TypeAlias, Union

import msgspec

from tah_jupyter.core.errors import ToolError
from tah_jupyter.host.files import atomic, confine
from tah_jupyter.host.files.boundary import Boundary, Place
from tah_jupyter.host.files.names import encode_name
from tah_jupyter.host.files.refusal import LIST_IT, refusal
from tah_jupyter.host.files.strays import remove_strays

__all__ = ["ABSENT", "MAX_FILE_BYTES", "RootLike", "Snapshot", "Workspace", "Written", "digest_of", "size_in_words"]

MAX_FILE_BYTES = 64 * 1024 * 1024
"""The largest file that is read whole, or written, in bytes."""

ABSENT = "absent"
"""Stands for the digest of a file that does not exist."""

RootLike: TypeAlias = Union[str, "os.PathLike[str]", "Workspace"]


class Snapshot(msgspec.Struct, frozen=True):
    """A file as it was when it was read.

    ``path`` is absolute with links resolved, ``shown`` is how to name it; ``mode`` is its ``st_mode`` and ``links``
    counts its names (2 or more: hard links).
    """

    path: str
    shown: str
    data: bytes
    mode: int
    links: int

    @property
    def digest(self) -> str:
        """The SHA-256 of the bytes, in hexadecimal."""
        return digest_of(self.data)


class Written(msgspec.Struct, frozen=True):
    """What writing did. ``notices`` are sentences on what was unusual."""

    path: str
    shown: str
    created: bool
    notices: tuple[str, ...] = ()


class Workspace(Boundary):
    """The files an agent may use: those of its :class:`Boundary`, opened, read and written.

    At its first use it clears away temporary files that killed writers left under its folders.
    """

    def __init__(
        self,
        root: "str | os.PathLike[str]" = ".",
        folders: "Iterable[str | os.PathLike[str]]" = (),
        *,
        readable: "Iterable[str | os.PathLike[str]]" = (),
    ) -> None:
        super().__init__(root, folders, readable=readable)
        self._clean = False

    @classmethod
    def of(cls, root: RootLike) -> "Workspace":
        """``root`` itself when it is a workspace, else one at that folder."""
        return root if isinstance(root, Workspace) else cls(root)

    def resolve_dir(self, path: str = ".") -> Path:
        """The absolute path of a folder that exists. Raises ToolError as :meth:`resolve`, and when it is none."""
        found, is_folder = self.look_up(path)
        if not is_folder:
            raise ToolError(f"{self.relative(found)} is not a folder; give the folder it is in.", code="NotFolder")
        return found

    def look_up(self, path: str) -> tuple[Path, bool]:
        """The absolute path of what exists at ``path``, and whether it is a folder. Raises ToolError as
        :meth:`resolve`, and when nothing is there or it cannot be reached.
        """
        place = self.place(path, write=False)
        try:
            with confine.directory(place.base, place.parts[:-1]) as dir_fd:
                name = place.parts[-1] if place.parts else "."
                mode = os.stat(name, dir_fd=dir_fd, follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode):  # links were resolved: one that is left leads in a circle, or was put there since
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        except OSError as error:
            raise _missing(error, place) from error
        return place.real, stat.S_ISDIR(mode)

    def read(self, path: str, *, max_bytes: int = MAX_FILE_BYTES) -> Snapshot:
        """The whole file. Raises ToolError when it is outside, missing, not a regular file, or over ``max_bytes``."""
        return self._read(self._file(path, write=False), max_bytes)

    def read_if_exists(self, path: str, *, max_bytes: int = MAX_FILE_BYTES) -> Snapshot | None:
        """As :meth:`read`, for a file that is about to be written; None when there is none."""
        try:
            return self._read(self._file(path, write=True), max_bytes)
        except ToolError as error:
            if error.code == "NotFound":
                return None
            raise

    def write(self, path: str, data: bytes, *, base: Snapshot | None) -> Written:
        """Put ``data`` there, atomically, provided the file still is what ``base`` says (None: it does not exist).

        Parents are made. Mode, owner and extended attributes stay. A file with hard links is written in place, so that
        all its names keep showing it, with a notice. Raises ToolError: ``ChangedOnDisk`` when it is not ``base`` any
        more, ``ReadOnly``, ``TooLarge``, and as :meth:`read`; the file is then as it was.
        """
        place = self._file(path, write=True)
        if len(data) > MAX_FILE_BYTES:
            raise ToolError(
                f"{place.shown} would be {size_in_words(len(data))}; at most {size_in_words(MAX_FILE_BYTES)} are "
                "written at once.",
                code="TooLarge",
            )
        try:
            with confine.directory(place.base, place.parts[:-1], make=base is None) as dir_fd:
                if base is not None:
                    return _rewrite(place, data, base, dir_fd)
                atomic.create(place.parts[-1], data, dir_fd=dir_fd)
                return Written(str(place.real), place.shown, created=True)
        except FileExistsError as error:
            raise _changed(place) from error
        except OSError as error:
            raise refusal(error, place.shown, writing=True) from error

    def _file(self, path: str, *, write: bool) -> Place:
        place = self.place(path, write=write)
        if not place.parts or path.endswith(("/", "/.")):
            raise ToolError(f"{path} names a folder, not a file; {LIST_IT}.", code="NotRegular")
        self._remove_strays()
        return place

    def _read(self, place: Place, max_bytes: int) -> Snapshot:
        try:
            with (
                confine.directory(place.base, place.parts[:-1]) as dir_fd,
                confine.regular_file(place.parts[-1], os.O_RDONLY, dir_fd=dir_fd) as handle,
            ):
                data, found = confine.read_capped(handle, max_bytes), os.fstat(handle)
        except OSError as error:
            raise _missing(error, place) from error
        if data is None:
            raise ToolError(
                f"{place.shown} is {size_in_words(max(found.st_size, max_bytes))}; files over "
                f"{size_in_words(max_bytes)} are not read. Search in it, or cut a part out of it with a command such "
                "as head or tail.",
                code="TooLarge",
            )
        return Snapshot(str(place.real), place.shown, data, found.st_mode, found.st_nlink)

    def _remove_strays(self) -> None:
        if not self._clean:
            self._clean = True
            remove_strays((self.root, *self.folders))


def digest_of(data: bytes) -> str:
    """The digest by which file contents are compared: SHA-256, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def size_in_words(count: int) -> str:
    """A count of bytes for people, in decimal units.

    >>> size_in_words(1), size_in_words(12_340), size_in_words(5_000_000), size_in_words(1_200_000_000)
    ('1 byte', '12.3 KB', '5.0 MB', '1.2 GB')
    """
    for unit, factor in (("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1000)):
        if count >= factor:
            return f"{count / factor:,.1f} {unit}"
    return "1 byte" if count == 1 else f"{count} bytes"


def _rewrite(place: Place, data: bytes, base: Snapshot, dir_fd: int) -> Written:
    def check() -> None:
        _check_unchanged(place, base, dir_fd)

    name = place.parts[-1]
    with confine.regular_file(name, os.O_RDONLY, dir_fd=dir_fd) as original:
        check()
        if not os.access(name, os.W_OK, dir_fd=dir_fd):
            raise ToolError(
                f"{place.shown} is read-only for this account; no file was changed. Use another path, or ask the "
                "person to change its permissions.",
                code="ReadOnly",
            )
        links = os.fstat(original).st_nlink
        if links == 1:
            notices = atomic.replace(name, data, original, dir_fd=dir_fd, before_replace=check)
            return Written(str(place.real), place.shown, created=False, notices=notices)
    with confine.regular_file(name, os.O_WRONLY, dir_fd=dir_fd) as handle, atomic.ONE_AT_A_TIME:
        check()
        atomic.overwrite(handle, data, base.data)
    notice = f"The file has {links} names (hard links); all of them show the change."
    return Written(str(place.real), place.shown, created=False, notices=(notice,))


def _check_unchanged(place: Place, base: Snapshot, dir_fd: int) -> None:
    """Compare the bytes, not the times: a file system may give two writes the same time."""
    with confine.regular_file(place.parts[-1], os.O_RDONLY, dir_fd=dir_fd) as handle:
        if confine.read_capped(handle, len(base.data)) != base.data:
            raise _changed(place)


def _changed(place: Place) -> ToolError:
    next_step = "Read it again, then repeat the change."
    return ToolError(f"{place.shown} changed on disk just now and was left as it is. {next_step}", code="ChangedOnDisk")


def _missing(error: OSError, place: Place) -> ToolError:
    """The refusal of a path that is read; of a missing file it names the nearest."""
    said = refusal(error, place.shown)
    return ToolError(f"{said}{_nearest(place)}", code=said.code) if error.errno == errno.ENOENT else said


def _nearest(place: Place) -> str:
    """Names in the same folder that look like the missing one, whatever their case, as a sentence."""
    close: list[str] = []
    with suppress(OSError), confine.directory(place.base, place.parts[:-1]) as dir_fd:
        names = {name.casefold(): name for name in confine.names_in(dir_fd, 2000)}
        close = [names[found] for found in get_close_matches(place.parts[-1].casefold(), names, n=3)]
    above = place.shown.rpartition("/")[0]
    shown = [f"{above}/{encode_name(name)}" if above else encode_name(name) for name in close]
    return f" Nearest: {', '.join(shown)}." if shown else ""
