"""``%tah``: where things stand."""

from collections.abc import Iterator

from tah_jupyter.jupyter.columns import aligned
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.printing import tell
from tah_jupyter.jupyter.status import added_words, mode_words, model_words, place_words

__all__ = ["run"]


def run(loaded: Loaded, argument: str) -> None:
    """Print model, folders, mode and session, and what is wrong with the config."""
    tell("\n".join(aligned(list(_standing(loaded)))))


def _standing(loaded: Loaded) -> Iterator[tuple[str, str]]:
    config, words, place, talk = loaded.config(), loaded.words, loaded.place, loaded.agent.conversation
    session = talk.session if talk is not None else None
    yield words.say("row_model"), model_words(config, loaded.keys, words)
    yield words.say("row_folder"), place_words(place, words)
    yield from ((words.say("row_added"), line) for line in added_words(place.folders.joined(config.folders), words))
    yield words.say("row_mode"), mode_words(config, words)
    run = words.say("run", n=session.tally.runs) if session is not None else ""
    yield words.say("row_session"), f"{session.session_id} · {run}" if session is not None else words.say("no_session")
    yield from ((words.say("row_config"), str(problem)) for problem in config.problems)
