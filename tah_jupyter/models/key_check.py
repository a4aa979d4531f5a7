"""Whether a key works, found out for free: by asking its service which models it lists.

Sources, each service's API reference: ``GET /v1/models`` of OpenAI and those that speak its protocol; Anthropic's of
the same name, with its own two headers; Google's ``GET /v1beta/models``; Cohere's ``GET /v1/models``. OpenRouter lists
its models to everyone, so there it is ``GET /api/v1/key``.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import httpx

from tah_jupyter.core.errors import ModelError
from tah_jupyter.models.chat.provider_errors import Target, error_of_status
from tah_jupyter.models.chat.transport_errors import error_of_settings, error_of_transport
from tah_jupyter.models.choose import ModelSpec
from tah_jupyter.models.local_addresses import LOCAL_SERVERS
from tah_jupyter.models.providers import Provider, provider_named, providers
from tah_jupyter.models.small_answers import SmallAnswer, ask, client_for, model_ids

__all__ = ["KeyCheck", "Listed", "check_endpoint_key", "check_key", "listed_models"]

_LIMIT_S = 10.0


class KeyCheck(NamedTuple):
    """What came out. ``cause`` says why a key was refused or could not be checked, one line without the key in it."""

    outcome: Literal["works", "refused", "unchecked"]
    cause: str = ""
    models: tuple[str, ...] = ()


class Listed(NamedTuple):
    """Models of one service. ``prefix`` is what stands before ``/MODEL`` in a name that settles one; empty where none
    can be named so: an endpoint of the config.
    """

    prefix: str
    models: tuple[str, ...] = ()


class _Listing(NamedTuple):
    """Where a service lists its models, in which header it wants the key, and what else it wants. ``about_key`` is the
    path that tells of the key itself, where the list is open to everyone.
    """

    path: str = "/models"
    header: str = "authorization"
    more: Mapping[str, str] = {}
    about_key: str = ""

    def headers(self, key: str) -> dict[str, str]:
        value = f"Bearer {key}" if self.header == "authorization" else key
        return {**({self.header: value} if key else {}), **self.more}


_LISTINGS = {
    "anthropic": _Listing("/v1/models?limit=1000", "x-api-key", {"anthropic-version": "2023-06-01"}),
    "gemini": _Listing("/v1beta/models?pageSize=1000", "x-goog-api-key"),
    "cohere": _Listing("/v1/models?page_size=1000"),
    "openrouter": _Listing(about_key="/key"),
}


async def check_key(provider: Provider, key: str, environ: Mapping[str, str], *, limit_s: float = _LIMIT_S) -> KeyCheck:
    """Ask ``provider`` (where ``environ`` says it is) whether it takes ``key``, within ``limit_s`` seconds."""
    listing = _LISTINGS.get(provider.name, _Listing())
    target = Target(_address(provider, environ), "", key=key, key_env=provider.key_env)
    return await _check(target, listing, limit_s)


async def check_endpoint_key(base_url: str, key_env: str, key: str, *, limit_s: float = _LIMIT_S) -> KeyCheck:
    """The same for an endpoint of the config, which speaks OpenAI's protocol."""
    return await _check(Target(base_url, "", key=key, key_env=key_env), _Listing(), limit_s)


async def listed_models(spec: ModelSpec, environ: Mapping[str, str], *, limit_s: float = _LIMIT_S) -> Listed:
    """The models that the service of ``spec`` lists for its key; none when it does not tell, for whatever reason."""
    provider = _provider_of(spec, environ)
    listing = _LISTINGS.get(provider.name, _Listing()) if provider else _Listing()
    base_url = _address(provider, environ) if provider else spec.base_url
    target = Target(base_url, "", key=environ.get(spec.key_env, "").strip(), key_env=spec.key_env)
    prefix = provider.name if provider else _local_name(spec, environ)
    try:
        answer = await _get(target, listing.path, listing, limit_s)
    except ModelError:
        return Listed(prefix)
    return Listed(prefix, model_ids(answer.value))


async def _check(target: Target, listing: _Listing, limit_s: float) -> KeyCheck:
    if not target.base_url:
        return KeyCheck("unchecked", "it is not known where this service answers")
    try:
        answer = await _get(target, listing.about_key or listing.path, listing, limit_s)
    except ModelError as error:
        outcome: Literal["refused", "unchecked"] = "refused" if error.kind == "key_refused" else "unchecked"
        return KeyCheck(outcome, error.message.rstrip("."))
    if not isinstance(answer.value, dict | list):  # the page of a hotel's network, for one
        return KeyCheck("unchecked", f"{target.title} answered with what is no list of models")
    return KeyCheck("works", models=() if listing.about_key else model_ids(answer.value))


async def _get(target: Target, path: str, listing: _Listing, limit_s: float) -> SmallAnswer:
    """A success. Raises ModelError for everything else."""
    try:
        client = await client_for(target.base_url, limit_s=limit_s)
    except (ImportError, ValueError, OSError) as error:
        raise error_of_settings(error, target) from None
    async with client:
        try:
            answer = await ask(client, target.base_url.rstrip("/") + path, headers=listing.headers(target.key))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise error_of_transport(error, target) from None  # its words and requests may hold the key
    if answer.status != 200:
        raise error_of_status(answer.status, answer.body, answer.headers, target)
    return answer


def _address(provider: Provider, environ: Mapping[str, str]) -> str:
    """Where ``provider`` answers here, without the version that its own path names."""
    told = environ.get(provider.base_url_env, "").strip() if provider.base_url_env else ""
    address = (told or provider.base_url).rstrip("/")
    return address.removesuffix("/v1") if provider.name in ("anthropic", "cohere") else address


def _provider_of(spec: ModelSpec, environ: Mapping[str, str]) -> Provider | None:
    """The service that a settled model belongs to, None for an endpoint of one's own."""
    if spec.route == "litellm":
        return provider_named(spec.model.partition("/")[0])
    places = (
        (each, (each.base_url, environ.get(each.base_url_env) if each.base_url_env else "")) for each in providers()
    )
    return next((each for each, urls in places if spec.base_url and spec.base_url in urls), None)


def _local_name(spec: ModelSpec, environ: Mapping[str, str]) -> str:
    """The name of the local server that a settled model is on, else empty."""
    here = (server.name for server in LOCAL_SERVERS.values() if server.url_in(environ) == spec.base_url)
    return next(here, "")
