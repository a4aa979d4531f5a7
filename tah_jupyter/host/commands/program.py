"""Which file a command's first word names, and what to say when there is none."""

import os
import re
import shutil
from difflib import get_close_matches

from tah_jupyter.core.errors import ToolError

__all__ = ["find_program"]

_SHELL_WORDS = """
. : alias bg bind break builtin continue declare dirs eval exec exit export fg getopts hash history jobs let local
logout popd pushd read readonly return set shift shopt source times trap type typeset ulimit umask unalias unset wait
"""


def find_program(name: str, *, path: str, cwd: str) -> str:
    """The absolute path of the program that ``name`` runs in the folder ``cwd`` with the search path ``path``.

    Raises ToolError (``ProgramNotFound``) with the nearest names. Blocking: it reads folders.
    """
    if os.path.dirname(name):
        return _find_by_path(name, cwd)
    found = shutil.which(name, path=path)
    if found is None:
        raise ToolError(_not_found(name, path), code="ProgramNotFound")
    return os.path.abspath(found)


def _find_by_path(name: str, cwd: str) -> str:
    file = os.path.join(cwd, name)
    if not os.path.exists(file):
        raise ToolError(f"There is no file {name} in {cwd}.", code="ProgramNotFound")
    if os.path.isdir(file):
        raise ToolError(f"{name} is a folder, not a program.", code="ProgramNotFound")
    if not os.access(file, os.X_OK):
        raise ToolError(
            f'{name} is not executable. Run it with its interpreter, as in ["python", "{name}"].',
            code="ProgramNotFound",
        )
    return file


def _not_found(name: str, path: str) -> str:
    if name in _SHELL_WORDS.split():
        return f'{name} is a word of the shell, and there is no shell here. Use ["bash", "-c", "{name} …"].'
    if re.match(r"\w+=", name):
        return f'{name} is not a program. To set a variable use ["env", "{name}", …].'
    near = get_close_matches(name, _programs(path), n=3, cutoff=0.7)
    hint = f"Nearest names: {', '.join(near)}." if near else "No similar name is on the PATH either."
    return f"There is no program {name!r} on the PATH. {hint}"


def _programs(path: str) -> set[str]:
    names: set[str] = set()
    for folder in path.split(os.pathsep):
        try:
            names.update(os.listdir(folder))
        except OSError:  # a folder of the PATH that does not exist is usual
            continue
    return names
