"""``%tah folder [PATH | add PATH [--read-only] | remove PATH]``: where the agent works.

Everything holds in this kernel until it restarts; only the person's own config keeps folders for longer, and no file of
a workspace can add one (law 8). Paths are relative to the folder in force, as the agent's own are.
"""

import os
import shlex
from pathlib import Path

from IPython.core.error import UsageError

from tah_jupyter.core.errors import ToolError
from tah_jupyter.host.files.boundary import Boundary
from tah_jupyter.host.files.names import decode_name
from tah_jupyter.jupyter.columns import aligned
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.place import CHOSEN, is_wide
from tah_jupyter.jupyter.printing import tell
from tah_jupyter.jupyter.status import added_words, folder_words, place_words
from tah_jupyter.runtime.config import Folders
from tah_jupyter.runtime.config_sources import OWN_FILE
from tah_jupyter.ui.visible import visible_line

__all__ = ["run"]

_READ_ONLY = "--read-only"


def run(loaded: Loaded, argument: str) -> None:
    """Print the folders, or change them from the next request on. Raises UsageError, nothing changed, for a path that
    cannot be used.
    """
    try:
        words = shlex.split(argument)
    except ValueError:
        raise UsageError(loaded.words.say("folder_quotes")) from None
    match words:
        case []:
            _show(loaded)
        case ["add", *rest] if [bool(word) for word in rest if word != _READ_ONLY] == [True]:
            [path] = [word for word in rest if word != _READ_ONLY]
            _add(loaded, path, read_only=_READ_ONLY in rest)
        case ["remove", path]:
            _remove(loaded, path)
        case [path] if path not in ("", "add", "remove") and not path.startswith("--"):
            _choose(loaded, path)
        case _:
            raise UsageError(loaded.words.say("folder_usage"))


def _show(loaded: Loaded) -> None:
    words, place = loaded.words, loaded.place
    added = added_words(place.folders.joined(loaded.config().folders), words)
    rows = [(words.say("row_folder"), place_words(place, words)), *((words.say("row_added"), line) for line in added)]
    tell("\n".join(aligned(rows)))


def _choose(loaded: Loaded, path: str) -> None:
    place, words = loaded.place, loaded.words
    root = _folder(loaded, path)
    loaded.place = place._replace(root=root, mark=CHOSEN, folders=_without(place.folders, root))
    tell(words.say("folder_now", folder=folder_words(loaded.place.root, words)))


def _add(loaded: Loaded, path: str, *, read_only: bool) -> None:
    folder, place, words = _folder(loaded, path), loaded.place, loaded.words
    if is_wide(folder):
        raise UsageError(words.say("folder_too_wide", folder=folder_words(folder, words)))
    if folder.is_relative_to(place.root) and not any(map(folder.is_relative_to, place.folders.read)):
        raise UsageError(words.say("folder_inside", path=_shown(path), folder=folder_words(place.root, words)))
    rest = _without(place.folders, folder)
    added = rest._replace(read=(*rest.read, folder)) if read_only else rest._replace(change=(*rest.change, folder))
    loaded.place = place._replace(folders=added)
    key = "folder_added_read_only" if read_only else "folder_added"
    tell(words.say(key, folder=folder_words(folder, words)))
    tell(words.say("folder_until", key='"folders"', file=OWN_FILE))


def _remove(loaded: Loaded, path: str) -> None:
    place, words = loaded.place, loaded.words
    folder = _real(loaded, path)  # it may be gone meanwhile
    rest = _without(place.folders, folder)
    if rest != place.folders:
        loaded.place = place._replace(folders=rest)
        tell(words.say("folder_removed", folder=folder_words(folder, words)))
    elif any(folder in folders for folders in loaded.config().folders):
        raise UsageError(words.say("folder_in_config", path=_shown(path), file=OWN_FILE))
    else:
        added = ", ".join(added_words(place.folders, words)) or words.say("none")
        raise UsageError(words.say("folder_not_added", path=_shown(path), added=added))


def _folder(loaded: Loaded, path: str) -> Path:
    """The real folder that ``path`` names. Raises UsageError when there is none that can be worked in."""
    folder, words = _real(loaded, path), loaded.words
    if not os.path.isdir(folder):
        raise UsageError(words.say("folder_file" if os.path.exists(folder) else "folder_none", path=_shown(path)))
    try:
        return Boundary(folder).root
    except ToolError:
        raise UsageError(words.say("folder_system", path=_shown(path))) from None


def _real(loaded: Loaded, path: str) -> Path:
    try:
        name = os.path.expanduser(decode_name(path))
        return Path(os.path.realpath(loaded.place.root / name))
    except (OSError, ValueError):  # half a character, a NUL, a link that leads in a circle
        raise UsageError(loaded.words.say("folder_none", path=_shown(path))) from None


def _without(folders: Folders, gone: Path) -> Folders:
    return Folders(*(tuple(folder for folder in some if folder != gone) for some in folders))


def _shown(path: str) -> str:
    return visible_line(path).text
