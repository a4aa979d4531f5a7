"""ripgrep as a sieve: which files can match? It is fast and parallel; what it proposes is read again by our own engine.

So the answers are the same with and without it, as long as it never misses a file: it gets the pattern in the form that
both engines read alike (:mod:`tah_jupyter.host.search.regex`), and rules on files that leave out no more than ours.
"""

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import anyio

from tah_jupyter.host.processes import process
from tah_jupyter.host.search.regex import Pattern
from tah_jupyter.host.search.walk import Tree

__all__ = ["find_program", "propose"]

LIMIT_S = 15.0
"""After this time it is ended, and our own engine does all of the work."""

MAX_PROPOSED_BYTES = 32 << 20
_ENVIRONMENT = {"LC_ALL": "C"}
_SOME_UNREADABLE = 2  # also the code for a bad pattern, which comes with a complaint
_OPTIONS = (
    "--no-config",
    "--files-with-matches",
    "--null",
    "--no-messages",
    "--no-ignore-dot",
    "--no-ignore-exclude",
    "--no-ignore-global",
    "--no-ignore-messages",
    "--no-require-git",
)


def find_program(root: Path) -> str | None:
    """The absolute path of ``rg`` on PATH, or None. One that lies in the workspace does not count: a project must not
    choose what is run on its files. Blocks.
    """
    found = shutil.which("rg")
    if found is None or not os.path.isabs(found):
        return None
    return None if Path(os.path.realpath(found)).is_relative_to(root) else found


async def propose(program: str, tree: Tree, pattern: Pattern, globs: Sequence[str]) -> list[str] | None:
    """Paths, relative to the start of ``tree``, of all files that can match, and some that cannot, in any order; None
    when ripgrep cannot tell: it refuses the pattern, takes too long, or proposes too much.

    ``globs`` narrow the files; a path need not pass them, nor ``tree.shows``. ``tree.unreadable`` counts one when
    something could not be read.
    """
    proposed = bytearray()
    complaints = bytearray()

    def take(piece: bytes) -> None:
        proposed.extend(piece)
        if len(proposed) > MAX_PROPOSED_BYTES:
            raise process.Enough

    argv = ["rg", *_options(tree, pattern, globs), f"--regexp={pattern.sieve}", "--", "./"]
    code = None
    with anyio.move_on_after(LIMIT_S) as limit, suppress(OSError):  # not a program, or the folder went away
        async with process.start(
            argv,
            cwd=tree.start,
            env=_ENVIRONMENT,
            output=take,
            errors=complaints.extend,
            program=program,
            guarded=False,
        ) as child:
            code = await child.wait()
    if limit.cancelled_caught or complaints or code not in (0, 1, _SOME_UNREADABLE):
        return None
    tree.unreadable += code == _SOME_UNREADABLE
    return [os.fsdecode(path.removeprefix(b"./")) for path in bytes(proposed).split(b"\0") if path]


def _options(tree: Tree, pattern: Pattern, globs: Sequence[str]) -> list[str]:
    chosen = list(_OPTIONS)
    if not tree.rules_reach_up:
        chosen.append("--no-ignore-parent")
    if pattern.ignore_case:
        chosen.append("--ignore-case")
    if pattern.multiline:
        chosen.append("--multiline")
    return [*chosen, *(f"--glob={glob}" for glob in globs), "--glob=!node_modules/", "--glob=!dist/"]
