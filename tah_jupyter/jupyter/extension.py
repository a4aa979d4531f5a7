"""``%load_ext tah_jupyter``: one line, nothing heavy, and everything taken back by ``%unload_ext``.

Only the standard library, what IPython has loaded anyway, and our own light modules are imported here: no socket, no
thread, no model library (law 9).
"""

import os
import weakref
from functools import partial
from typing import Any

from IPython.core.error import UsageError
from traitlets import TraitError

from tah_jupyter.jupyter import key_hygiene
from tah_jupyter.jupyter.completion import add_completer, names_in, remove_completer
from tah_jupyter.jupyter.kernel import notebook_path
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.magics import Magics
from tah_jupyter.jupyter.place import find_place
from tah_jupyter.jupyter.printing import tell
from tah_jupyter.jupyter.settings import Settings
from tah_jupyter.jupyter.status import load_lines
from tah_jupyter.jupyter.transformer import AwaitedCells, keep_question
from tah_jupyter.runtime.config import Config
from tah_jupyter.ui.language import language_of
from tah_jupyter.ui.words import Words

__all__ = ["load", "unload"]

_loaded: "weakref.WeakKeyDictionary[Any, _Extension]" = weakref.WeakKeyDictionary()


def load(shell: Any) -> None:
    """Load into ``shell``; a second time it does nothing."""
    if shell not in _loaded:
        _loaded[shell] = _Extension(shell)


def unload(shell: Any) -> None:
    """End what runs, and take back magics, transformers, completer, traits and the name ``tah``."""
    extension = _loaded.pop(shell, None)
    if extension is not None:
        extension.unload()


class _Extension:
    """Everything that one shell was given."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._settings = _settings(shell)
        place = find_place(notebook_path(shell))
        self._cells = AwaitedCells(shell) if hasattr(shell, "kernel") else None
        loaded = Loaded(shell, self._settings, place)
        self._magics = Magics(loaded, self._cells)
        shell.configurables.append(self._settings)
        shell.input_transformers_cleanup.append(keep_question)
        if self._cells is not None:
            self._cells.install()
        shell.register_magic_function(self._magics.tah, "line_cell", "tah")
        add_completer(shell, partial(names_in, loaded))
        if self._cells is not None:
            key_hygiene.install(shell, lambda: loaded.words)
        if "tah" not in shell.user_ns:
            shell.push({"tah": self._magics.name}, interactive=False)
        config = loaded.config()
        for line in load_lines(config, place, loaded.keys, Words(loaded.language(config))):
            tell(line)

    def unload(self) -> None:
        shell = self._shell
        self._magics.close()
        remove_completer(shell)
        key_hygiene.remove(shell)
        for kind in ("line", "cell"):
            shell.magics_manager.magics[kind].pop("tah", None)
        if self._cells is not None:
            self._cells.remove()
        shell.input_transformers_cleanup.remove(keep_question)
        shell.configurables.remove(self._settings)
        shell.drop_by_id({"tah": self._magics.name})


def _settings(shell: Any) -> Settings:
    """What Jupyter's config files say. Raises UsageError, one line, for a value that is of no use."""
    try:
        return Settings(shell)
    except TraitError as error:
        words = Words(language_of(Config(), os.environ))
        raise UsageError(words.say("jupyter_files", error=error)) from None
