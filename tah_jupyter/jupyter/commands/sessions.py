"""``%tah sessions show N``."""

from IPython.core.error import UsageError

from tah_jupyter.jupyter import shown
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.output import Output

__all__ = ["run"]


def run(loaded: Loaded, argument: str) -> None:
    """Show the record of a run again. Raises UsageError when its number is missing or unknown."""
    number = argument.split()[1:]
    if len(number) != 1 or not number[0].isdecimal():
        raise UsageError(loaded.words.say("which_run"))
    Output(loaded.shell).show(shown.run(shown.look(loaded), int(number[0])))
