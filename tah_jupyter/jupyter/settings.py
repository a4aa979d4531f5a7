"""What this kernel has been told: traits for ``%config Tah.…`` and Jupyter's config files, and the words of ``%tah``.

A value from a Jupyter config file is the weakest source, one given in this kernel the strongest. Both arrive in the
same trait, so the ones that were there at load are remembered.
"""

from typing import Any

from traitlets import Int, Unicode
from traitlets.config import Configurable

from tah_jupyter.jupyter.grammar import MODES

__all__ = ["Settings"]

_KEYS = {"model": "model", "mode": "permissions.mode", "max_turns": "budget.maxTurns"}


class Settings(Configurable):
    """The traits of ``%config Tah``; empty or 0 means: not set here."""

    model = Unicode("", help="Which model answers: a name of your config, PROVIDER/MODEL, or scripted:FILE.").tag(
        config=True
    )
    mode = Unicode("", help=f"What passes without a question: {', '.join(MODES)}.").tag(config=True)
    max_turns = Int(0, min=0, help="End a run after so many turns.").tag(config=True)

    def __init__(self, shell: Any) -> None:
        super().__init__(parent=shell)
        self._at_load = self._set_values()

    @property
    def from_files(self) -> dict[str, Any]:
        """Values of Jupyter's own config files, by dotted key of the config."""
        return self._at_load

    @property
    def from_session(self) -> dict[str, Any]:
        """Values given in this kernel."""
        return {key: value for key, value in self._set_values().items() if self._at_load.get(key) != value}

    def _set_values(self) -> dict[str, Any]:
        values = {key: getattr(self, name) for name, key in _KEYS.items() if getattr(self, name)}
        if self.mode in MODES:
            values["permissions.mode"] = MODES[self.mode]
        return values


Settings.__name__ = "Tah"  # the name under which %config and config files know it
