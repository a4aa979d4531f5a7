"""Reported failures of other tools' event logs, each over all its variants."""

import base64
import json
import os
import signal
import traceback
from pathlib import Path
from urllib.parse import quote

import psutil
import pytest

from tah_jupyter.core.errors import LogError
from tah_jupyter.core.events import Notice, RunEnded, ToolFailed, ToolFinished, TurnEnded, encode
from tah_jupyter.host.secrets.redact import Redactor
from tah_jupyter.host.secrets.values import secrets_in
from tah_jupyter.runtime.bus import Bus, Emitter
from tah_jupyter.sessions.log import SessionLog
from tah_jupyter.sessions.reading import read_log
from tah_jupyter.sessions.recorder import SessionRecorder
from tah_jupyter.sessions.replay import close_brackets, survivors
from tests.faults.test_log import small_disk
from tests.support.lookalikes import BENIGN
from tests.support.victims import victims


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


TORN = [
    encode(Notice(text="the record that was cut"))[:-7],
    b"{",
    b'{"type":"notice","text":"gr\xc3',  # inside a character
    b"\0" * 4096,  # what some file systems leave after a power cut
    b"x" * 200_000,
]


@pytest.mark.case("LOG-02")
@pytest.mark.parametrize("torn", TORN, ids=["record", "brace", "character", "zeros", "long"])
@pytest.mark.parametrize("rounds", [1, 3])
def test_the_next_record_never_fuses_with_a_torn_one(path: Path, torn: bytes, rounds: int) -> None:
    for number in range(rounds):
        log = SessionLog.open(path)
        log.append(encode(Notice(text=f"whole {number}")))
        log.close()
        with path.open("ab") as file:
            file.write(torn)
    log = SessionLog.open(path)
    log.append(encode(Notice(text="after")))
    log.close()
    reading = read_log(path)
    assert [event.text for event in reading.events] == [*(f"whole {number}" for number in range(rounds)), "after"]
    assert reading.problems == []
    kept = [path.with_name(f"log.torn-{number}").read_bytes() for number in range(1, rounds + 1)]
    assert kept == [torn] * rounds


@pytest.mark.case("LOG-05")
def test_a_full_disk_costs_no_record_and_no_file_of_the_person(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    shown: list[str] = []
    with small_disk(folder) as free:
        (folder / "mine.py").write_text("x = 1\n" * 100)
        log = SessionLog.open(folder / "log.jsonl")
        bus = Bus(SessionRecorder(log, Redactor()))
        bus.subscribe(lambda event: shown.append(event.text[:8]))
        emit = Emitter(bus).emit
        for number in range(40):
            emit(Notice(text=f"{number:08}" + "x" * 9_001))
        assert isinstance(bus.fault, LogError)  # what the run is stopped with, once
        assert "Free space" in str(bus.fault)
        free()
        emit(Notice(text="after   "))
        log.close()
        reading = read_log(folder / "log.jsonl")
        assert (folder / "mine.py").read_text() == "x = 1\n" * 100
    assert reading.problems == []
    assert shown == [*(f"{number:08}" for number in range(40)), "after   "]
    logged = [event.text[:8] for event in reading.events]
    assert logged == [*shown[: len(logged) - 1], "after   "]
    assert 5 < len(logged) < 40


@pytest.mark.case("LOG-07")
def test_nothing_benign_is_masked_in_the_record_and_nothing_at_all_in_the_file(path: Path, tmp_path: Path) -> None:
    key = "aB3dE5fG7hI9jK1l"
    source = tmp_path / "settings.py"
    source.write_text(f'KEY = "{key}"\nURL = "https://x/?k=${{API_KEY}}"\n')
    log = SessionLog.open(path)
    recorder = SessionRecorder(log, Redactor(secrets_in({"API_KEY": key})))
    texts = [*BENIGN, source.read_text()]
    for text in texts:
        recorder.record(ToolFinished(call="c", tool="read_file", text=text), durable=True)
    stored = [event.text for event in log.read().events]
    log.close()
    assert len(BENIGN) >= 200
    assert stored[:-1] == BENIGN
    assert stored[-1] == 'KEY = "⟨API_KEY⟩"\nURL = "https://x/?k=${API_KEY}"\n'
    assert key in source.read_text()


ROUNDS = 50


@pytest.mark.case("LOG-10")
def test_a_side_effect_that_a_crash_interrupted_never_happens_twice(tmp_path: Path) -> None:
    with victims() as victim:
        for number in range(ROUNDS):
            folder = tmp_path / str(number)
            folder.mkdir()
            victim.order("kill_runner", folder=str(folder))
            log = SessionLog.open(folder / "log.jsonl")
            events = log.read().events
            living = survivors(events)
            for pid, created in living:
                assert psutil.Process(pid).create_time() == created
                os.kill(pid, signal.SIGKILL)
            for end in close_brackets(events):
                log.append(encode(end))
            reading = log.read()
            log.close()
            assert len(living) == 1
            assert [(type(end), getattr(end, "error", "")) for end in reading.events[len(events) :]] == [
                (ToolFailed, "unknown_after_crash"),
                (TurnEnded, ""),
                (RunEnded, "The kernel ended during this run."),
            ]
            assert close_brackets(reading.events) == []
            assert (folder / "effects").read_text() == "tag\n"


class Refused(Exception):
    """An answer of a provider that repeats the key it was sent."""


KEY = "sk-live/9f8e7d6c5b4a+pQ=="
ECHOES = {
    "plain": f"401: Incorrect API key provided: {KEY}.",
    "url": f"404 for https://api.example.org/v1/models?key={quote(KEY, safe='')}",
    "user information": f"cannot reach https://user:{quote(KEY, safe='')}@proxy:8080",
    "json": json.dumps({"error": {"message": f"bad key {KEY}"}}),
    "json in json": json.dumps({"body": json.dumps({"key": KEY})}),
    "header": f"Illegal header value b'Bearer {KEY}\\n'",
    "basic": "Authorization: Basic " + base64.b64encode(f"user:{KEY}".encode()).decode(),
    "repr": repr({"api_key": KEY}),
}


def forms(key: str) -> list[str]:
    return [key, quote(key), quote(key, safe=""), base64.b64encode(key.encode()).decode()[:-4]]


@pytest.mark.case("LOG-11")
@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES)
@pytest.mark.parametrize("value", [KEY, f"{KEY}\n"], ids=["clean", "trailing newline"])
def test_a_key_that_an_error_echoes_reaches_no_log_display_or_traceback(path: Path, echo: str, value: str) -> None:
    redactor = Redactor(secrets_in({"PROVIDER_API_KEY": value}))
    log = SessionLog.open(path)
    shown = []
    bus = Bus(SessionRecorder(log, redactor))
    bus.subscribe(shown.append)
    try:
        try:
            raise ConnectionError(echo)
        except ConnectionError as cause:
            raise Refused({"body": [echo]}) from cause
    except Refused as error:
        written = "".join(traceback.format_exception(redactor.scrub_exception(error)))
    Emitter(bus).emit(RunEnded(reason="model_error", error=echo, next_step=echo))
    Emitter(bus).emit(ToolFailed(call="c", tool="t", error="Error", text=echo))
    log.close()
    where = written + path.read_text() + "".join(map(str, shown))
    assert [form for form in forms(KEY) if form in where] == []
    assert where.count("⟨") >= 5


@pytest.mark.case("LOG-12")
def test_records_of_parallel_writers_are_all_there_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    names = [f"agent{number}" for number in range(4)]
    with victims() as victim:
        assert victim.order("compete", path=str(path), names=names, count=30) == {"failed": 0}
    lines = path.read_bytes().split(b"\n")
    assert lines[-1] == b""
    records = [json.loads(line) for line in lines[1:-1]]
    assert sorted(record["text"] for record in records) == sorted(f"{n}.{i}" for n in names for i in range(30))


@pytest.mark.case("LOG-12")
def test_a_record_and_its_newline_are_one_write(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = SessionLog.open(path)
    writes, write = [], os.write
    monkeypatch.setattr(os, "write", lambda fd, data: writes.append(data) or write(fd, data))
    for number in range(3):
        log.append(encode(Notice(text=str(number))))
    log.close()
    assert writes == [encode(Notice(text=str(number))) + b"\n" for number in range(3)]
