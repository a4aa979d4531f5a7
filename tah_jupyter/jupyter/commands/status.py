"""``%tah``: where things stand."""

import os
from collections.abc import Iterator

from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.status import mode_words, model_advice, model_words

__all__ = ["run"]


def run(loaded: Loaded, argument: str) -> None:
    """Print model, folder, mode and session, and what is wrong with the config."""
    print("\n".join(_standing(loaded)))


def _standing(loaded: Loaded) -> Iterator[str]:
    config, talk = loaded.config(), loaded.agent.conversation
    session = talk.session if talk is not None else None
    yield f"model    {model_advice(config, os.environ) or model_words(config, os.environ)}"
    yield f"folder   {loaded.place}"
    yield f"mode     {mode_words(config)}"
    yield f"session  {session.session_id} · run {session.tally.runs}" if session is not None else "session  none yet"
    yield from (f"config   {problem}" for problem in config.problems)
