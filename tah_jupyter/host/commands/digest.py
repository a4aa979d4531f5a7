"""What a command was shown against: its words, its folder, its program, and the files of the project that it names.

When one of them changes after a person allowed the command, it is not the command that was allowed any more.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Sequence

import msgspec

from tah_jupyter.core.errors import ToolError
from tah_jupyter.host.files.names import encode_name
from tah_jupyter.host.files.workspace import Workspace

__all__ = ["command_digest"]

_MAX_HASHED_BYTES = 8_000_000
"""A larger file is data rather than a script; it counts by size, time and inode."""

_MAX_TOTAL_BYTES = 64_000_000
_MAX_PLACES = 5000
_MAX_PATH_CHARS = 4096


def command_digest(argv: Sequence[str], *, cwd: str, program: str, workspace: Workspace) -> str:
    """A digest of all that decides what ``argv`` does in the absolute folder ``cwd``. Blocking: it reads files.

    At most 64 MB are read, the program and whole arguments first; files beyond that count by size, time and inode.
    """
    digest = hashlib.sha256(msgspec.json.encode([os.fsencode(word) for word in (cwd, program, *argv)]))
    room = _MAX_TOTAL_BYTES
    for path in _places(argv, cwd, program):
        state, read_bytes = _state_of(path, workspace, min(room, _MAX_HASHED_BYTES))
        room -= read_bytes
        digest.update(state.encode())
    return digest.hexdigest()


def _places(argv: Sequence[str], cwd: str, program: str) -> list[str]:
    """Where a file of the command may be, most likely ones first."""
    places = dict.fromkeys([program])
    for name in (*argv, *_fragments(argv)):
        if name and "\0" not in name and len(name) < _MAX_PATH_CHARS:
            places[os.path.join(cwd, name)] = None
    return list(places)[:_MAX_PLACES]


def _fragments(argv: Sequence[str]) -> Iterator[str]:
    """What inside a word may name a file: the value of ``--option=value``, ``@file``, the words of code."""
    for word in argv:
        yield word.partition("=")[2]
        yield word.lstrip("@")
        yield from re.split(r"[\s'\";|&()<>`]+", word)


def _state_of(path: str, workspace: Workspace, max_bytes: int) -> tuple[str, int]:
    """Which bytes are at ``path``, and how many were read; nothing for what is no file of the workspace."""
    name = encode_name(path)
    try:
        found = workspace.read(name, max_bytes=max_bytes)
        return f"{name}={found.digest};", len(found.data)
    except ToolError as error:
        if error.code != "TooLarge":
            return "", 0
    try:
        facts = os.stat(path)
    except OSError:  # removed since
        return "", 0
    return f"{name}={facts.st_size},{facts.st_mtime_ns},{facts.st_ino};", 0
