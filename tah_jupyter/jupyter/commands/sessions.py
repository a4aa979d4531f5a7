"""``%tah sessions show N``."""

from IPython.core.error import UsageError

from tah_jupyter.jupyter import shown
from tah_jupyter.jupyter.grammar import whole_number
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.output import Output

__all__ = ["run"]


def run(loaded: Loaded, argument: str) -> None:
    """Show the record of a run again. Raises UsageError when its number is missing or unknown."""
    rest = argument.split()[1:]
    number = whole_number(rest[0]) if len(rest) == 1 else None
    if number is None:
        raise UsageError(loaded.words.say("which_run"))
    Output(loaded.shell).show(shown.run(shown.look(loaded), number))
