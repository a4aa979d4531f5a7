"""``%tah help``."""

from tah_jupyter.jupyter.grammar import help_text
from tah_jupyter.jupyter.loaded import Loaded

__all__ = ["run"]


def run(loaded: Loaded, argument: str) -> None:
    """Print what there is."""
    print(help_text())
