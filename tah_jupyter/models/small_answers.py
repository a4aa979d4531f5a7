"""Asking a service for one small JSON value: which models there are, whether a key works, how large a window is.

What answers on a port may be anything, so size and shape are bounded, and nothing that it sends can raise here.
"""

from typing import Any, NamedTuple

import anyio.to_thread
import httpx
import msgspec

from tah_jupyter.host.net import plain_client

__all__ = ["SmallAnswer", "ask", "client_for", "mapping", "model_ids", "model_names", "texts"]

_MAX_BYTES = 2 * 1024 * 1024  # a list of some thousand models
_MAX_NAME_CHARS = 300  # Ollama's own limit for host, namespace, model and tag together is near it


class SmallAnswer(NamedTuple):
    """An answer that came: its status, its head, its body (cut when it is too long), and the JSON of a success, else
    None.
    """

    status: int
    headers: httpx.Headers
    body: bytes
    value: Any


async def client_for(url: str, *, limit_s: float) -> httpx.AsyncClient:
    """A client for the service at ``url``, made in a thread; whoever asks for it closes it. Raises what the settings of
    proxies and certificates raise (ImportError, ValueError, OSError).
    """
    timeout = httpx.Timeout(limit_s)
    return await anyio.to_thread.run_sync(lambda: plain_client(url, headers={}, timeout=timeout))


async def ask(
    client: httpx.AsyncClient, url: str, *, headers: dict[str, str] | None = None, body: Any = None
) -> SmallAnswer:
    """GET ``url``, or POST ``body`` to it as JSON. Raises httpx.HTTPError and httpx.InvalidURL."""
    method = "GET" if body is None else "POST"
    async with client.stream(method, url, headers=headers, json=body) as response:
        data = bytearray()
        async for piece in response.aiter_bytes():
            data += piece
            if len(data) > _MAX_BYTES:
                break
        value = _json(bytes(data)) if response.status_code == 200 else None
        return SmallAnswer(response.status_code, response.headers, bytes(data), value)


def mapping(value: Any) -> dict[str, Any]:
    """``value`` when it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def texts(value: Any) -> list[str]:
    """The texts of ``value`` when it is a list, else none."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def model_names(value: Any) -> list[str]:
    """The texts of ``value`` that can be the name of a model: they are shown, chosen and kept, so they have a limit."""
    return [name for name in texts(value) if name.strip() and len(name) <= _MAX_NAME_CHARS]


def model_ids(value: Any) -> tuple[str, ...]:
    """The names in a list of models of any of the usual shapes: ``{"data": [{"id": …}]}`` (OpenAI, Anthropic),
    ``{"models": [{"name": "models/…"}]}`` (Gemini, Cohere), or the list alone (Together).
    """
    listed = value if isinstance(value, list) else mapping(value).get("data", mapping(value).get("models"))
    entries = [mapping(item) for item in listed] if isinstance(listed, list) else []
    names = model_names([entry.get("id", entry.get("name")) for entry in entries])
    return tuple(dict.fromkeys(name.removeprefix("models/") for name in names))


def _json(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
