"""``%tah key [PROVIDER | forget PROVIDER]``: the key of a model provider, entered where nobody sees it."""

from functools import partial

from IPython.core.error import StdinNotImplementedError, UsageError

from tah_jupyter.core.errors import TahError
from tah_jupyter.jupyter.at_agent import at_agent, secret_on
from tah_jupyter.jupyter.columns import aligned
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.printing import tell
from tah_jupyter.jupyter.pump import MainThread
from tah_jupyter.models.providers import PROVIDERS

__all__ = ["run"]


def run(loaded: Loaded, argument: str) -> None:
    """Enter a key, or forget one; alone it says which there are and asks whose. Raises UsageError for a word that is no
    provider, TahError when the key is not there afterwards.
    """
    match argument.split():
        case []:
            _show(loaded)
            name = _ask_whose(loaded)
            if name:
                _enter(loaded, name)
        case ["forget", name]:
            _forget(loaded, name)
        case [name]:
            _enter(loaded, name)
        case _:
            raise UsageError(loaded.words.say("key_usage"))


def _show(loaded: Loaded) -> None:
    from tah_jupyter.jupyter.model_cards import place_of_key  # noqa: PLC0415 - brings msgspec

    words, keys = loaded.words, loaded.keys
    known = {name: keys.place_of(name) for name in _variables(loaded).values()}
    rows = [(name, place_of_key(name, keys, words)) for name, place in known.items() if place]
    tell("\n".join([words.say("key_rows"), *aligned(rows)] if rows else [words.say("key_none")]))


def _ask_whose(loaded: Loaded) -> str:
    try:
        return input(loaded.words.say("key_prompt_which", names=", ".join(_variables(loaded)))).strip()
    except (StdinNotImplementedError, EOFError):
        return ""


def _enter(loaded: Loaded, name: str) -> None:
    variable = _variable(loaded, name)

    async def enter(main: MainThread) -> str:
        from tah_jupyter.jupyter.key_entry import KeyEntry, lock_of_name  # noqa: PLC0415 - brings httpx

        lock = lock_of_name(name, loaded.config(), loaded.keys)
        entry = KeyEntry(loaded.words, loaded.keys, secret_on(main), lambda text: _print_on(main, text))
        return await entry.enter(lock) if lock is not None else loaded.words.say("key_not_known", variable=variable)

    if why_not := at_agent(loaded, enter):
        raise TahError(why_not)


def _forget(loaded: Loaded, name: str) -> None:
    variable, words, keys = _variable(loaded, name), loaded.words, loaded.keys
    if not keys.place_of(variable):
        raise UsageError(words.say("key_not_known", variable=variable))
    if keys.place_of(variable) == "environment" and variable not in keys.remembered:
        raise UsageError(words.say("key_environment_stays", variable=variable))

    async def forget(main: MainThread) -> str:
        from tah_jupyter.host.secrets import system_keyring  # noqa: PLC0415 - brings anyio

        return await system_keyring.forget(keys, variable)

    tell(words.say("key_forgotten_here" if at_agent(loaded, forget) else "key_forgotten", variable=variable))
    if keys.in_environment(variable):
        tell(words.say("key_environment_stays", variable=variable))


def _variable(loaded: Loaded, name: str) -> str:
    """The variable of a provider's or endpoint's key. Raises UsageError for a name that has none."""
    variables = _variables(loaded)
    if name not in variables:
        # what was written is not said again: it may be a key, and errors are saved with the notebook
        raise UsageError(loaded.words.say("key_which_unknown", names=", ".join(variables)))
    return variables[name]


def _variables(loaded: Loaded) -> dict[str, str]:
    """Whose key is in which variable: endpoints of the config, then providers."""
    endpoints = {each.name: each.api_key_env for each in loaded.config().models.values() if each.api_key_env}
    known = loaded.keys.with_unread()
    return endpoints | {
        each.name: each.key_variable(known) or each.key_env for each in PROVIDERS.values() if each.name not in endpoints
    }


def _print_on(main: MainThread, text: str) -> None:
    main.call(partial(print, text, flush=True))
