"""``%tah help [all]``."""

from tah_jupyter.jupyter.grammar import help_text
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.printing import tell

__all__ = ["run"]


def run(loaded: Loaded, argument: str) -> None:
    """Print what there is: the commands of every day, or all."""
    tell(help_text(loaded.words, everything=argument == "all"))
