"""Which file a command's first word names, and what to say when there is none."""

import json
import os
import re
import shutil
from difflib import get_close_matches

from tah_jupyter.core.errors import ToolError
from tah_jupyter.host.files.names import encode_name

__all__ = ["find_program", "with_interpreter"]

_SHELL_WORDS = """
. : ! [[ { } alias bg bind break builtin caller case command compgen complete continue coproc declare dirs disown do
done elif else enable esac eval exec exit export fc fg fi for function getopts hash history if in jobs let local logout
mapfile popd pushd read readarray readonly return select set shift shopt source suspend then times trap type typeset
ulimit umask unalias unset until wait while
"""

_INTERPRETERS = {
    ".sh": "bash", ".bash": "bash", ".py": "python", ".js": "node", ".mjs": "node", ".rb": "ruby", ".pl": "perl",
    ".r": "Rscript", ".lua": "lua", ".php": "php",
}  # fmt: skip


def find_program(name: str, *, path: str, cwd: str) -> str:
    """The absolute path of the program that ``name`` runs in the folder ``cwd`` with the search path ``path``.

    Raises ToolError (``ProgramNotFound``) with the nearest names. Blocking: it reads folders.
    """
    if os.path.dirname(name):
        return _find_by_path(name, cwd)
    found = shutil.which(name, path=path)
    if found is None:
        raise ToolError(_not_found(name, path, cwd), code="ProgramNotFound")
    return os.path.abspath(found)


def with_interpreter(name: str) -> str:
    """How to run a script that the system does not run by itself, as a sentence."""
    usual = _INTERPRETERS.get(os.path.splitext(name)[1].lower(), "bash")
    return f"Run it with its interpreter, as in {json.dumps([usual, name], ensure_ascii=False)}."


def _find_by_path(name: str, cwd: str) -> str:
    file = os.path.join(cwd, name)
    if not os.path.exists(file):
        raise ToolError(
            f"There is no file {name} in {encode_name(cwd)}. List the folder to see what is there.",
            code="ProgramNotFound",
        )
    if os.path.isdir(file):
        raise ToolError(f"{name} is a folder, not a program; name a program in it.", code="ProgramNotFound")
    if not os.access(file, os.X_OK):
        raise ToolError(f"{name} is not executable. {with_interpreter(name)}", code="ProgramNotFound")
    return file


def _not_found(name: str, path: str, cwd: str) -> str:
    if name in _SHELL_WORDS.split():
        return f'{name} is a word of the shell, and there is no shell here. Use ["bash", "-c", "{name} …"].'
    if re.match(r"\w+=", name):
        return f'{name} is not a program. To set a variable use ["env", "{name}", …].'
    missing = f"There is no program {name!r} on the PATH."
    if os.path.isfile(os.path.join(cwd, name)):
        return f"{missing} There is a file of that name; run it as {json.dumps(f'./{name}', ensure_ascii=False)}."
    near = get_close_matches(name, _programs(path), n=3, cutoff=0.7)
    return f"{missing} Nearest names: {', '.join(near)}." if near else f"{missing} No similar name is on it either."


def _programs(path: str) -> set[str]:
    names: set[str] = set()
    for folder in path.split(os.pathsep):
        try:
            names.update(os.listdir(folder))
        except OSError:  # a folder of the PATH that does not exist is usual
            continue
    return names
