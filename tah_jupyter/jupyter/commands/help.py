"""``%tah help [all]``."""

from tah_jupyter.jupyter.grammar import help_text
from tah_jupyter.jupyter.loaded import Loaded

__all__ = ["run"]


def run(loaded: Loaded, argument: str) -> None:
    """Print what there is: the commands of every day, or all."""
    print(help_text(loaded.words, everything=argument == "all"))
