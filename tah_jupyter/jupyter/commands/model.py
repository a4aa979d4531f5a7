"""``%tah model [NAME]``: which model answers."""

import os

from IPython.core.error import UsageError

from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.status import model_advice, model_words

__all__ = ["run"]


def run(loaded: Loaded, name: str) -> None:
    """Settle ``name`` from now on, and print what answers. Raises UsageError, the model unchanged, for one that cannot
    be used.
    """
    settings = loaded.settings
    before = settings.model
    settings.model = name or before
    config = loaded.config()
    advice = model_advice(config, os.environ)
    if name and advice:
        settings.model = before
        raise UsageError(f"{advice} The model was not changed.")
    print(advice or model_words(config, os.environ))
