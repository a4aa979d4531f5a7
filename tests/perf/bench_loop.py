"""The whole loop on the direct route: pipeline, permissions, redaction, log, history and transcript in every turn.

The floor is the same conversation by hand on httpx with a JSONL log, in the same process and against the same server.
"""

import asyncio
import json
import os
import resource
import statistics
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import httpx

from tah_jupyter import TOOLS, Runtime, ToolCall, open_session, permissions_plugin, tool, tools_plugin
from tah_jupyter.core.events import TextDelta, ToolFinished
from tah_jupyter.host.secrets.redact import Redactor
from tah_jupyter.models.openai_compatible import OpenAICompatible
from tah_jupyter.permissions.rules import Rules
from tah_jupyter.runtime.bus import Bus, Emitter
from tah_jupyter.runtime.config import Budget, Config
from tah_jupyter.sessions.log import SessionLog
from tah_jupyter.sessions.recorder import SessionRecorder
from tah_jupyter.ui.transcript import Transcript
from tests.perf.bench_model import _figure, _httpx_chunks
from tests.perf.sse_server import serving

ROUNDS = 7
CHUNK_S = 0.020
SCENARIOS = {
    "A 3 × 300 ms": ("n1k3a9d20p10f0", (0.3, 0.3, 0.3)),
    "B 900/300/300 ms": ("n1k3a9d20p10f0", (0.9, 0.3, 0.3)),
    "C 6 tools 1500…300 ms": ("n1k6a20d20p10f0", (1.5, 1.2, 0.9, 0.7, 0.5, 0.3)),
}
"""quality.md's three starts: chunks of 20 ms, and how long each call takes."""


class Taking:
    """How long each call takes, by its number in the message."""

    seconds: tuple[float, ...] = ()


@tool(read_only=True)
async def echo(x: str) -> str:
    """Echo x."""
    if Taking.seconds:
        number = int(x.split("call")[1].split("-")[0])
        await asyncio.sleep(Taking.seconds[number])
    return "ok:" + x[:12]


async def our_run(base_url: str, name: str) -> float:
    """One run with everything on; returns the CPU it took, in seconds."""
    model = OpenAICompatible(name, base_url=base_url, model=name)
    with tempfile.TemporaryDirectory() as folder:
        config = Config(budget=Budget(1000))
        async with open_session(root=folder, model=model, tools=[echo], config=config) as session:
            session.subscribe(Transcript().apply)
            before = time.process_time()
            result = await session.run("go")
            taken = time.process_time() - before
    if result.stop_reason != "end_turn":
        raise RuntimeError(f"the run ended by {result.stop_reason}: {result.error}")
    return taken


async def floor_run(base_url: str, name: str) -> float:
    """The same by hand: httpx, the whole body each turn, calls started as they are complete, a line a record."""
    history: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    before = time.process_time()
    with tempfile.TemporaryFile("w", buffering=1) as log:
        async with httpx.AsyncClient(trust_env=False) as client:
            while True:
                texts: list[str] = []
                calls: list[dict[str, Any]] = []
                async for chunk in _httpx_chunks(client, base_url, name, history):
                    for choice in chunk["choices"]:
                        texts.append(choice["delta"].get("content") or "")
                        for piece in choice["delta"].get("tool_calls", ()):
                            if piece["index"] == len(calls):
                                calls.append(piece)
                            else:
                                calls[piece["index"]]["function"]["arguments"] += piece["function"]["arguments"]
                            log.write(json.dumps({"type": "args", "ts": time.time(), "piece": piece}) + "\n")
                history.append({"role": "assistant", "content": "".join(texts), "tool_calls": calls})
                for call in calls:
                    text = "ok:" + json.loads(call["function"]["arguments"])["x"][:12]
                    history.append({"role": "tool", "tool_call_id": call["id"], "content": text})
                    log.write(json.dumps({"type": "result", "ts": time.time(), "text": text}) + "\n")
                if not calls:
                    return time.process_time() - before


async def cpu_figures(base_url: str) -> list[dict[str, Any]]:
    """CPU of a turn at 50 turns against the floor and the goal, and its growth at 200."""
    Taking.seconds = ()
    await our_run(base_url, "n3k4a2d0p2f0-warm")
    short, long, floor = [], [], []
    for n in range(ROUNDS):
        short.append(await our_run(base_url, f"n50k4a2d0p2f0-s{n}") / 51 * 1e3)
        floor.append(await floor_run(base_url, f"n50k4a2d0p2f0-f{n}") / 51 * 1e3)
        long.append(await our_run(base_url, f"n200k4a2d0p2f0-l{n}") / 201 * 1e3)
    ours, by_hand, later = map(statistics.median, (short, floor, long))
    first = _figure("loop: CPU a turn, 50 × 4 calls (ms; httpx + log)", ours, by_hand, 2.0)
    first.update(goal="≤ 2 ms", ok=ours <= 2.0)
    return [first, _figure("loop: CPU a turn at 200 turns (ms; at 50)", later, ours, 1.2)]


async def start_figures(base_url: str) -> list[dict[str, Any]]:
    """From the first request to the second, against the limit: when a call was complete, plus how long it takes."""
    rows = []
    for title, (scenario, seconds) in SCENARIOS.items():
        Taking.seconds = seconds
        taken = []
        for n in range(3):
            name = f"{scenario}-{title[0].lower()}{n}"
            await our_run(base_url, name)
            with urllib.request.urlopen(f"{base_url.removesuffix('/v1')}/stats/{name.partition('-')[2]}") as answer:
                first, second = json.load(answer)[:2]
            taken.append((second["arrived"] - first["arrived"], _limit(first, seconds)))
        ours = statistics.median(a for a, _ in taken)
        limit = statistics.median(b for _, b in taken)
        rows.append(_figure(f"start: {title} (s; limit)", ours, limit, 1.01))
    Taking.seconds = ()
    return rows


def _limit(entry: dict[str, Any], seconds: tuple[float, ...]) -> float:
    """The earliest that all calls can be done: when the last fragment of each was sent, plus the time it takes."""
    sent, calls = entry["sent"], len(seconds)
    fragments = (len(sent) - 1 - 10 - 3) // calls  # 1 role, 10 texts; after the calls: finish, usage, [DONE]
    done = [sent[10 + (n + 1) * fragments] + seconds[n] for n in range(calls)]
    return max(*done, entry["ended"]) - entry["arrived"]


async def event_figures() -> list[dict[str, Any]]:
    """An event through redaction, log and transcript; a call through the pipeline, without I/O of its own."""
    with tempfile.TemporaryDirectory() as folder:
        log = SessionLog.open(Path(folder, "log.jsonl"))
        bus = Bus(SessionRecorder(log, Redactor({"SOME_TOKEN": "abcdefgh-12345678"})))
        bus.subscribe(Transcript().apply)
        emitter = Emitter(bus, session="s", run=1, turn=1)
        taken, count = [], 20_000
        for n in range(5):
            start = time.perf_counter()
            for i in range(count):
                emitter.emit(
                    TextDelta(message="m", text="word ")
                    if i % 2
                    else ToolFinished(call=f"c{n}-{i}", tool="t", text="ok")
                )
            taken.append((time.perf_counter() - start) / count * 1e6)
        log.close()
    event = statistics.median(taken)
    runtime = (
        Runtime().use(tools_plugin([echo])).use(permissions_plugin(rules=Rules(deny=frozenset(map(str, range(15))))))
    )
    async with runtime:
        tools, passes = runtime.get(TOOLS), []
        for n in range(5):
            start = time.perf_counter()
            for i in range(2_000):
                ctx = runtime.tool_context(session_id="s", call_id=f"c{n}-{i}")
                await tools.execute(ToolCall(ctx.call_id, "echo", {"x": "turn1-call0-yyyyyyyy"}), ctx)
            passes.append((time.perf_counter() - start) / 2_000 * 1e6)
    one = statistics.median(passes)
    return [
        {
            "name": "event: emit + redact + log + fold (µs)",
            "ours": event,
            "reference": None,
            "ratio": None,
            "goal": 10.0,
            "ok": event <= 10,
        },
        {
            "name": "pipeline: one pass (µs)",
            "ours": one,
            "reference": None,
            "ratio": None,
            "goal": 100.0,
            "ok": one <= 100,
        },
    ]


async def memory_figure(base_url: str) -> dict[str, Any]:
    """What one run of 50 turns adds to a process that has everything imported."""
    read = lambda: int(Path(f"/proc/{os.getpid()}/statm").read_text().split()[1]) * resource.getpagesize() / 2**20  # noqa: E731
    before = read()
    await our_run(base_url, "n50k4a2d0p2f0-mem")
    added = read() - before
    return {
        "name": "loop: memory a 50-turn run adds (MB)",
        "ours": added,
        "reference": None,
        "ratio": None,
        "goal": 25.0,
        "ok": added <= 25,
    }


def figures() -> list[dict[str, Any]]:
    """Loop, streaming start, event and memory figures of quality.md on the direct route."""
    return asyncio.run(_figures())


async def _figures() -> list[dict[str, Any]]:
    with serving() as base_url:
        memory = await memory_figure(base_url)
        return [*await cpu_figures(base_url), *await start_figures(base_url), *await event_figures(), memory]
