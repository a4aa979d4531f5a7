"""The session log against floors that do the same with nothing around it, in the same run.

    python -m tests.perf bench_log

TAH_BENCH_LOG_MB megabytes (20) of log are resumed; each figure is the best of five, on a warm page cache.
"""

import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tah_jupyter.core.approvals import Headline
from tah_jupyter.core.events import (
    CallSealed,
    Event,
    MessageFinished,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    encode,
)
from tah_jupyter.host.secrets.redact import Redactor
from tah_jupyter.sessions.log import SessionLog
from tah_jupyter.sessions.reading import read_log, read_tail
from tah_jupyter.sessions.recorder import SessionRecorder

MEGABYTES = int(os.environ.get("TAH_BENCH_LOG_MB", "20"))
EVENTS = 20_000
REPEATS = 5
EVENTS_PER_S = 100_000
RECORD_US = 10.0
PARSE_RATIO = 0.5
TAIL_MS = 10.0
KNOWN = {f"SERVICE_{number}_TOKEN": f"{number * 0x9E3779B97F4A7C15:032x}" for number in range(1, 6)}


def one_turn(turn: int) -> list[Event]:
    """The durable records of a turn with two calls, as a run makes them."""
    place: dict[str, Any] = {"session": "20261130-121300-000000-abcdef", "run": 3, "turn": turn, "ts": 1764504780.123}
    text = "src/load.py:12: def load(path): return open(path)\n"
    records: list[Event] = [TurnStarted(**place)]
    for call in (f"c{turn}.1", f"c{turn}.2"):
        records += [
            CallSealed(call=call, message=f"m{turn}", tool="grep", args={"pattern": "load", "path": "src"}, **place),
            ToolStarted(call=call, tool="grep", headline=Headline("Search", "load"), folds=True, **place),
            ToolFinished(call=call, tool="grep", text=text * 12, duration_ms=3.2, **place),
        ]
    return [*records, MessageFinished(message=f"m{turn}", text=text * 3, **place), TurnEnded(**place)]


def best(work: Callable[[], object]) -> float:
    """The shortest of some runs, in seconds."""
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def figures() -> list[dict[str, Any]]:
    """The figures of ``quality.md`` that the log answers for."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return [*_writing(folder), *_reading(folder)]


def _writing(folder: Path) -> list[dict[str, Any]]:
    events = [event for turn in range(EVENTS // 9) for event in one_turn(turn)]
    lines = [encode(event) for event in events]
    log = SessionLog.open(folder / "log.jsonl")
    recorder = SessionRecorder(log, Redactor(KNOWN))
    fd = os.open(folder / "floor", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def append() -> None:
        for line in lines:
            log.append(line)

    def floor() -> None:
        for line in lines:
            os.write(fd, line + b"\n")

    def record() -> None:
        for event in events:
            recorder.record(event, durable=True)

    def stream() -> None:
        for number in range(EVENTS):
            recorder.record(TextDelta(message=f"m{number // 500}", text="some more words "), durable=False)

    least, ours = best(floor) / len(lines), best(append) / len(lines)
    recorded, streamed = best(record) / len(events), best(stream) / EVENTS
    log.close()
    os.close(fd)
    return [
        _figure("log: appended events/s", 1 / ours, 1 / least, EVENTS_PER_S, 1 / ours >= EVENTS_PER_S),
        _figure("log: µs a recorded event", recorded * 1e6, least * 1e6, RECORD_US, recorded * 1e6 <= RECORD_US),
        _figure("log: µs a masked delta", streamed * 1e6, None, RECORD_US, streamed * 1e6 <= RECORD_US),
    ]


def _reading(folder: Path) -> list[dict[str, Any]]:
    path = folder / "resumed.jsonl"
    turn = b"".join(encode(event) + b"\n" for event in one_turn(7))
    path.write_bytes(b'{"format":1}\n' + turn * (MEGABYTES * 1_000_000 // len(turn)))

    def peer() -> list[Any]:
        return [json.loads(line) for line in path.read_bytes().splitlines()]

    ours, theirs, tail = best(lambda: read_log(path)), best(peer), best(lambda: read_tail(path))
    ratio = ours / theirs
    return [
        _figure(
            f"log: resume {MEGABYTES} MB, ms (json.loads)", ours * 1e3, theirs * 1e3, PARSE_RATIO, ratio <= PARSE_RATIO
        ),
        _figure("log: last turn, ms", tail * 1e3, None, TAIL_MS, tail * 1e3 <= TAIL_MS),
    ]


def _figure(name: str, ours: float, reference: float | None, goal: float, ok: bool) -> dict[str, Any]:
    ratio = None if reference is None else ours / reference
    return {"name": name, "ours": ours, "reference": reference, "ratio": ratio, "goal": goal, "ok": ok}
