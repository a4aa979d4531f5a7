"""Which model answers: one rule, from names, config and environment alone. No socket, nothing heavy (``%load_ext``).

The first that exists wins: named now (``--model``), this notebook's session, config, exactly one key in the
environment. Two keys, or none, settle nothing: the person chooses. No model is ever put in place of another.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from tah_jupyter.models.providers import DIRECT, NOT_YET, Provider
from tah_jupyter.runtime.config import Endpoint
from tah_jupyter.runtime.config_sources import OWN_FILE

__all__ = ["DEMO_LABEL", "Missing", "ModelSpec", "choose"]

DEMO_LABEL = "scripted demo, no language model"
"""How the demo is shown wherever a model's name is: nobody may take it for one."""


class ModelSpec(NamedTuple):
    """A settled model. ``name`` is what people see, ``model`` what its server calls it (for ``scripted`` the file's
    path, for ``demo`` the seed of its sample, empty for any); ``key_env`` names the variable that holds the key, empty
    when none is sent; ``source`` says what settled it.
    """

    route: Literal["direct", "demo", "scripted"]
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

    reason: Literal["none", "several", "key_missing", "unknown", "not_yet"]
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
    ``PROVIDER/MODEL``, or a bare model name where exactly one provider has a key. Nothing is read but the arguments.
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
    if prefix in DIRECT:
        return _of_provider(DIRECT[prefix], rest, source, environ)
    if prefix in NOT_YET:
        return _not_yet(*NOT_YET[prefix])
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


def _configured(endpoint: Endpoint, source: str, environ: Mapping[str, str]) -> ModelSpec | Missing:
    if endpoint.api_key_env and not _value(environ, endpoint.api_key_env):
        return _key_missing(f"The model {endpoint.name!r} of your config", endpoint.api_key_env)
    return ModelSpec(
        "direct",
        endpoint.name,
        source,
        endpoint.model,
        endpoint.base_url,
        endpoint.api_key_env,
        endpoint.context_window,
        endpoint.headers,
    )


def _of_provider(provider: Provider, model: str, source: str, environ: Mapping[str, str]) -> ModelSpec | Missing:
    elsewhere = _value(environ, provider.base_url_env)
    has_key = bool(_value(environ, provider.key_env))
    if not has_key and not elsewhere:
        return _key_missing(f"{provider.title}", provider.key_env)
    if elsewhere.rstrip("/") not in ("", provider.base_url) and not model:
        return Missing(
            "unknown",
            f"{provider.base_url_env} points to {elsewhere}, and no model there is named.",
            f'Name it: --model {provider.name}/NAME, or "model": "{provider.name}/NAME" in {OWN_FILE}.',
        )
    model = model or provider.default_model
    return ModelSpec(
        "direct",
        model,
        source,
        model=model,
        base_url=elsewhere or provider.base_url,
        key_env=provider.key_env if has_key else "",
    )


def _bare(name: str, source: str, models: Mapping[str, Endpoint], environ: Mapping[str, str]) -> ModelSpec | Missing:
    ready = [provider for provider in DIRECT.values() if _reachable(provider, environ)]
    if len(ready) == 1:
        return _of_provider(ready[0], name, source, environ)
    known = ", ".join([*models, *(f"{provider.name}/{name}" for provider in ready)])
    usage = f"PROVIDER/{name} with one of: {', '.join(DIRECT)}"
    return Missing(
        "unknown",
        f"No model {name!r}: it is no name of your config, and "
        + ("no key says whose it is." if not ready else "several providers have a key."),
        f"Known here: {known}." if known else f'Name its server under "models" in {OWN_FILE}, or write {usage}.',
        ready=(*models, *(f"{provider.name}/{name}" for provider in ready)),
    )


def _from_environment(environ: Mapping[str, str], models: Mapping[str, Endpoint]) -> ModelSpec | Missing:
    direct = [provider for provider in DIRECT.values() if _reachable(provider, environ)]
    others = [(title, key_env) for title, key_env in NOT_YET.values() if _value(environ, key_env)]
    if len(direct) == 1 and not others:
        provider = direct[0]
        has_key = bool(_value(environ, provider.key_env))
        return _of_provider(provider, "", provider.key_env if has_key else provider.base_url_env, environ)
    if len(others) == 1 and not direct:
        return _not_yet(*others[0])
    ready = (*models, *(provider.name for provider in direct))
    if not direct and not others:
        return _nothing(ready)
    found = ", ".join([*(provider.key_env for provider in direct), *(key_env for _, key_env in others)])
    names = f": {', '.join(ready)}." if ready else "."
    return Missing(
        "several",
        f"No model is chosen, and several keys are set: {found}.",
        f'Name one with --model, or with "model" in {OWN_FILE}{names}',
        ready,
    )


def _nothing(ready: tuple[str, ...]) -> Missing:
    keys = ", ".join(provider.key_env for provider in DIRECT.values())
    if ready:
        step = f'Name one of your config with --model, or with "model" in {OWN_FILE}: {", ".join(ready)}.'
    else:
        step = (
            f'Set one of {keys} before Jupyter starts, or name a server of your own under "models" in {OWN_FILE}. '
            "The demo needs none: %tah demo."
        )
    return Missing("none", "No model is chosen, and this kernel has no key of a model provider.", step, ready)


def _reachable(provider: Provider, environ: Mapping[str, str]) -> bool:
    return bool(_value(environ, provider.key_env) or _value(environ, provider.base_url_env))


def _value(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name, "").strip() if name else ""


def _key_missing(whose: str, key_env: str) -> Missing:
    return Missing(
        "key_missing",
        f"{whose} needs a key, and there is no {key_env} in this kernel.",
        f"Set {key_env} before Jupyter starts: a key set later, or in another shell, is not seen here.",
    )


def _not_yet(title: str, key_env: str) -> Missing:
    return Missing(
        "not_yet",
        f"{title} ({key_env}) is not spoken by this version, which speaks OpenAI's chat completions only.",
        f'Use one of {", ".join(DIRECT)}, or an endpoint named under "models" in {OWN_FILE}.',
    )
