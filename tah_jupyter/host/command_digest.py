"""What a command was shown against: its words, its folder, its program, and the files of the project that it names.

When one of them changes after a person allowed the command, it is not the command that was allowed any more.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from tah_jupyter.core.errors import ToolError
from tah_jupyter.host.files import Workspace
from tah_jupyter.host.names import encode_name

__all__ = ["command_digest"]

_MAX_HASHED_BYTES = 8_000_000
"""A larger file is data rather than a script; it counts by size, time and inode."""

_MAX_FILES = 1000


def command_digest(argv: Sequence[str], *, cwd: str, program: str, workspace: Workspace) -> str:
    """A digest of all that decides what ``argv`` does in the absolute folder ``cwd``. Blocking: it reads files."""
    digest = hashlib.sha256(msgspec.json.encode([[os.fsencode(word) for word in argv], cwd, program]))
    for path in sorted(set(_paths(argv, cwd, program)))[:_MAX_FILES]:
        digest.update(_state_of(path, workspace).encode())
    return digest.hexdigest()


def _paths(argv: Sequence[str], cwd: str, program: str) -> Iterator[str]:
    yield program
    for candidate in _candidates(argv):
        if "\0" not in candidate and len(candidate) < os.pathconf("/", "PC_PATH_MAX"):
            yield os.path.join(cwd, candidate)


def _candidates(argv: Iterable[str]) -> Iterator[str]:
    """What in an argument list may name a file: a word, the value of ``--option=value``, ``@file``, words of code."""
    for word in argv:
        for part in {word, word.partition("=")[2], word.lstrip("@"), *re.split(r"[\s'\";|&()<>`]+", word)}:
            if part:
                yield part


def _state_of(path: str, workspace: Workspace) -> str:
    """Which bytes are at ``path``; nothing for what is no file of the workspace."""
    name = encode_name(path)
    try:
        return f"{name}={workspace.read(name, max_bytes=_MAX_HASHED_BYTES).digest};"
    except ToolError as error:
        if error.code != "TooLarge":
            return ""
    found = os.stat(path)
    return f"{name}={found.st_size},{found.st_mtime_ns},{found.st_ino};"
