"""Which model answers: one rule, from names, config and environment alone. No socket, nothing heavy (``%load_ext``).

The first that exists wins: named now (``--model``), this notebook's session, config, exactly one key in the
environment. Two keys, or none, settle nothing: the person chooses. No model is ever put in place of another.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from tah_jupyter.host.secrets.addresses import without_credentials
from tah_jupyter.models.litellm_names import BY_NAME_ALONE
from tah_jupyter.models.local_addresses import LOCAL_SERVERS, LocalAddress
from tah_jupyter.models.providers import (
    Provider,
    provider_named,
    providers,
    words_of_missing_key,
)
from tah_jupyter.runtime.config import Endpoint
from tah_jupyter.runtime.config_sources import OWN_FILE

__all__ = ["DEMO_LABEL", "Missing", "ModelSpec", "choose"]

DEMO_LABEL = "scripted demo, no language model"
"""How the demo is shown wherever a model's name is: nobody may take it for one."""


class ModelSpec(NamedTuple):
    """A settled model. ``name`` is what people see, ``model`` what its server calls it (for ``litellm`` with the
    provider before it, for ``scripted`` the file's path, for ``demo`` the seed of its sample, empty for any);
    ``base_url`` is empty where litellm knows it; ``key_env`` names the variable that holds the key, empty when none is
    sent; ``source`` says what settled it.
    """

    route: Literal["direct", "litellm", "demo", "scripted"]
    name: str
    source: str
    model: str = ""
    base_url: str = ""
    key_env: str = ""
    context_window: int | None = None
    headers: Mapping[str, str] = {}

    def __repr__(self) -> str:
        return f"ModelSpec({self.route!r}, {self.name!r}, {self.source!r}, {self.model!r}, {self.base_url!r})"


class Missing(NamedTuple):
    """No model is settled, and why. ``ready`` are names that would work now, given to ``--model`` or config."""

    reason: Literal["none", "several", "key_missing", "unknown"]
    message: str
    next_step: str
    ready: tuple[str, ...] = ()


def choose(
    explicit: str = "",
    config_models: Mapping[str, Endpoint] | None = None,
    environ: Mapping[str, str] | None = None,
    session_model: str = "",
    config_model: str = "",
) -> ModelSpec | Missing:
    """Settle the model. ``config_models`` is the ``models`` table of the config, ``config_model`` its ``model`` key.

    A name is a key of ``config_models``, ``demo``, ``demo:SEED``, ``scripted:FILE``, ``PROVIDER``,
    ``PROVIDER/MODEL`` (of ours or of litellm's list), ``ollama/MODEL``, ``lmstudio/MODEL``, ``llamacpp``, or a bare
    model name where exactly one provider has a key. Nothing is read but the arguments.
    """
    models, variables = config_models or {}, environ or {}
    for name, source in ((explicit, "--model"), (session_model, "session"), (config_model, "config")):
        if name.strip():
            return _named(name.strip(), source, models, variables)
    return _from_environment(variables, models)


def _named(name: str, source: str, models: Mapping[str, Endpoint], environ: Mapping[str, str]) -> ModelSpec | Missing:
    if name in models:
        return _configured(models[name], source, environ)
    if name == "demo" or name.startswith("demo:"):
        return _demo(name, source)
    if name.startswith("scripted:"):
        return _scripted(name, source)
    prefix, _, rest = name.partition("/")
    if provider := provider_named(prefix):
        return _of_provider(provider, rest, source, environ)
    if prefix in LOCAL_SERVERS:
        return _local(LOCAL_SERVERS[prefix], rest, source, environ)
    if prefix in BY_NAME_ALONE and rest:
        return ModelSpec("litellm", rest, source, name)
    return _bare(name, source, models, environ)


def _demo(name: str, source: str) -> ModelSpec | Missing:
    seed = name.partition(":")[2]
    if name != "demo" and not (seed.isascii() and seed.isdecimal()):
        return Missing("unknown", f"{seed!r} is no seed of the demo.", "Write demo, or demo:SEED with a whole number.")
    return ModelSpec("demo", name, source, model=seed)


def _scripted(name: str, source: str) -> ModelSpec | Missing:
    path = name.removeprefix("scripted:")
    if not path.strip():
        return Missing("unknown", "A scripted model needs the file of its script.", "Write scripted:FILE.")
    return ModelSpec("scripted", name, source, model=path)


def _local(server: LocalAddress, model: str, source: str, environ: Mapping[str, str]) -> ModelSpec | Missing:
    if not model and not server.serves_one:
        step = f"Write {server.name}/MODEL; %tah model lists what is there."
        return Missing("unknown", f"{server.title} serves several models, and none is named.", step)
    return ModelSpec("direct", model or server.name, source, model or "default", server.url_in(environ))


def _configured(endpoint: Endpoint, source: str, environ: Mapping[str, str]) -> ModelSpec | Missing:
    if endpoint.api_key_env and not _value(environ, endpoint.api_key_env):
        return _key_missing(f"the model {endpoint.name!r} of your config", endpoint.api_key_env)
    through_litellm = endpoint.route == "litellm"
    return ModelSpec(
        endpoint.route,
        endpoint.name,
        source,
        _with_provider(endpoint) if through_litellm else endpoint.model,
        endpoint.base_url,
        endpoint.api_key_env or (_usual_key(endpoint.model, environ) if through_litellm else ""),
        endpoint.context_window,
        endpoint.headers,
    )


def _with_provider(endpoint: Endpoint) -> str:
    """Its model as litellm wants it: an address without a provider's name speaks OpenAI's chat completions."""
    prefix = endpoint.model.partition("/")[0]
    known = provider_named(prefix) is not None or prefix in BY_NAME_ALONE
    return endpoint.model if known or not endpoint.base_url else f"openai/{endpoint.model}"


def _usual_key(model: str, environ: Mapping[str, str]) -> str:
    provider = provider_named(model.partition("/")[0])
    return provider.key_variable(environ) if provider else ""


def _of_provider(provider: Provider, model: str, source: str, environ: Mapping[str, str]) -> ModelSpec | Missing:
    elsewhere, key_env = _value(environ, provider.base_url_env), provider.key_variable(environ)
    if not key_env and not elsewhere:
        return _key_missing(provider.title, provider.key_env)
    if not elsewhere and not provider.base_url:
        return Missing(
            "unknown",
            f"{provider.title} answers at an address of your own, and there is no {provider.base_url_env} here.",
            f"Set {provider.base_url_env} before Jupyter starts.",
        )
    if not model and provider.needs_name(environ):
        place = without_credentials(elsewhere)
        where = f"{provider.base_url_env} points to {place}" if elsewhere else provider.title
        return Missing(
            "unknown",
            f"{where}, and no model there is named.",
            f'Name it: --model {provider.name}/NAME, or "model": "{provider.name}/NAME" in {OWN_FILE}.',
        )
    model = model or provider.default_model
    return ModelSpec(
        provider.route,
        model,
        source,
        model=model if provider.route == "direct" else f"{provider.name}/{model}",
        base_url=elsewhere or provider.base_url,
        key_env=key_env,
    )


def _bare(name: str, source: str, models: Mapping[str, Endpoint], environ: Mapping[str, str]) -> ModelSpec | Missing:
    ready = [provider for provider in providers() if _reachable(provider, environ)]
    if len(ready) == 1:
        return _of_provider(ready[0], name, source, environ)
    known = ", ".join([*models, *(f"{provider.name}/{name}" for provider in ready)])
    usage = f"PROVIDER/{name} with one of: {', '.join(provider.name for provider in providers())}"
    return Missing(
        "unknown",
        f"No model {name!r}: it is no name of your config, and "
        + ("no key says whose it is." if not ready else "several providers have a key."),
        f"Known here: {known}." if known else f'Name its server under "models" in {OWN_FILE}, or write {usage}.',
        ready=(*models, *(f"{provider.name}/{name}" for provider in ready)),
    )


def _from_environment(environ: Mapping[str, str], models: Mapping[str, Endpoint]) -> ModelSpec | Missing:
    found = [provider for provider in providers() if _reachable(provider, environ)]
    if len(found) == 1:
        source = found[0].key_variable(environ) or found[0].base_url_env
        return _of_provider(found[0], "", source, environ)
    ready = (*models, *(provider.name for provider in found))
    if not found:
        return _nothing(ready)
    variables = ", ".join(provider.key_variable(environ) or provider.base_url_env for provider in found)
    return Missing(
        "several",
        f"No model is chosen, and several keys are set: {variables}.",
        f'Name one with --model, or with "model" in {OWN_FILE}: {", ".join(ready)}.',
        ready,
    )


def _nothing(ready: tuple[str, ...]) -> Missing:
    keys = ", ".join(provider.key_env for provider in providers())
    if ready:
        step = f'Name one of your config with --model, or with "model" in {OWN_FILE}: {", ".join(ready)}.'
    else:
        step = (
            f'Set one of {keys} before Jupyter starts, or name a server of your own under "models" in {OWN_FILE}. '
            "The demo needs none: %tah demo."
        )
    return Missing("none", "No model is chosen, and this kernel has no key of a model provider.", step, ready)


def _reachable(provider: Provider, environ: Mapping[str, str]) -> bool:
    return bool(provider.key_variable(environ) or _value(environ, provider.base_url_env))


def _value(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name, "").strip() if name else ""


def _key_missing(whose: str, key_env: str) -> Missing:
    return Missing("key_missing", *words_of_missing_key(key_env, whose))
