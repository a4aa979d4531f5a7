"""The direct route: servers that speak OpenAI's chat completions, over httpx, with nothing in between.

OpenAI, OpenRouter, DeepSeek, Groq, Mistral, vLLM, Ollama, LM Studio, llama.cpp and others. They differ in a hundred
small ways; what they send is read leniently, but an answer is complete only when the server says how it ended.
"""

import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

import anyio
import anyio.to_thread
import httpx

from tah_jupyter.core.calls import Usage
from tah_jupyter.core.errors import ConfigError, ModelError
from tah_jupyter.core.messages import ModelEvent, ModelRequest
from tah_jupyter.host.net import plain_client
from tah_jupyter.host.secrets.addresses import without_credentials
from tah_jupyter.models.chat.answer import AnswerReader
from tah_jupyter.models.chat.body import MAX_ANSWER_BYTES, chunks_of, head_of, next_bytes, whole
from tah_jupyter.models.chat.provider_errors import Target, error_of_status, model_error, target_with_key
from tah_jupyter.models.chat.retry import with_retries
from tah_jupyter.models.chat.sse import EventStream
from tah_jupyter.models.chat.transport_errors import error_of_cut, error_of_settings, error_of_transport
from tah_jupyter.models.chat.wire import RequestBody
from tah_jupyter.models.prices import Facts, facts_of
from tah_jupyter.runtime.config_sources import OWN_FILE

__all__ = ["OpenAICompatible"]

_CONNECT_S = 15.0
_USAGE_S = 5.0  # how long usage may take after the model has finished
_DRAIN_S = 0.25  # how long the end of a finished stream may take before its connection is given up

# "identity": a compressed stream arrives in blocks, late. A server that compresses all the same is understood.
_HEADERS = {"content-type": "application/json", "accept": "text/event-stream", "accept-encoding": "identity"}


class OpenAICompatible:
    """One model of one server.

    ``api_key`` is called for every request, so a key that changes is picked up and none is kept here; ``key_env`` names
    the variable it comes from, for messages. ``context_window`` (tokens) and ``vision`` override what the price table
    knows. ``options`` are further parameters of each request, such as ``{"temperature": 0}``; nothing is sent that is
    not configured. ``client`` is used instead of an own one, and is not closed. ``idle_s`` is how long the server may
    be silent (or send only keep-alives). ``sleep`` and ``jitter`` are for tests. Raises ConfigError when ``base_url``
    is no address.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str,
        model: str,
        api_key: Callable[[], str | None] | None = None,
        key_env: str = "",
        context_window: int | None = None,
        vision: bool | None = None,
        headers: Mapping[str, str] | None = None,
        options: Mapping[str, Any] | None = None,
        client: httpx.AsyncClient | None = None,
        idle_s: float = 300.0,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        base_url = base_url.strip().rstrip("/").removesuffix("/chat/completions")
        address = _address(base_url)
        self.name = name
        self.host = address.netloc.rpartition("@")[2]
        self._url = f"{base_url}/chat/completions"
        self._target = Target(urlunsplit(address._replace(netloc=self.host)), model, key_env=key_env)
        self._api_key = api_key
        self._window, self._vision = context_window, vision
        self._headers = dict(headers or {})
        self._body = RequestBody(model, options, short_ids=address.hostname == "api.mistral.ai")
        self._client, self._owns_client = client, client is None
        self._facts: Facts | None = None
        self._opening = anyio.Lock()
        self._asks_usage = True
        self._idle_s = idle_s
        self._sleep, self._jitter = sleep, jitter

    @property
    def context_window(self) -> int | None:
        """Tokens that one request may hold, None while unknown."""
        return self._window or (self._facts.context_window if self._facts else None)

    @property
    def vision(self) -> bool:
        """Whether the model is known to see pictures."""
        return self._vision if self._vision is not None else bool(self._facts and self._facts.vision)

    def cost_usd(self, usage: Usage) -> float | None:
        """The price of one request's ``usage``; None when it is not known, 0.0 for a server on this machine."""
        return self._facts.cost_usd(usage) if self._facts else None

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None and self._owns_client:
            await self._client.aclose()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Send ``request`` and yield what comes. A failure that may pass is tried again (``retry``), but only while
        nothing was shown. Raises ModelError.
        """
        client = await self._open()
        async with aclosing(with_retries(lambda: self._answer(client, request), self._sleep, self._jitter)) as events:
            async for event in events:
                yield event

    async def _open(self) -> httpx.AsyncClient:
        """The client and the model's facts, made in a thread at the first request."""
        async with self._opening:
            if self._facts is None:
                self._facts = await anyio.to_thread.run_sync(facts_of, self._target.base_url, self._target.model)
            if self._client is None:
                try:
                    self._client = await anyio.to_thread.run_sync(self._new_client)
                except (ImportError, ValueError, OSError) as error:
                    raise error_of_settings(error, self._target) from None
            return self._client

    def _new_client(self) -> httpx.AsyncClient:
        timeout = httpx.Timeout(self._idle_s, connect=min(_CONNECT_S, self._idle_s))
        return plain_client(self._target.base_url, headers={**_HEADERS, **self._headers}, timeout=timeout)

    async def _answer(self, client: httpx.AsyncClient, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """One attempt."""
        target = self._target if self._api_key is None else target_with_key(self._target, self._api_key())
        response = await self._send(client, request, target)
        reader = AnswerReader(target)
        shown = False
        failure: ModelError | None = None
        try:
            async with aclosing(self._read(response, reader, target)) as events:
                async for event in events:
                    shown = True
                    yield event
        except ModelError as error:
            failure = error
        except httpx.HTTPError as error:
            failure = error_of_cut(error, target) if shown else error_of_transport(error, target)
        finally:
            await response.aclose()
        if failure is not None:
            for call in reader.abandon() if shown else ():
                yield call
            raise failure

    async def _send(self, client: httpx.AsyncClient, request: ModelRequest, target: Target) -> httpx.Response:
        """The response, its head read. Raises ModelError for any answer but a success."""
        while True:
            body = self._body.build(request, with_usage=self._asks_usage)
            try:
                response = await client.send(self._post(client, body, target), stream=True)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise error_of_transport(error, target) from None  # its words and requests may hold the key
            if response.status_code == 200:
                return response
            error_body = await head_of(response)
            if self._asks_usage and response.status_code in (400, 422) and _refuses_usage(error_body):
                self._asks_usage = False
                continue
            raise error_of_status(response.status_code, error_body, response.headers, target)

    def _post(self, client: httpx.AsyncClient, body: bytes, target: Target) -> httpx.Request:
        headers = {"authorization": f"Bearer {target.key}"} if target.key else {}
        return client.build_request("POST", self._url, content=body, headers=headers)

    async def _read(
        self, response: httpx.Response, reader: AnswerReader, target: Target
    ) -> AsyncGenerator[ModelEvent, None]:
        chunks = chunks_of(response)
        first = await anext(chunks, b"")
        if _is_one_piece(response.headers.get("content-type", ""), first):
            for event in reader.take(_events_of(first + await whole(chunks, target), target)):
                yield event
        else:
            async with aclosing(self._read_stream(first, chunks, reader, target)) as streamed:
                async for event in streamed:
                    yield event
        for event in reader.end():
            yield event
        if reader.done:
            await next_bytes(
                chunks, _DRAIN_S
            )  # a stream read to its end leaves its connection open for the next request

    async def _read_stream(
        self, first: bytes, chunks: AsyncIterator[bytes], reader: AnswerReader, target: Target
    ) -> AsyncGenerator[ModelEvent, None]:
        stream = EventStream()
        total, heard = 0, time.monotonic()
        data: bytes | None = first
        while data is not None:
            total += len(data)
            events = stream.feed(data)
            for event in reader.take(events):
                yield event
            if events:
                heard = time.monotonic()
            elif time.monotonic() - heard > self._idle_s:
                raise model_error("timeout", f"{target.title} kept the connection open and sent nothing.", target)
            if total > MAX_ANSWER_BYTES:
                raise model_error("protocol", f"The answer of {target.title} does not end.", target)
            if reader.done:
                return
            data = await next_bytes(chunks, _USAGE_S if reader.ended else None)
        for event in reader.take(stream.close()):
            yield event


def _address(base_url: str) -> SplitResult:
    """The parts of an address. Raises ConfigError when it is none."""
    try:
        address = urlsplit(base_url)
        usable = address.scheme in ("http", "https") and bool(address.hostname) and address.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigError(
            f"The model's address {without_credentials(base_url)!r} is no http or https address.",
            next_step=f"It looks like http://127.0.0.1:11434/v1: correct baseUrl in {OWN_FILE} or OPENAI_BASE_URL.",
        )
    return address


def _is_one_piece(content_type: str, first: bytes) -> bool:
    """Whether an answer is no stream: by what it says it is, and by how it begins, as many errors say nothing."""
    if content_type.lower().startswith(("application/json", "text/html")):
        return True
    return first.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"<"))


def _events_of(body: bytes, target: Target) -> list[tuple[bytes, bytes]]:
    """The events of an answer that came in one piece: one JSON object, or a stream under a wrong content type."""
    body = body.removeprefix(b"\xef\xbb\xbf").strip()
    start = body[:1]
    if start == b"<":
        message = f"{target.title} answered with a web page, not with a chat completion."
        raise model_error("protocol", message, target, next_step=f"Check the address {target.base_url}.")
    if start == b"{" and b"\n{" not in body:  # else it is one object a line
        return [(b"", body)]
    stream = EventStream()
    return stream.feed(body) + stream.close()


def _refuses_usage(body: bytes) -> bool:
    return b"stream_options" in body or b"include_usage" in body
