"""The route through litellm: services with a protocol of their own (Anthropic, Gemini, Azure, Bedrock, Cohere, …).

litellm translates; what it gives is read by the same reader as the direct route's, and its word is not taken where it
makes things up: an end that no provider sent, a count of tokens that it guessed.
"""

import random
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import httpx

from tah_jupyter.core.calls import Usage
from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.messages import Finish, ModelEvent, ModelRequest, Preparing
from tah_jupyter.models.chat.answer import AnswerReader
from tah_jupyter.models.chat.body import MAX_ANSWER_BYTES
from tah_jupyter.models.chat.chunks import Chunk, chunk_of, finish_of
from tah_jupyter.models.chat.provider_errors import Target, model_error, target_with_key
from tah_jupyter.models.chat.retry import with_retries
from tah_jupyter.models.chat.surrogates import mend
from tah_jupyter.models.chat.transport_errors import error_of_cut
from tah_jupyter.models.chat.wire import alternating, wire_message, wire_tool
from tah_jupyter.models.litellm_errors import error_of_litellm
from tah_jupyter.models.litellm_library import is_loaded, lease_clients, library, release_clients
from tah_jupyter.models.prices import Facts, facts_named
from tah_jupyter.models.providers import provider_named

__all__ = ["ThroughLitellm"]

_CONNECT_S = 15.0


class ThroughLitellm:
    """One model that litellm knows as ``model``, ``PROVIDER/MODEL``.

    ``base_url`` is where it answers, empty where litellm knows. ``api_key`` is called for every request, so a key that
    changes is picked up; litellm keeps a client, and with it the key, until :meth:`aclose`. Without ``api_key`` litellm
    looks for the provider's own variables. The other parameters are those of ``OpenAICompatible``.
    """

    def __init__(
        self,
        name: str,
        *,
        model: str,
        base_url: str = "",
        api_key: Callable[[], str | None] | None = None,
        key_env: str = "",
        context_window: int | None = None,
        vision: bool | None = None,
        headers: Mapping[str, str] | None = None,
        options: Mapping[str, Any] | None = None,
        idle_s: float = 300.0,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        prefix = model.partition("/")[0]
        provider = provider_named(prefix)
        own = provider.base_url if provider else ""
        self.name = name
        self.host = urlsplit(base_url or own).netloc.rpartition("@")[2] or prefix
        self._model = model
        self._base_url = "" if base_url.rstrip("/") == own else base_url
        self._target = Target(base_url or own, model, key_env=key_env, name="" if base_url or own else prefix)
        self._api_key = api_key
        self._window, self._vision = context_window, vision
        self._options = {**({"extra_headers": dict(headers)} if headers else {}), **(options or {})}
        self._facts: Facts | None = None
        self._lease: str | None = None
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
        """Close the connections, unless another model still uses them."""
        lease, self._lease = self._lease, None
        if lease is not None:
            await release_clients(lease)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Send ``request`` and yield what comes. A failure that may pass is tried again (``retry``), but only while
        nothing was shown. Raises ModelError.
        """
        if not is_loaded():
            yield Preparing("Loading litellm; this takes some seconds, once in a kernel")
        await self._open()
        async with aclosing(with_retries(lambda: self._answer(request), self._sleep, self._jitter)) as events:
            async for event in events:
                yield event

    async def _open(self) -> None:
        """The library, the model's facts and a lease on the connections."""
        if self._facts is None:
            self._facts = await anyio.to_thread.run_sync(facts_named, self._model, self._base_url)
        try:
            await anyio.to_thread.run_sync(library, abandon_on_cancel=True)
        except ImportError as error:
            message = f"litellm, which speaks to {self._target.title}, cannot be imported: {error}."
            step = "Install it again: pip install --force-reinstall litellm; then restart the kernel."
            raise model_error("bad_request", message, self._target, next_step=step) from None
        if self._lease is None:
            self._lease = lease_clients()

    async def _answer(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """One attempt."""
        target = self._target if self._api_key is None else target_with_key(self._target, self._api_key())
        answer = await self._send(request, target)
        reader = AnswerReader(target)
        shown = False
        failure: ModelError | None = None
        try:
            async with aclosing(_chunks(answer, self._idle_s, target)) as chunks:
                async for chunk in chunks:
                    for event in reader.take_chunk(chunk):
                        shown = True
                        yield event
            for event in reader.end():
                if event == Finish("stop") and finish_of(_received(answer)) == "calls":
                    raise _lost_call(target)
                shown = True
                yield event
        except ModelError as error:
            failure = error
        except Exception as error:  # litellm's, of any kind
            failure = error_of_litellm(error, target, shown=shown)
        finally:
            await answer.aclose()
        if failure is not None:
            for call in reader.abandon() if shown else ():
                yield call
            raise failure

    async def _send(self, request: ModelRequest, target: Target) -> Any:
        """litellm's stream, once the head of the answer is there. Raises ModelError."""
        try:
            with anyio.fail_after(self._idle_s):
                return await library().acompletion(**self._arguments(request, target))
        except TimeoutError:
            raise model_error("timeout", f"{target.title} did not answer in time.", target) from None
        except Exception as error:
            raise error_of_litellm(error, target, shown=False) from None

    def _arguments(self, request: ModelRequest, target: Target) -> dict[str, Any]:
        messages = [{"role": "system", "content": request.system}, *map(wire_message, alternating(request.messages))]
        given = {
            "tools": [wire_tool(tool) for tool in request.tools],
            "api_base": self._base_url,
            "api_key": target.key or ("none" if self._base_url else ""),  # its OpenAI client wants one, used or not
        }
        return {
            "model": self._model,
            "messages": [_whole(message) for message in messages],
            **{name: value for name, value in given.items() if value},
            **self._options,
            "stream": True,
            "stream_options": {"include_usage": True},
            "timeout": httpx.Timeout(self._idle_s, connect=min(_CONNECT_S, self._idle_s)),
            "max_retries": 0,  # retries are said, so they are ours
            "num_retries": 0,
            "drop_params": True,
            "enable_prompt_caching": True,
            "no-log": True,  # what the person's own callbacks collect is not ours to send
        }


async def _chunks(answer: Any, idle_s: float, target: Target) -> AsyncGenerator[Chunk, None]:
    """The chunks of litellm's stream, with what it made up taken out. Raises ModelError, and whatever litellm does."""
    chunks: AsyncIterator[Any] = aiter(answer)
    size = 0
    while True:
        try:
            with anyio.fail_after(idle_s):
                raw = await anext(chunks, None)
        except TimeoutError:
            raise (error_of_cut(TimeoutError(), target) if size else _silent(target)) from None
        if raw is None:
            return
        chunk = chunk_of(raw)
        chunk.usage = _reported(raw, answer) if chunk.usage is not None else None
        for choice in chunk.choices or ():
            if isinstance(choice.finish_reason, str):
                choice.finish_reason = _true_reason(choice.finish_reason, answer)
        size += _size_of(chunk)
        if size > MAX_ANSWER_BYTES:
            raise model_error("protocol", f"The answer of {target.title} does not end.", target)
        yield chunk


def _silent(target: Target) -> ModelError:
    return model_error("timeout", f"{target.title} kept the connection open and sent nothing.", target)


def _lost_call(target: Target) -> ModelError:
    """litellm leaves out a call whose id or arguments are of a type that it does not expect, without a word."""
    message = f"{target.title} announced a call of a tool, and litellm could read none."
    return model_error("protocol", message, target)


def _reported(raw: Any, answer: Any) -> dict[str, Any] | None:
    """The usage of ``raw`` when the provider sent one: where it did not, litellm counts words itself."""
    reported = any(getattr(chunk, "usage", None) is not None for chunk in answer.chunks)
    usage: dict[str, Any] | None = raw.usage.model_dump() if reported else None
    return usage


def _true_reason(said: str, answer: Any) -> str | None:
    """How the provider ended the answer: litellm ends every stream with "stop", also one that was cut off, and calls
    endings "stop" that it does not know.
    """
    received = _received(answer)
    if not received:
        return None
    return received if finish_of(received) or said in ("stop", "tool_calls") else said


def _received(answer: Any) -> str:
    """The reason that came from the provider; empty while none did."""
    return str(answer.received_finish_reason or answer.intermittent_finish_reason or "")


def _size_of(chunk: Chunk) -> int:
    delta = chunk.choices[0].delta if chunk.choices else None
    if delta is None:
        return 0
    pieces = [fragment.function.arguments for fragment in delta.tool_calls or () if fragment.function]
    return sum(len(text) for text in (delta.content, delta.reasoning_content, *pieces) if isinstance(text, str))


def _whole(value: Any) -> Any:
    """``value`` without half surrogate pairs, from a file name or a cut string: no JSON can carry one."""
    if isinstance(value, str):
        return mend(value)
    if isinstance(value, dict):
        return {name: _whole(inner) for name, inner in value.items()}
    return [_whole(inner) for inner in value] if isinstance(value, list) else value
