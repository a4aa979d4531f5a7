"""``%tah show todos|tools|cost``."""

from tah_jupyter.jupyter import shown
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.printing import tell

__all__ = ["run"]


def run(loaded: Loaded, subject: str) -> None:
    """Print one view of the session."""
    tell("\n".join(shown.SUBJECTS[subject](shown.look(loaded))))
