"""A real HTTP server on loopback that answers with JSON by path, and the local servers and providers made of it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, TypeAlias

import anyio

__all__ = ["HANG", "Asked", "JsonService", "Ollama", "listing", "serve_json"]

HANG = object()
"""An answer that never comes."""

Route: TypeAlias = Callable[["Asked"], Any]


class Asked(NamedTuple):
    """A request: its path with the query, its head with lower-case names, its JSON."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


class JsonService:
    """Answers by path. A route returns JSON, ``(status, JSON)``, bytes to send as they are, or :data:`HANG`."""

    def __init__(self, routes: Mapping[str, Route]) -> None:
        self.url = ""
        self.asked: list[Asked] = []
        self._routes = routes
        self._closing = anyio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._exchange(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError):
            pass  # the client went away
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").strip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        method, path, _ = first.split(" ")
        body = json.loads(await reader.readexactly(int(headers.get("content-length", 0))) or b"null")
        asked = Asked(method, path, headers, body)
        self.asked.append(asked)
        route = self._routes.get(path.partition("?")[0])
        answer = route(asked) if route is not None else (404, {"error": "not found"})
        if answer is HANG:
            await self._closing.wait()
            return False
        if not isinstance(answer, bytes):
            status, value = answer if isinstance(answer, tuple) else (200, answer)
            content = json.dumps(value).encode()
            head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
            answer = head.encode() + content
        writer.write(answer)
        await writer.drain()
        return True

    def close(self) -> None:
        self._closing.set()


@asynccontextmanager
async def serve_json(routes: Mapping[str, Route]) -> AsyncIterator[JsonService]:
    """Run one."""
    service = JsonService(routes)
    server = await asyncio.start_server(service.serve, "127.0.0.1", 0)
    service.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield service
    finally:
        service.close()
        server.close()


def listing(*names: str) -> Route:
    """A list of models as OpenAI's protocol has it."""
    return lambda _: {"object": "list", "data": [{"id": name, "object": "model"} for name in names]}


class Ollama:
    """What Ollama answers about its models, by its API reference. ``able`` maps names to capabilities; each model gets
    ``window`` tokens once it is loaded, which a request without a prompt does.
    """

    def __init__(self, able: Mapping[str, list[str]], *, window: int = 4096) -> None:
        self.able = dict(able)
        self.window = window
        self.loaded: list[str] = []

    @property
    def routes(self) -> dict[str, Route]:
        return {
            "/api/tags": lambda _: {"models": [{"name": name, "model": name, "size": 5} for name in self.able]},
            "/api/ps": lambda _: {
                "models": [{"name": name, "model": name, "context_length": self.window} for name in self.loaded]
            },
            "/api/show": self._show,
            "/api/generate": self._generate,
        }

    def _show(self, asked: Asked) -> Any:
        name = asked.body["model"]
        if name not in self.able:
            return 404, {"error": f"model '{name}' not found"}
        return {"capabilities": self.able[name], "parameters": "", "model_info": {"general.architecture": "qwen3"}}

    def _generate(self, asked: Asked) -> Any:
        name = asked.body["model"]
        if name not in self.able:
            return 404, {"error": f"model '{name}' not found"}
        self.loaded.append(name)
        return {"model": name, "response": "", "done": True, "done_reason": "load"}
