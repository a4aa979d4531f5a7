"""``%tah config``: every setting, and where it comes from."""

from tah_jupyter.jupyter.loaded import Loaded

__all__ = ["run"]


def run(loaded: Loaded, argument: str) -> None:
    """Print each key with its value and source, then what is wrong."""
    config = loaded.config()
    width = max(len(row.key) for row in config.rows)
    for row in config.rows:
        print(f"{row.key:<{width}}  {row.value}  ({row.source})")
    for problem in config.problems:
        print(problem)
