"""``%tah config``: every setting, and where it comes from."""

from tah_jupyter.jupyter.columns import aligned
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.printing import tell

__all__ = ["run"]


def run(loaded: Loaded, argument: str) -> None:
    """Print each key with its value and source, then what is wrong."""
    config, words = loaded.config(), loaded.words
    tell("\n".join(aligned([(row.key, f"{row.value}  ({words.told(row.source)})") for row in config.rows])))
    for problem in config.problems:
        tell(str(problem))
