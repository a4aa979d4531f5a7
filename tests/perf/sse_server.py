"""A loopback provider for benchmarks, scripted by the model's name and cheap enough not to be what is measured.

``n50k4a2d0p2f0-RUN`` means: 50 turns of 4 calls each, the arguments of a call in 2 fragments, 0 ms between chunks, 2
pieces of text a turn, 0 (or 1) to end with a call of ``final_answer``; RUN is any name of lower-case letters and
digits, and keeps runs apart. The tool called is ``echo(x: str)``. ``GET /stats/RUN`` gives, and forgets, when each
request arrived and when each chunk of its answer was sent (monotonic seconds).

Started as ``python -m tests.perf.sse_server``; the first line it prints is its port. It ends when its input does.
"""

import asyncio
import gc
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

__all__ = ["serving"]

_NAME = re.compile(rb'"model":\s*"(?:openai/)?n(\d+)k(\d+)a(\d+)d(\d+)p(\d+)f(\d)-([0-9a-z]+)"')
_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    b"transfer-encoding: chunked\r\nx-request-id: r\r\n\r\n"
)
_END = b"0\r\n\r\n"
_USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


class Scenario(NamedTuple):
    turns: int
    calls: int
    fragments: int
    delay_ms: int
    texts: int
    final_call: int


class _Run:
    """What one run has asked so far."""

    def __init__(self) -> None:
        self.turn = 0
        self.log: list[dict[str, Any]] = []


class Server(asyncio.Protocol):
    """One connection; answers of all connections are made once and kept."""

    _runs: ClassVar[dict[str, _Run]] = {}
    _chunks: ClassVar[dict[tuple[Scenario, int], list[bytes]]] = {}
    _tasks: ClassVar[set[asyncio.Task[None]]] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._buffer = b""

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head = self._buffer[:end]
            length = re.search(rb"content-length:\s*(\d+)", head.lower())
            total = end + 4 + (int(length.group(1)) if length else 0)
            if len(self._buffer) < total:
                return
            body, self._buffer = self._buffer[end + 4 : total], self._buffer[total:]
            self._answer(head, body)

    def _answer(self, head: bytes, body: bytes) -> None:
        arrived = time.monotonic()
        path = head.split(b" ", 2)[1].decode()
        if path.startswith("/stats/"):
            run = self._runs.pop(path.removeprefix("/stats/"), _Run())
            return self._send_json(run.log)
        match = _NAME.search(body)
        if not match:
            return self._send_json({"object": "list", "data": []})
        scenario = Scenario(*map(int, match.groups()[:6]))
        run = self._runs.setdefault(match.group(7).decode(), _Run())
        turn, run.turn = run.turn, run.turn + 1
        entry: dict[str, Any] = {"turn": turn, "arrived": arrived, "bytes": len(body)}
        run.log.append(entry)
        key = (scenario, turn)
        if key not in self._chunks:
            self._chunks[key] = [b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in _answer_of(scenario, turn)]
        chunks = self._chunks[key]
        if scenario.delay_ms:
            task = asyncio.get_running_loop().create_task(self._slowly(chunks, scenario.delay_ms / 1000, entry))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            self._transport.write(_HEAD + b"".join(chunks) + _END)
            entry["ended"] = time.monotonic()
        return None

    async def _slowly(self, chunks: list[bytes], delay_s: float, entry: dict[str, Any]) -> None:
        self._transport.write(_HEAD)
        start, entry["sent"] = time.monotonic(), []
        for number, chunk in enumerate(chunks, 1):
            await asyncio.sleep(max(0, start + delay_s * number - time.monotonic()))
            self._transport.write(chunk)
            entry["sent"].append(time.monotonic())
        self._transport.write(_END)
        entry["ended"] = time.monotonic()

    def _send_json(self, value: object) -> None:
        body = json.dumps(value).encode()
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
        self._transport.write(head + body)


def _chunk(delta: dict[str, Any], reason: str | None = None, usage: dict[str, int] | None = None) -> bytes:
    value: dict[str, Any] = {
        "id": "chatcmpl-x",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "gpt-4o",
        "system_fingerprint": "fp",
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}],
    }
    if usage:
        value |= {"choices": [], "usage": usage}
    return b"data: " + json.dumps(value, separators=(",", ":")).encode() + b"\n\n"


def _answer_of(scenario: Scenario, turn: int) -> Iterator[bytes]:
    yield _chunk({"role": "assistant", "content": ""})
    if turn < scenario.turns:
        yield from (_chunk({"content": f"word{number} "}) for number in range(scenario.texts))
        for index in range(scenario.calls):
            arguments = json.dumps({"x": f"turn{turn}-call{index}-" + "y" * max(8, scenario.fragments * 4)})
            yield from _call(index, f"call_{turn}_{index}", "echo", arguments, scenario.fragments)
        yield _chunk({}, "tool_calls")
    elif scenario.final_call:
        yield from _call(0, "call_final", "final_answer", '{"answer": "done"}', 1)
        yield _chunk({}, "tool_calls")
    else:
        yield from (_chunk({"content": f"done{number} "}) for number in range(max(1, scenario.texts)))
        yield _chunk({}, "stop")
    yield _chunk({}, None, _USAGE)
    yield b"data: [DONE]\n\n"


def _call(index: int, call_id: str, tool: str, arguments: str, fragments: int) -> Iterator[bytes]:
    start = {"index": index, "id": call_id, "type": "function", "function": {"name": tool, "arguments": ""}}
    yield _chunk({"tool_calls": [start]})
    step = max(1, -(-len(arguments) // fragments))
    for place in range(0, len(arguments), step):
        piece = {"index": index, "function": {"arguments": arguments[place : place + step]}}
        yield _chunk({"tool_calls": [piece]})


@contextmanager
def serving() -> Iterator[str]:
    """A server in a process of its own; gives its base URL."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.perf.sse_server"],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.communicate(timeout=5)


async def _main() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Server, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    gc.freeze()
    asyncio.run(_main())
