"""The routes alone: CPU of a turn and of a chunk, growth with the session, and what is added before the first token.

The floors run in the same process against the same server: httpx with ``json`` and a whole body a turn and a raw socket
for the direct route, litellm used by hand for the other. The loop's own figures stand in its own benchmark.
"""

import asyncio
import json
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

import httpx

from tah_jupyter.core.calls import ToolSchema
from tah_jupyter.core.messages import (
    AssistantMessage,
    CallFinished,
    CallPart,
    Message,
    ModelRequest,
    TextPart,
    ToolMessage,
    UserMessage,
)
from tah_jupyter.models.litellm_library import library
from tah_jupyter.models.litellm_route import ThroughLitellm
from tah_jupyter.models.openai_compatible import OpenAICompatible
from tests.perf.sse_server import serving

ECHO = ToolSchema("echo", "Echo x.", {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]})
WIRE_TOOLS = [
    {
        "type": "function",
        "function": {"name": ECHO.name, "description": ECHO.description, "parameters": ECHO.parameters},
    }
]
ROUNDS = 7
CHUNKS = 300  # pieces of text in a long answer


async def direct_session(base_url: str, model_name: str) -> None:
    """A session on the direct route."""
    await _session(OpenAICompatible("bench", base_url=base_url, model=model_name))


async def litellm_session(base_url: str, model_name: str) -> None:
    """The same through litellm."""
    await _session(ThroughLitellm("bench", base_url=base_url, model=f"openai/{model_name}"))


async def _session(model: OpenAICompatible | ThroughLitellm) -> None:
    """Every call is answered with one word."""
    history: list[Message] = [UserMessage("go")]
    tools = (ECHO,)
    while True:
        texts: list[str] = []
        calls: list[CallPart] = []
        async for event in model.stream(ModelRequest("s", history, tools)):
            if isinstance(event, TextPart):
                texts.append(event.text)
            elif isinstance(event, CallFinished):
                calls.append(CallPart(event.provider_id, event.tool, event.raw))
        history.append(AssistantMessage("".join(texts), tuple(calls)))
        history += [ToolMessage(call.call_id, "ok") for call in calls]
        if not calls:
            return await model.aclose()


async def httpx_session(base_url: str, model_name: str) -> None:
    """The same by hand on httpx: the least that a plain client does."""
    history: list[dict[str, Any]] = [{"role": "system", "content": "s"}, {"role": "user", "content": "go"}]
    async with httpx.AsyncClient(trust_env=False) as client:
        while True:
            texts: list[str] = []
            calls: list[dict[str, Any]] = []
            async for chunk in _httpx_chunks(client, base_url, model_name, history):
                for choice in chunk["choices"]:
                    delta = choice["delta"]
                    texts.append(delta.get("content") or "")
                    for piece in delta.get("tool_calls", ()):
                        if piece["index"] == len(calls):
                            calls.append(piece)
                        else:
                            calls[piece["index"]]["function"]["arguments"] += piece["function"]["arguments"]
            history.append({"role": "assistant", "content": "".join(texts), "tool_calls": calls})
            history += [{"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in calls]
            if not calls:
                return


async def bare_litellm_session(base_url: str, model_name: str) -> None:
    """The same by hand on litellm."""
    history: list[dict[str, Any]] = [{"role": "system", "content": "s"}, {"role": "user", "content": "go"}]
    while True:
        texts: list[str] = []
        calls: list[dict[str, Any]] = []
        async for chunk in await _ask_litellm(base_url, model_name, history):
            for choice in chunk.choices:
                texts.append(choice.delta.content or "")
                for piece in choice.delta.tool_calls or ():
                    if piece.index == len(calls):
                        function = {"name": piece.function.name, "arguments": piece.function.arguments}
                        calls.append({"id": piece.id, "type": "function", "function": function})
                    else:
                        calls[piece.index]["function"]["arguments"] += piece.function.arguments
        history.append({"role": "assistant", "content": "".join(texts), "tool_calls": calls})
        history += [{"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in calls]
        if not calls:
            return


async def _ask_litellm(base_url: str, model_name: str, history: list[dict[str, Any]]) -> Any:
    return await library().acompletion(
        model=f"openai/{model_name}",
        messages=history,
        tools=WIRE_TOOLS,
        api_base=base_url,
        api_key="none",
        stream=True,
        stream_options={"include_usage": True},
        **{"no-log": True},
    )


async def _httpx_chunks(
    client: httpx.AsyncClient, base_url: str, model_name: str, history: list[dict[str, Any]]
) -> AsyncIterator[dict[str, Any]]:
    body = {"model": model_name, "messages": history, "tools": WIRE_TOOLS, "stream": True}
    async with client.stream("POST", f"{base_url}/chat/completions", json=body) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                yield json.loads(line[6:])


Session = Callable[[str, str], Awaitable[None]]


async def cpu_ms_a_turn(session: Session, base_url: str, turns: int, tag: str) -> float:
    """Median CPU of this process for one turn, in ms."""
    taken = []
    for number in range(ROUNDS):
        before = time.process_time()
        await session(base_url, f"n{turns}k4a2d0p2f0-{tag}{turns}x{number}")
        taken.append((time.process_time() - before) / turns * 1e3)
    return statistics.median(taken)


async def cpu_us_a_chunk(session: Session, base_url: str, tag: str) -> float:
    """The same for one chunk of a long answer, in µs."""
    taken = []
    for number in range(ROUNDS):
        before = time.process_time()
        await session(base_url, f"n0k0a1d0p{CHUNKS}f0-{tag}x{number}")
        taken.append((time.process_time() - before) / CHUNKS * 1e6)
    return statistics.median(taken)


async def litellm_first_token_ms(base_url: str) -> tuple[float, float]:
    """Median time to the first event over 140 KB of history: through our route, and with litellm by hand."""
    model = ThroughLitellm("bench", base_url=base_url, model="openai/n0k0a1d0p1f0-first")
    history: list[Message] = []
    plain: list[dict[str, Any]] = [{"role": "system", "content": "s"}]
    for number in range(70):
        history += [UserMessage("u" * 1000), AssistantMessage(f"{number}" + "a" * 1000)]
        plain += [{"role": "user", "content": "u" * 1000}, {"role": "assistant", "content": f"{number}" + "a" * 1000}]
    ours, floor = [], []
    for _ in range(ROUNDS * 2):
        start = time.perf_counter()
        async with aclosing(model.stream(ModelRequest("s", history, (ECHO,)))) as events:
            await anext(events)
            ours.append((time.perf_counter() - start) * 1e3)
        start = time.perf_counter()
        answer = await _ask_litellm(base_url, "n0k0a1d0p1f0-first", plain)
        await anext(answer)
        floor.append((time.perf_counter() - start) * 1e3)
        await answer.aclose()
    await model.aclose()
    return statistics.median(ours), statistics.median(floor)


async def first_token_ms(base_url: str) -> tuple[float, float]:
    """Median time to the first event over 140 KB of history: ours, and to the first bytes on a raw socket."""
    history: list[Message] = []
    for number in range(70):
        history += [UserMessage("u" * 1000), AssistantMessage(f"{number}" + "a" * 1000)]
    model = OpenAICompatible("bench", base_url=base_url, model="n0k0a1d0p1f0-first")
    ours, floor = [], []
    for number in range(ROUNDS * 6):
        history.append(UserMessage(f"next {number}"))
        start = time.perf_counter()
        async with aclosing(model.stream(ModelRequest("s", history, (ECHO,)))) as events:
            await anext(events)
            ours.append((time.perf_counter() - start) * 1e3)
        floor.append(await _raw_first_bytes_ms(base_url, "x" * 140_000))
    await model.aclose()
    return statistics.median(ours), statistics.median(floor)


async def _raw_first_bytes_ms(base_url: str, text: str) -> float:
    port = int(base_url.split(":")[2].split("/")[0])
    body = b'{"model": "n0k0a1d0p1f0-raw", "messages": "%s"}' % text.encode()
    start = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
    await reader.readuntil(b"\n\n")
    taken = (time.perf_counter() - start) * 1e3
    writer.close()
    return taken


def figures() -> list[dict[str, Any]]:
    """CPU of a turn against httpx, its growth from 50 to 200 turns, and the first token."""
    return asyncio.run(_figures())


async def _figures() -> list[dict[str, Any]]:
    with serving() as base_url:
        await direct_session(base_url, "n3k1a1d0p1f0-warm")
        ours = await cpu_ms_a_turn(direct_session, base_url, 50, "a")
        floor = await cpu_ms_a_turn(httpx_session, base_url, 50, "b")
        long = await cpu_ms_a_turn(direct_session, base_url, 200, "c")
        token, raw = await first_token_ms(base_url)
        chunk = await cpu_us_a_chunk(direct_session, base_url, "d")
        chunk_floor = await cpu_us_a_chunk(httpx_session, base_url, "e")
        through_litellm = await _litellm_figures(base_url)
    return [
        _figure("route: CPU a turn, 50 × 4 calls (ms; httpx)", ours, floor, 1.0),
        _figure("route: CPU a turn at 200 turns (ms; at 50)", long, ours, 1.2),
        {
            "name": "route: first token added, 140 KB (ms; raw)",
            "ours": token - raw,
            "reference": raw,
            "ratio": None,
            "goal": 3.0,
            "ok": token - raw <= 3.0,
        },
        _figure(f"route: CPU a chunk of {CHUNKS} (µs; httpx)", chunk, chunk_floor, 1.0),
        *through_litellm,
    ]


async def _litellm_figures(base_url: str) -> list[dict[str, Any]]:
    """The same of the route through litellm, beside litellm by hand."""
    await asyncio.to_thread(library)
    for session in (litellm_session, bare_litellm_session):
        await session(base_url, "n3k1a1d0p1f0-warmer")
    ours = await cpu_ms_a_turn(litellm_session, base_url, 10, "f")
    floor = await cpu_ms_a_turn(bare_litellm_session, base_url, 10, "g")
    chunk = await cpu_us_a_chunk(litellm_session, base_url, "h")
    chunk_floor = await cpu_us_a_chunk(bare_litellm_session, base_url, "i")
    token, token_floor = await litellm_first_token_ms(base_url)
    return [
        _figure("litellm: CPU a turn, 10 × 4 calls (ms; by hand)", ours, floor, 1.15),
        _figure(f"litellm: CPU a chunk of {CHUNKS} (µs; by hand)", chunk, chunk_floor, 1.15),
        _figure("litellm: first token, 140 KB (ms; by hand)", token, token_floor, 1.3),
    ]


def _figure(name: str, ours: float, reference: float, goal: float) -> dict[str, Any]:
    ratio = ours / reference
    return {"name": name, "ours": ours, "reference": reference, "ratio": ratio, "goal": goal, "ok": ratio <= goal}
