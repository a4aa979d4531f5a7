"""Entering a key: typed where nobody sees it, checked for free, kept in the system keyring where there is one."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple

from tah_jupyter.host.secrets.keys import Keys, clean_key
from tah_jupyter.host.secrets.system_keyring import Unkept, keep
from tah_jupyter.models.choose import ModelSpec
from tah_jupyter.models.key_check import KeyCheck, check_endpoint_key, check_key
from tah_jupyter.models.providers import PROVIDERS, Provider, provider_named
from tah_jupyter.runtime.config import Config
from tah_jupyter.ui.words import Words

__all__ = ["KeyEntry", "Lock", "Secret", "lock_of_name", "lock_of_provider", "lock_of_spec"]

Secret = Callable[[str], Awaitable[str | None]]
"""Has the person type what nobody may see, after a prompt; None when nobody can."""

_WHERE: dict[Unkept, str] = {
    "": "key_kept",
    "no_package": "key_no_package",
    "no_keyring": "key_no_keyring",
    "failed": "key_keyring_failed",
    "environment": "key_environment_first",
}


class Lock(NamedTuple):
    """What a key opens: its title, the variable that holds the key, and how a key is tried."""

    title: str
    variable: str
    check: Callable[[str], Awaitable[KeyCheck]]


def lock_of_provider(provider: Provider, keys: Keys) -> Lock:
    """The lock of a service."""
    variable = provider.key_variable(keys) or provider.key_env
    return Lock(provider.title, variable, partial(_check, provider, keys))


def lock_of_name(name: str, config: Config, keys: Keys) -> Lock | None:
    """The lock of the model that ``name`` settles; None when it needs no key, or it is not known which."""
    if (endpoint := config.models.get(name)) is not None:
        if not endpoint.api_key_env:
            return None
        check = partial(check_endpoint_key, endpoint.base_url, endpoint.api_key_env)
        return Lock(endpoint.name, endpoint.api_key_env, check)
    provider = provider_named(name.partition("/")[0])
    return lock_of_provider(provider, keys) if provider is not None else None


def lock_of_spec(spec: ModelSpec, config: Config, keys: Keys) -> Lock | None:
    """The lock of a settled model; None when it sends no key."""
    if not spec.key_env:
        return None
    if spec.name in config.models:
        return lock_of_name(spec.name, config, keys)
    provider = next((each for each in PROVIDERS.values() if spec.key_env in (each.key_env, *each.other_key_envs)), None)
    return Lock(provider.title, spec.key_env, partial(_check, provider, keys)) if provider is not None else None


class KeyEntry:
    """Asks for keys. ``say`` shows a line about what became of one; no key is ever in it."""

    def __init__(self, words: Words, keys: Keys, secret: Secret, say: Callable[[str], None]) -> None:
        self._words = words
        self._keys = keys
        self._secret = secret
        self._say = say

    async def enter(self, lock: Lock) -> str:
        """Have a key typed, tried and kept. Empty when there is one now, else why not, in one line."""
        words = self._words
        typed = await self._secret(words.say("key_prompt", title=lock.title, variable=lock.variable))
        if typed is None:
            return words.say("key_no_prompt", variable=lock.variable)
        if not typed.strip():
            return words.say("key_empty")
        key = clean_key(typed)
        if not key:
            return words.say("key_unlike")
        checked = await lock.check(key)
        if checked.outcome == "refused":
            return words.told(checked.cause)
        unkept = await keep(self._keys, lock.variable, key)
        where = words.say(_WHERE[unkept], variable=lock.variable)
        if checked.outcome == "works":
            self._say(words.say("key_works", where=where))
        else:
            self._say(words.say("key_unchecked", why=words.told(checked.cause), where=where))
        return ""


async def _check(provider: Provider, keys: Keys, key: str) -> KeyCheck:
    return await check_key(provider, key, keys)
