"""Where a path leads, and whether it may be used: the path rule, for reading and for writing.

A path is relative to the root; ``~`` and ``$VAR`` are literal names. ``..``, absolute paths and links are resolved
first, and what then lies outside the root and the added folders is refused, part by part of the path, never by a common
prefix of the text.
"""

import os
import shlex
from collections.abc import Iterable
from pathlib import Path

import msgspec

from tah_jupyter.core.errors import ToolError
from tah_jupyter.host.files.names import decode_name, encode_name

__all__ = ["Boundary", "Place"]

PATH_MAX = 4096
"""Linux's limit of a path in bytes, its final NUL counted (limits.h)."""

_PSEUDO = tuple(Path(folder) for folder in ("/proc", "/sys", "/dev"))
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder like any other, where temporary workspaces may be


class Place(msgspec.Struct, frozen=True):
    """A checked path: ``parts`` below the allowed folder ``base``. No part is a link unless it was swapped since.

    ``real`` is the whole path, ``shown`` how to name it.
    """

    base: Path
    parts: tuple[str, ...]
    real: Path
    shown: str


class Boundary:
    """Everything under ``root``, under ``folders`` and, to read only, under ``readable``. Where one of them lies in
    another, the inner one decides: what may only be read stays so in a folder that may be changed, and the other way
    round.

    Raises ToolError when one of them does not exist or belongs to the system (``/proc``, ``/sys``, ``/dev``). Looking
    up a path reads links and nothing else: some microseconds a part.
    """

    def __init__(
        self,
        root: str | os.PathLike[str] = ".",
        folders: Iterable[str | os.PathLike[str]] = (),
        *,
        readable: Iterable[str | os.PathLike[str]] = (),
    ) -> None:
        self.root = _real_folder(root)
        self.folders = tuple(_real_folder(folder) for folder in folders)
        self.readable = tuple(_real_folder(folder) for folder in readable)

    def resolve(self, path: str, *, write: bool = False) -> Path:
        """The absolute path, links resolved, that ``path`` leads to; it need not exist.

        Raises ToolError (``OutsideWorkspace``, ``BadPath``, ``NotRegular``) when it may not be used.
        """
        return self.place(path, write=write).real

    def relative(self, path: str | os.PathLike[str]) -> str:
        """How to name an absolute path: relative to the root with ``/``, or absolute when it lies outside."""
        path = Path(path)
        inside = path.is_relative_to(self.root)
        return encode_name((path.relative_to(self.root) if inside else path).as_posix())

    def locate(self, path: str) -> str:
        """As :meth:`relative`, of where ``path`` leads. Never raises, so also what may not be used has a name."""
        try:
            return self.relative(self._real(path))
        except ToolError:
            return path

    def place(self, path: str, *, write: bool) -> Place:
        """As :meth:`resolve`, with the allowed folder it lies in."""
        real = self._real(path)
        base = self._innermost(real)
        if base is None or (write and base != self.root and base in self.readable):
            raise self._outside(path, real, write=write)
        if _is_pseudo(real):
            raise ToolError(f"{path} belongs to the system, not to a project; it is not opened.", code="NotRegular")
        return Place(base, real.relative_to(base).parts, real, self.relative(real))

    def _innermost(self, real: Path) -> Path | None:
        """The allowed folder that ``real`` lies deepest in."""
        bases = (base for base in (self.root, *self.folders, *self.readable) if real.is_relative_to(base))
        return max(bases, key=lambda base: len(base.parts), default=None)

    def _real(self, path: str) -> Path:
        if not path:
            raise ToolError('The path is empty; use "." for the root.', code="BadPath")
        try:
            name = decode_name(path)
        except UnicodeEncodeError as error:
            raise ToolError("The path holds half a character (a lone surrogate).", code="BadPath") from error
        if "\0" in name:
            raise ToolError("A path cannot hold a NUL character.", code="BadPath")
        whole = os.path.join(self.root, name)
        if len(os.fsencode(whole)) >= PATH_MAX:  # no program could use what is there
            raise ToolError(
                f"The path is too long: with its folder it may have {PATH_MAX - 1:,} bytes. Use a shorter one.",
                code="BadPath",
            )
        try:
            return Path(os.path.realpath(whole))
        except OSError as error:  # a link that was something else a moment ago
            raise ToolError(f"{path} cannot be followed: {error.strerror}. Try again.", code="BadPath") from error

    def _outside(self, path: str, real: Path, *, write: bool) -> ToolError:
        offer = self._offer(_folder_of(real), write=write)
        if any(real.is_relative_to(folder) for folder in self.readable):
            said = f"{path} lies in a folder that may only be read."
            return ToolError(said, code="OutsideWorkspace", offer=offer)
        where = encode_name(str(real))
        leads = "" if where == path else f" (it leads to {where})"
        return ToolError(
            f"{path} is outside the folder {encode_name(str(self.root))}{leads}; only files inside it can be used.",
            code="OutsideWorkspace",
            offer=offer,
        )

    def _offer(self, folder: Path, *, write: bool) -> str:
        """What the person could do; nothing where too much would be opened, or what belongs to the system."""
        if self.root.is_relative_to(folder) or Path(os.path.expanduser("~")).is_relative_to(folder):
            return ""
        if folder == Path(folder.anchor) or _is_pseudo(folder):
            return ""
        near = os.path.relpath(folder, self.root)
        name = encode_name(near if len(near) < len(str(folder)) else str(folder))
        command = f"%tah folder add {shlex.quote(name)}"
        if write:
            return f"To let files in {name} be changed: {command}"
        return f"To let files in {name} be read: {command} --read-only"


def _real_folder(path: str | os.PathLike[str]) -> Path:
    real = Path(os.path.realpath(path))
    if not os.path.isdir(real):
        raise ToolError(f"The folder {encode_name(str(real))} does not exist.", code="NotFound")
    if _is_pseudo(real):
        raise ToolError(f"The folder {real} belongs to the system and cannot be worked in.", code="NotRegular")
    return real


def _folder_of(real: Path) -> Path:
    return real if os.path.isdir(real) else real.parent


def _is_pseudo(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _PSEUDO) and not path.is_relative_to(_SHARED_MEMORY)
