"""The direct route alone: CPU of a turn, its growth with the session, and what it adds before the first token.

The floors run in the same process against the same server: httpx with ``json`` and a whole body a turn, and a raw
socket. The loop's own figures stand in its own benchmark.
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


async def route_session(base_url: str, model_name: str) -> None:
    """A session on our route: every call is answered with one word."""
    model = OpenAICompatible("bench", base_url=base_url, model=model_name)
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
        await route_session(base_url, "n3k1a1d0p1f0-warm")
        ours = await cpu_ms_a_turn(route_session, base_url, 50, "a")
        floor = await cpu_ms_a_turn(httpx_session, base_url, 50, "b")
        long = await cpu_ms_a_turn(route_session, base_url, 200, "c")
        token, raw = await first_token_ms(base_url)
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
    ]


def _figure(name: str, ours: float, reference: float, goal: float) -> dict[str, Any]:
    ratio = ours / reference
    return {"name": name, "ours": ours, "reference": reference, "ratio": ratio, "goal": goal, "ok": ratio <= goal}
