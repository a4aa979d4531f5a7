"""Servers of language models on this machine: Ollama, LM Studio, llama.cpp. They are looked at, never used unasked.

Sources: Ollama's API reference (``/api/tags``, ``/api/show``, ``/api/ps``, and ``/api/generate``, which loads a model
when it gets no prompt), and the list of models of OpenAI's protocol, which the other two speak.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, suppress
from functools import partial
from urllib.parse import urlsplit

import anyio
import httpx

from tah_jupyter.models.local_addresses import LOCAL_SERVERS, ollama_url
from tah_jupyter.models.offers import LocalModel
from tah_jupyter.models.small_answers import ask, client_for, mapping, model_ids, model_names, texts

__all__ = ["LOOK_S", "addresses", "can_use_tools", "loaded_window", "look", "ollama_at"]

LOOK_S = 0.3
"""How long a look at all of them may take together: it happens between a request and its first answer."""

_LOAD_S = 300.0  # a large model from a slow disk
_MAX_MODELS = 40  # a card is no catalogue


def addresses(environ: Mapping[str, str]) -> dict[str, str]:
    """Where each of them is looked for, without the path of a protocol: on loopback, and Ollama where ``OLLAMA_HOST``
    says.
    """
    return {server.name: server.url_in(environ).removesuffix("/v1") for server in LOCAL_SERVERS.values()}


async def look(at: Mapping[str, str], *, limit_s: float = LOOK_S) -> tuple[LocalModel, ...]:
    """The models that answer within ``limit_s`` seconds, all servers asked at once. What a server had no time to tell
    is left open, and a server that fails has none.
    """
    found: dict[str, dict[str, LocalModel]] = {server: {} for server in at}
    lookers = {"ollama": _look_at_ollama, "lmstudio": _look_at_list, "llamacpp": _look_at_list}
    async with AsyncExitStack() as stack:
        looks = []
        for server, url in at.items():
            with suppress(ImportError, ValueError, OSError):  # a proxy or certificate setting that is of no use
                client = await stack.enter_async_context(await client_for(url, limit_s=limit_s))
                looks.append(partial(lookers[server], client, url, server, found[server]))
        with anyio.move_on_after(limit_s):
            await _all(*looks)
    return tuple(model for models in found.values() for model in models.values())


def ollama_at(base_url: str, environ: Mapping[str, str]) -> str:
    """Ollama's address when the endpoint ``base_url`` is its, else empty."""
    root = base_url.rstrip("/").removesuffix("/v1")
    known = ollama_url(environ)
    try:
        same = _place(root) == _place(known) or urlsplit(root).port == 11434
    except ValueError:
        return ""
    return root if same else ""


async def loaded_window(
    url: str, model: str, *, on_load: Callable[[], None] = lambda: None, limit_s: float = _LOAD_S
) -> int | None:
    """How many tokens Ollama at ``url`` gives ``model``. One that is not loaded is loaded by an empty request, which
    may take a minute: ``on_load()`` is called before it. None when it does not tell: an old version, another server, no
    such model. The run's own request then says what is wrong.
    """
    try:
        client = await client_for(url, limit_s=limit_s)
    except (ImportError, ValueError, OSError):
        return None
    async with client:
        try:
            window = await _window(client, url, model)
            if window is None:
                on_load()
                await ask(client, f"{url}/api/generate", body={"model": model, "stream": False})
                window = await _window(client, url, model)
        except (httpx.HTTPError, httpx.InvalidURL):
            return None
    return window


async def can_use_tools(url: str, model: str, *, limit_s: float = 5.0) -> bool | None:
    """Whether Ollama at ``url`` says that ``model`` can use tools; None when it does not tell."""
    try:
        async with await client_for(url, limit_s=limit_s) as client:
            answer = await ask(client, f"{url}/api/show", body={"model": model})
    except (httpx.HTTPError, httpx.InvalidURL, ImportError, ValueError, OSError):
        return None
    able = texts(mapping(answer.value).get("capabilities"))
    return "tools" in able if able else None


async def _window(client: httpx.AsyncClient, url: str, model: str) -> int | None:
    answer = await ask(client, f"{url}/api/ps")
    return dict(_windows(answer.value)).get(_tagged(model))


async def _look_at_ollama(client: httpx.AsyncClient, url: str, server: str, found: dict[str, LocalModel]) -> None:
    windows: dict[str, int] = {}

    async def list_models() -> None:
        answer = await ask(client, f"{url}/api/tags")
        listed = mapping(answer.value).get("models")
        entries = [mapping(item) for item in listed] if isinstance(listed, list) else []
        for name in model_names([entry.get("model", entry.get("name")) for entry in entries])[:_MAX_MODELS]:
            found[name] = LocalModel(server, name)

    async def list_loaded() -> None:
        windows.update(_windows((await ask(client, f"{url}/api/ps")).value))

    async def describe(name: str) -> None:
        answer = await ask(client, f"{url}/api/show", body={"model": name})
        able = texts(mapping(answer.value).get("capabilities"))
        if able and "completion" not in able:  # it makes vectors, not text
            del found[name]
        elif able:
            found[name] = found[name]._replace(can_use_tools="tools" in able)

    await _all(list_models, list_loaded)
    for name, model in found.items():
        found[name] = model._replace(window=windows.get(_tagged(name)))
    await _all(*(partial(describe, name) for name in tuple(found)))


async def _look_at_list(client: httpx.AsyncClient, url: str, server: str, found: dict[str, LocalModel]) -> None:
    async def list_models() -> None:
        answer = await ask(client, f"{url}/v1/models")
        for name in model_ids(answer.value)[:_MAX_MODELS]:
            if "embed" not in name.lower():  # LM Studio lists those too, and does not say what they are
                found[name] = LocalModel(server, name)

    await _all(list_models)


async def _all(*questions: Callable[[], Awaitable[None]]) -> None:
    """Ask everything at once; a question that gets no answer tells nothing."""

    async def ask_quietly(question: Callable[[], Awaitable[None]]) -> None:
        with suppress(httpx.HTTPError, httpx.InvalidURL):
            await question()

    async with anyio.create_task_group() as tasks:
        for question in questions:
            tasks.start_soon(ask_quietly, question)


def _windows(value: object) -> Iterator[tuple[str, int]]:
    listed = mapping(value).get("models")
    for entry in map(mapping, listed if isinstance(listed, list) else ()):
        name, window = entry.get("model", entry.get("name")), entry.get("context_length")
        if isinstance(name, str) and type(window) is int and window > 0:
            yield _tagged(name), window


def _tagged(model: str) -> str:
    """Ollama's full name of a model: ``qwen3`` is ``qwen3:latest``."""
    return model if ":" in model.rpartition("/")[2] else f"{model}:latest"


def _place(url: str) -> tuple[str, int | None]:
    address = urlsplit(url)
    host = address.hostname or ""
    return ("localhost" if host in ("127.0.0.1", "::1") else host), address.port
