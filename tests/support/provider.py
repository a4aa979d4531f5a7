"""A real server on loopback that answers as a provider of chat completions would, or as a broken one.

Each request takes the next reply of a list (the last one again and again). A reply is a list of actions: bytes to send,
``HOLD`` (say nothing until the client goes away), ``PINGS`` (nothing but keep-alives until then), ``RESET`` (drop the
connection hard), an anyio Event (wait for it).
When the actions are through, the connection is closed, which is how many providers end a stream.
"""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias

import anyio
import anyio.lowlevel

__all__ = [
    "HOLD",
    "PINGS",
    "RESET",
    "UNTRUSTED",
    "Provider",
    "Reply",
    "chunk",
    "events",
    "finish",
    "fragment",
    "json_reply",
    "serving",
    "status",
    "stream",
    "text",
    "usage",
]


class _Act(Enum):
    HOLD = 1
    PINGS = 2
    RESET = 3


HOLD, PINGS, RESET = _Act.HOLD, _Act.PINGS, _Act.RESET
Reply: TypeAlias = Sequence[bytes | _Act | anyio.Event]

UNTRUSTED = Path(__file__).parent / "untrusted.pem"
"""A certificate for 127.0.0.1, signed by itself, and its key, which protects nothing."""

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n"


def chunk(delta: dict[str, Any] | None, reason: str | None = None, **more: Any) -> dict[str, Any]:
    """One chunk as OpenAI sends it."""
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    return {"id": "c-1", "object": "chat.completion.chunk", "model": "m", "choices": [choice], **more}


def text(words: str, reason: str | None = None) -> dict[str, Any]:
    return chunk({"content": words}, reason)


def fragment(arguments: Any = "", *, index: int | None = 0, call_id: str | None = None, name: str | None = None) -> Any:
    """One piece of a tool call; what is None is left out."""
    function = {"arguments": arguments, **({"name": name} if name is not None else {})}
    piece: dict[str, Any] = {"function": function}
    if index is not None:
        piece["index"] = index
    if call_id is not None:
        piece["id"] = call_id
    return chunk({"tool_calls": [piece]})


def finish(reason: str = "stop") -> dict[str, Any]:
    return chunk({}, reason)


def usage(sent: int = 10, said: int = 5, **more: Any) -> dict[str, Any]:
    return {"choices": [], "usage": {"prompt_tokens": sent, "completion_tokens": said, **more}}


def events(*payloads: Any, done: bool = True) -> bytes:
    """Chunks (or raw texts) as server-sent events."""
    lines = [payload if isinstance(payload, str) else json.dumps(payload) for payload in payloads]
    return "".join(f"data: {line}\n\n" for line in [*lines, *(["[DONE]"] if done else [])]).encode()


def stream(*payloads: Any, done: bool = True) -> Reply:
    """A stream that ends by closing the connection."""
    return [HEAD, events(*payloads, done=done)]


def status(code: int, body: Any = "", *, headers: Sequence[str] = (), content_type: str = "application/json") -> Reply:
    """An answer with a status, its body as JSON unless it is a string."""
    content = (body if isinstance(body, str) else json.dumps(body)).encode()
    head = [f"HTTP/1.1 {code} X", f"content-type: {content_type}", f"content-length: {len(content)}", *headers]
    return ["\r\n".join(head).encode() + b"\r\n\r\n" + content]


def json_reply(body: Any) -> Reply:
    """An answer that is not streamed."""
    return status(200, body)


class Provider:
    """The running server: where it is, what it was asked, which connections are open."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.base_url = ""
        self.heads: list[str] = []
        self.bodies: list[Any] = []
        self.connections = 0
        self.asked = anyio.Event()
        self._open = 0
        self._idle = anyio.Event()
        self._replies, self._served_before = replies, 0

    def answer_with(self, *replies: Reply) -> None:
        """Give ``replies`` from the next request on."""
        self._replies, self._served_before = replies, len(self.bodies)

    async def all_closed(self) -> None:
        """Wait until no connection is open; the caller sets the limit."""
        while self._open:
            self._idle = anyio.Event()
            await self._idle.wait()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._open += 1
        try:
            while await self._exchange(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError):
            pass  # the client went away, which is its right
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
            self._open -= 1
            self._idle.set()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = next((int(line[15:]) for line in head.lower().split("\r\n") if line.startswith("content-length:")), 0)
        self.bodies.append(json.loads(await reader.readexactly(length) or b"null"))
        self.heads.append(head)
        self.asked.set()
        reply = self._replies[min(len(self.bodies) - self._served_before, len(self._replies)) - 1]
        for action in reply:
            if isinstance(action, bytes):
                writer.write(action)
                await writer.drain()
            elif isinstance(action, anyio.Event):
                await action.wait()
            elif action is HOLD:
                await reader.read()
                return False
            elif action is PINGS:
                while True:
                    writer.write(b": ping\n\n")
                    await writer.drain()
                    await anyio.lowlevel.checkpoint()
            else:
                writer.transport.abort()
                return False
        first = reply[0] if reply else b""
        return isinstance(first, bytes) and b"\r\nconnection: close\r\n" not in first and bool(first)


@asynccontextmanager
async def serving(*replies: Reply, certificate: Path | None = None) -> AsyncIterator[Provider]:
    """Run a provider that gives ``replies``, one a request; over TLS when it has a ``certificate``."""
    provider = Provider(replies)
    tls = None
    if certificate is not None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate)
    server = await asyncio.start_server(provider.serve, "127.0.0.1", 0, ssl=tls)
    provider.base_url = f"{'https' if tls else 'http'}://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield provider
    finally:
        server.close()
        with anyio.move_on_after(2):
            await provider.all_closed()
        await server.wait_closed()
