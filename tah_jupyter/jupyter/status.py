"""Where things stand, in words. Used by the line of ``%load_ext``, by ``%tah`` and by the doctor."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from tah_jupyter._version import __version__
from tah_jupyter.host.secrets.keys import Keys
from tah_jupyter.jupyter.place import CHOSEN, Place, introduced, short
from tah_jupyter.models.choose import DEMO_LABEL, Missing, ModelSpec, choose
from tah_jupyter.runtime.config import Config, Folders
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = ["added_words", "folder_words", "load_lines", "mode_words", "model_advice", "model_words", "place_words"]

_ENGLISH = Words("en")


def load_lines(config: Config, place: Place, environ: Mapping[str, str], words: Words) -> Iterator[str]:
    """What ``%load_ext`` prints (experience, section A): one line, what is wrong with the settings, and until a first
    run has finished how to begin.
    """
    version = ".".join(__version__.split(".")[:2])
    model, folder = model_words(config, environ, words), place_words(place, words)
    yield words.say("loaded", version=version, model=model, folder=folder, mode=mode_words(config, words))
    yield from (str(problem) for problem in config.problems)
    if not introduced():
        yield words.say("try_it")


def model_words(config: Config, environ: Mapping[str, str], words: Words = _ENGLISH) -> str:
    """Which model answers and where its key comes from."""
    chosen = _chosen(config, environ)
    if isinstance(chosen, Missing) and chosen.reason in ("none", "several"):
        return words.say("no_model_yet")
    if isinstance(chosen, Missing):
        return words.say("no_model_because", why=chosen.message.rstrip("."))
    if chosen.route == "demo":
        return words.told(DEMO_LABEL)
    name = visible_line(chosen.name).text
    return words.say("model_and_key", model=name, key=_key(chosen.key_env, environ, words)) if chosen.key_env else name


def model_advice(config: Config, environ: Mapping[str, str]) -> str:
    """Why no model is settled, and what to do; empty when one is."""
    chosen = _chosen(config, environ)
    return f"{chosen.message} {chosen.next_step}" if isinstance(chosen, Missing) else ""


def mode_words(config: Config, words: Words = _ENGLISH) -> str:
    """What passes without a question."""
    mode = words.say(f"mode_{config.permissions.mode}")
    return words.say("mode_mending", mode=mode) if config.fail_closed else mode


def place_words(place: Place, words: Words = _ENGLISH) -> str:
    """The folder, and why it is that one."""
    folder = folder_words(place.root, words)
    mark = words.say("folder_chosen") if place.mark == CHOSEN else place.mark
    return words.say("folder_marked", folder=folder, mark=mark) if mark else folder


def folder_words(folder: Path, words: Words = _ENGLISH) -> str:
    """A folder from the person's home; a whole home or disk is said to be that."""
    name = visible_line(short(folder)).text
    if folder == Path(folder.anchor):
        return words.say("whole_disk", folder=name)
    return words.say("whole_home", folder=name) if name == "~" else name


def added_words(folders: Folders, words: Words = _ENGLISH) -> list[str]:
    """The folders beside the root, a text each."""
    read_only = (words.say("folder_read_only", folder=folder_words(folder, words)) for folder in folders.read)
    return [*(folder_words(folder, words) for folder in folders.change), *read_only]


def _key(variable: str, environ: Mapping[str, str], words: Words) -> str:
    """The variable of a key, and where it is kept when that is not the environment."""
    place = environ.place_of(variable) if isinstance(environ, Keys) else ""
    return words.say(f"key_in_{place}", key=variable) if place in ("kernel", "keyring") else variable


def _chosen(config: Config, environ: Mapping[str, str]) -> ModelSpec | Missing:
    known = environ.with_unread() if isinstance(environ, Keys) else environ
    return choose(config_models=config.models, environ=known, config_model=config.model or "")
