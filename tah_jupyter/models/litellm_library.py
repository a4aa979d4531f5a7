"""The litellm library: imported when a model first needs it, quietly, and without a look at the network.

Measured with 1.110: the import takes 4 to 8 s, 200 MB and 3,000 modules, so it runs in a thread and never at load.
Left alone it reads the user's ``.env`` into the kernel, fetches prices, prints advice to standard output and logs to
standard error. It is used by attribute and is not typed here: its types take longer to check than this whole package.
"""

import importlib
import json
import logging
import os
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import anyio
import httpx

from tah_jupyter.host.net import offline_client

__all__ = ["is_loaded", "lease_clients", "library", "release_clients"]

_WHILE_IMPORTED = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # prices: the file in the package
    "LITELLM_OFFLINE_MODE": "true",  # nor any other list from the network
    "LITELLM_MODE": "PRODUCTION",  # no .env
    "LITELLM_LOG": "ERROR",
}
_ALSO_SET = ("TIKTOKEN_CACHE_DIR",)  # by litellm itself, for the tokenizer that it brings
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")

_importing = threading.Lock()
_ready = threading.Event()
_leases: Counter[str] = Counter()


def is_loaded() -> bool:
    """Whether :func:`library` will return at once."""
    return _ready.is_set()


def library() -> Any:
    """The module, imported by the first call: call that in a thread. Raises ImportError."""
    with _importing:
        if not _ready.is_set():
            with _environment(_WHILE_IMPORTED):
                litellm = importlib.import_module("litellm")
                _quieten(litellm)
                _keep_loops_apart(litellm)
                _warm_up(litellm)
            _ready.set()
    return sys.modules["litellm"]


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """The process's environment with ``values`` in it, and then as it was."""
    before = {name: os.environ.get(name) for name in (*values, *_ALSO_SET)}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _quieten(litellm: Any) -> None:
    """What is for the whole process: the kernel belongs to the person, and so does their own use of litellm."""
    litellm.suppress_debug_info = True  # no advice printed into a cell
    litellm.disable_hf_tokenizer_download = True
    # aiohttp, its default, ignores the proxies and certificates of the environment; httpx honours them.
    litellm.disable_aiohttp_transport = True
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        for handler in list(logger.handlers):
            if isinstance(handler, logging.StreamHandler) and not isinstance(handler, logging.FileHandler):
                logger.removeHandler(handler)
        logger.addHandler(logging.NullHandler())  # else Python's last resort prints warnings
    warnings.filterwarnings("ignore", message="Pydantic serializer warnings", category=UserWarning)


class _ClientOfLoop:
    """Stands for litellm's shared HTTP client: the one of the running loop, which litellm's own cache keeps."""

    def __init__(self) -> None:
        handlers = importlib.import_module("litellm.llms.custom_httpx.http_handler")
        self._client = partial(handlers.get_async_httpx_client, llm_provider="tah", params={"client_alias": "tah"})

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client(), name)


def _keep_loops_apart(litellm: Any) -> None:
    """Anthropic, Gemini and others go through one client for the whole process, whose connections belong to the loop
    that opened them: the person's own use of litellm on the kernel's loop would break ours, and ours theirs.
    """
    litellm.module_level_aclient = _ClientOfLoop()


def _warm_up(litellm: Any) -> None:
    """Play one answer that never leaves the process: what litellm imports only at a first request (0.3 s) is imported
    here, and not on the loop, where it would stop every other run.
    """
    openai = importlib.import_module("openai")

    async def play() -> None:
        async with offline_client(_warm_answer) as http_client:
            client = openai.AsyncOpenAI(api_key="none", http_client=http_client)
            answer = await litellm.acompletion(
                model="openai/none",
                messages=[{"role": "user", "content": "x"}],
                client=client,
                stream=True,
                stream_options={"include_usage": True},
                **{"no-log": True},
            )
            async for _ in answer:
                pass

    with suppress(Exception):  # only speed is lost
        for module in ("h11", "httpcore", "litellm.litellm_core_utils.default_encoding"):
            importlib.import_module(module)
        anyio.run(play)


def _warm_answer(request: httpx.Request) -> httpx.Response:
    delta = {"role": "assistant", "content": "x"}
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ]
    lines = [json.dumps({"id": "x", "object": "chat.completion.chunk", **chunk}) for chunk in chunks]
    content = "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"])
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=content)


def lease_clients() -> str:
    """Take part in the HTTP clients that litellm keeps for the running loop; give the lease back to
    :func:`release_clients` on the same loop.
    """
    lease: str = sys.modules["litellm"].in_memory_llm_clients_cache.update_cache_key_with_event_loop("")
    _leases[lease] += 1
    return lease


async def release_clients(lease: str) -> None:
    """Close the clients of the running loop when nobody else has a lease. Those of other loops are not ours."""
    _leases[lease] -= 1
    if _leases[lease] > 0:
        return
    cache = sys.modules["litellm"].in_memory_llm_clients_cache
    for key in [key for key in cache.cache_dict if key.endswith(lease)]:
        client = cache.cache_dict.get(key)
        cache.delete_cache(key)
        close = getattr(client, "aclose", None) or getattr(client, "close", None)
        if close is not None:
            with anyio.CancelScope(shield=True), suppress(Exception):
                await close()
