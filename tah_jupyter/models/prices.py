"""What a model costs and how much it can read, from the price table inside the litellm package.

The table is found without importing the package (that takes seconds) and read once, in a thread, when a model first
answers. What it does not know stays unknown: None, never 0.
"""

import importlib.util
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from tah_jupyter.core.calls import Usage
from tah_jupyter.host.net import is_loopback
from tah_jupyter.models.providers import provider_named, provider_of_host

__all__ = ["Facts", "facts_named", "facts_of"]

_TABLE = "model_prices_and_context_window_backup.json"
# A large request may cost more from some size on, as in input_cost_per_token_above_200k_tokens.
_STEPS_KTOKENS = (32, 100, 128, 200, 256, 272, 512)


class Facts(msgspec.Struct, frozen=True):
    """What is known of a model. ``prices`` holds USD for one token by the table's own names; None when unknown."""

    context_window: int | None = None
    vision: bool = False
    calls_tools: bool = False
    prices: dict[str, float] | None = None
    is_free: bool = False

    def cost_usd(self, usage: Usage) -> float | None:
        """The price of one request's ``usage``, or None when it is not known; 0.0 for a server on this machine."""
        if self.is_free:
            return 0.0
        if self.prices is None:
            return None
        fresh = usage.input_tokens - usage.cached_tokens - usage.written_tokens
        sent, said = self._price("input_cost_per_token", usage), self._price("output_cost_per_token", usage)
        cached = self._price("cache_read_input_token_cost", usage, default=sent)
        written = self._price("cache_creation_input_token_cost", usage, default=sent)
        input_usd = fresh * sent + usage.cached_tokens * cached + usage.written_tokens * written
        return input_usd + usage.output_tokens * said

    def _price(self, name: str, usage: Usage, default: float = 0.0) -> float:
        prices = self.prices or {}
        price = prices.get(name, default)
        for ktokens in _STEPS_KTOKENS:
            if usage.input_tokens > ktokens * 1000:
                price = prices.get(f"{name}_above_{ktokens}k_tokens", price)
        return price


def facts_of(base_url: str, model: str) -> Facts:
    """What is known of ``model`` at ``base_url``. Blocks while the table is read: call it in a thread."""
    host = urlsplit(base_url).hostname or ""
    if is_loopback(host):
        return Facts(is_free=True)
    provider = provider_of_host(host)
    return _facts(_entry(provider.price_prefix, model) if provider else None)


def facts_named(name: str, base_url: str = "") -> Facts:
    """What is known of the model that litellm calls ``name``, ``PROVIDER/MODEL``; ``base_url`` is where it answers when
    that is not the provider's own address, and then nothing is known of it. Blocks as :func:`facts_of` does.
    """
    if base_url:
        return facts_of(base_url, name.partition("/")[2])
    prefix, _, model = name.partition("/")
    provider = provider_named(prefix)
    return _facts(_entry(provider.price_prefix, model) if provider else _entry_of_family(prefix, name))


def _facts(entry: dict[str, Any] | None) -> Facts:
    if entry is None:
        return Facts()
    window = entry.get("max_input_tokens") or entry.get("max_tokens")
    prices = {name: float(value) for name, value in entry.items() if _is_price(name, value)}
    known = {"input_cost_per_token", "output_cost_per_token"} <= prices.keys()
    return Facts(
        context_window=window if isinstance(window, int) else None,
        vision=entry.get("supports_vision") is True,
        calls_tools=entry.get("supports_function_calling") is True,
        prices=prices if known else None,
    )


def _entry(prefix: str, model: str) -> dict[str, Any] | None:
    """The table's entry for ``model`` of the provider that it calls ``prefix``: under its full name, or under the bare
    one when that is the same provider's.
    """
    table = _table()
    for name in (f"{prefix}/{model}", model):
        if name in table:
            entry = msgspec.json.decode(table[name])
            if isinstance(entry, dict) and entry.get("litellm_provider") == prefix:
                return entry
    return None


def _entry_of_family(prefix: str, name: str) -> dict[str, Any] | None:
    """The same by litellm's own name; one service may stand there as several, such as ``bedrock_converse``."""
    table = _table()
    for key in (name, name.removeprefix(f"{prefix}/")):
        if key in table:
            entry = msgspec.json.decode(table[key])
            if isinstance(entry, dict) and str(entry.get("litellm_provider", "")).startswith(prefix):
                return entry
    return None


def _table() -> dict[str, msgspec.Raw]:
    """The entries, each still as bytes: of 4,900 only one is wanted (8 ms and no garbage)."""
    package = importlib.util.find_spec("litellm")
    folders = (package.submodule_search_locations if package else None) or ()
    for folder in folders:
        try:
            return msgspec.json.decode((Path(folder) / _TABLE).read_bytes(), type=dict[str, msgspec.Raw])
        except (OSError, msgspec.DecodeError):
            continue  # without a table every price is unknown, which is what is shown
    return {}


def _is_price(name: str, value: object) -> bool:
    return ("cost_per_token" in name or "token_cost" in name) and type(value) in (int, float)
