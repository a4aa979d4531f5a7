"""``%tah mode [MODE]``: what passes without a question."""

from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.printing import tell
from tah_jupyter.jupyter.status import mode_words

__all__ = ["run"]


def run(loaded: Loaded, mode: str) -> None:
    """Settle ``mode`` (a name of the config) from now on, and print what holds."""
    if mode:
        loaded.settings.mode = mode
    tell(mode_words(loaded.config(), loaded.words))
