"""What a person can choose right now, as pure values: models of this machine, services with and without a key, names of
the config, the demo. How it is worded and asked is the front end's.
"""

from collections.abc import Mapping
from typing import NamedTuple

from tah_jupyter.models.providers import Provider, providers
from tah_jupyter.runtime.config import Endpoint

__all__ = ["ENOUGH_TOKENS", "LocalModel", "Offers", "offers_of"]

ENOUGH_TOKENS = 16_000
"""The smallest window in which system prompt, tools and a request fit with room for work (experience, section A2)."""

_FIRST = ("anthropic", "openai", "openrouter")  # the rest is behind "Other…"


class LocalModel(NamedTuple):
    """A model that a server on this machine offers. ``server`` is a key of ``LOCAL_SERVERS``, ``label`` what it calls
    the model; ``can_use_tools`` is None when it does not tell, ``window`` (tokens) when the model is not loaded.
    """

    server: str
    label: str
    can_use_tools: bool | None = None
    window: int | None = None

    @property
    def name(self) -> str:
        """The name that settles it."""
        return f"{self.server}/{self.label}"

    @property
    def is_small(self) -> bool:
        """Whether its window is known to be too small for work."""
        return self.window is not None and self.window < ENOUGH_TOKENS


class Offers(NamedTuple):
    """Everything there is. ``ready`` services have a key, ``keyless`` ones do not, of which ``main`` are shown first;
    ``configured`` are the endpoints of the config whose key, if they need one, is there.
    """

    local: tuple[LocalModel, ...] = ()
    configured: tuple[Endpoint, ...] = ()
    ready: tuple[Provider, ...] = ()
    keyless: tuple[Provider, ...] = ()

    @property
    def main(self) -> tuple[Provider, ...]:
        """The services without a key that most people have an account with."""
        return tuple(provider for provider in self.keyless if provider.name in _FIRST)

    @property
    def others(self) -> tuple[Provider, ...]:
        """The rest of them."""
        return tuple(provider for provider in self.keyless if provider.name not in _FIRST)

    @property
    def fit(self) -> tuple[LocalModel, ...]:
        """The local models that can act, the one that is certain to first."""
        able = [model for model in self.local if model.can_use_tools is not False]
        return tuple(sorted(able, key=lambda model: model.can_use_tools is None))

    @property
    def names(self) -> tuple[str, ...]:
        """The names that would work now."""
        found = [endpoint.name for endpoint in self.configured]
        return (*found, *(provider.name for provider in self.ready), *(model.name for model in self.local))


def offers_of(models: Mapping[str, Endpoint], environ: Mapping[str, str], local: tuple[LocalModel, ...] = ()) -> Offers:
    """What the config's ``models``, the keys in ``environ`` and the ``local`` models offer."""

    def has(variable: str) -> bool:
        return bool(variable and environ.get(variable, "").strip())

    ready = [each for each in providers() if each.key_variable(environ) or has(each.base_url_env)]
    return Offers(
        local=local,
        configured=tuple(one for one in models.values() if not one.api_key_env or has(one.api_key_env)),
        ready=tuple(each for each in ready if not each.needs_name(environ)),
        keyless=tuple(each for each in providers() if each.default_model and each not in ready),
    )
