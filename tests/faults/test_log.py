"""The session log under kill -9, cuts at every byte, a full disk and competing writers.

TAH_FAULTS=N multiplies the number of rounds.
"""

import os
import random
import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tah_jupyter.core.errors import LogError
from tah_jupyter.core.events import Notice, encode
from tah_jupyter.host.secrets.redact import Redactor
from tah_jupyter.runtime.bus import Bus, Emitter
from tah_jupyter.sessions.log import SessionLog
from tah_jupyter.sessions.reading import read_log
from tah_jupyter.sessions.recorder import SessionRecorder
from tests.support.victims import victims

TIMES = int(os.environ.get("TAH_FAULTS", "1"))


@pytest.fixture
def seed() -> int:
    seed = random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}")
    return seed


def test_a_writer_killed_at_any_point_loses_no_whole_record(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "log.jsonl"
    torn = 0
    with victims() as victim:
        for number in range(20 * TIMES):
            acknowledged = victim.order("kill_writer", path=str(path), seed=seed + number)["acknowledged"]
            log = SessionLog.open(path)  # the lease died with its holder
            torn += log.repaired is not None
            reading = log.read()
            log.close()
            assert reading.problems == []
            assert [event.text.partition(":")[0] for event in reading.events] == [*map(str, range(len(reading.events)))]
            assert acknowledged <= len(reading.events) <= acknowledged + 1
    aside = sorted(tmp_path.glob("log.torn-*"))
    assert len(aside) <= torn
    assert all(part.read_bytes().startswith(b'{"type":"notice"'[: part.stat().st_size]) for part in aside)


@pytest.mark.parametrize("text", ["short", "grün ⟨KEY⟩ \\ \n\t", "long" * 50])
def test_a_log_cut_at_any_byte_opens_and_goes_on(tmp_path: Path, text: str) -> None:
    path = tmp_path / "log.jsonl"
    log = SessionLog.open(path)
    log.append(encode(Notice(text="first")))
    keep = path.stat().st_size
    log.append(encode(Notice(text=text)))
    log.close()
    whole = path.read_bytes()
    for cut in range(len(whole) + 1):
        folder = tmp_path / str(cut)
        folder.mkdir()
        (folder / "log.jsonl").write_bytes(whole[:cut])
        log = SessionLog.open(folder / "log.jsonl")
        log.append(encode(Notice(text="next")))
        reading = log.read()
        log.close()
        assert reading.problems == []
        expected = ["first"] * (cut >= keep - 1) + [text] * (cut >= len(whole) - 1) + ["next"]
        assert [event.text for event in reading.events] == expected
        cut_off = b"".join(part.read_bytes() for part in folder.glob("log.torn-*"))
        assert whole[:cut] in ((folder / "log.jsonl").read_bytes()[:cut], whole[: cut - len(cut_off)] + cut_off)


@contextmanager
def small_disk(folder: Path) -> Iterator[Callable[[], None]]:
    """``folder`` can take 256 kB, until the function that is given is called: a tmpfs where we may mount one, else a
    limit on the size of a file.
    """
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        with file_limit() as lift:
            yield lift
        return
    filler = folder / "filler"
    filler.write_bytes(b"f" * 100_000)
    try:
        yield filler.unlink
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def file_limit() -> Iterator[Callable[[], None]]:
    """No file of this process can grow beyond 150 kB, until the function that is given is called."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, hard))
    try:
        yield lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def fill(log: SessionLog, size: int) -> tuple[int, LogError]:
    """Append records of ``size`` characters until one fails; returns how many were written, and the error."""
    for number in range(10_000):
        try:
            log.append(encode(Notice(text=f"{number}" + "x" * size)))
        except LogError as error:
            return number, error
    raise AssertionError("the disk never got full")


@pytest.mark.parametrize("size", [10, 1_000, 5_003, 60_000])
@pytest.mark.parametrize("full", ["disk", "file"])
def test_a_full_disk_tears_nothing_and_the_log_goes_on_when_space_returns(tmp_path: Path, size: int, full: str) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    path = folder / "log.jsonl"
    with small_disk(folder) if full == "disk" else file_limit() as free:
        log = SessionLog.open(path)
        written, error = fill(log, size)
        assert "cannot be written" in str(error)
        assert "Free space" in error.next_step
        for _ in range(3):  # and again, without harm
            with pytest.raises(LogError):
                log.append(encode(Notice(text="y" * 300_000)))
        data = path.read_bytes()
        assert data.endswith(b"\n")
        assert data.count(b"\n") == written + 1
        free()
        log.append(encode(Notice(text="after")))
        reading = log.read()
        log.close()
        assert reading.problems == []
        assert [len(event.text) > size for event in reading.events[:-1]] == [True] * written
        assert reading.events[-1].text == "after"


def test_a_log_cannot_be_made_on_a_full_disk_and_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    with file_limit() as free:
        resource.setrlimit(resource.RLIMIT_FSIZE, (5, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        with pytest.raises(LogError, match=r"cannot be opened|cannot be written"):
            SessionLog.open(folder / "log.jsonl")
        free()
        SessionLog.open(folder / "log.jsonl").close()
    assert read_log(folder / "log.jsonl").problems == []


def test_the_bus_shows_what_it_cannot_log_and_remembers_the_fault(tmp_path: Path) -> None:
    log = SessionLog.open(tmp_path / "log.jsonl")
    bus = Bus(SessionRecorder(log, Redactor({"K": "secret-value-77"})))
    shown = []
    bus.subscribe(shown.append)
    with file_limit() as free:
        for number in range(4):
            Emitter(bus).emit(Notice(text=f"{number} secret-value-77 " + "x" * 60_000))
        free()
        Emitter(bus).emit(Notice(text="after"))
    assert isinstance(bus.fault, LogError)
    assert [event.text[:6] for event in shown] == ["0 ⟨K⟩ ", "1 ⟨K⟩ ", "2 ⟨K⟩ ", "3 ⟨K⟩ ", "after"]
    assert [event.text[:5] for event in log.read().events] == ["0 ⟨K⟩", "1 ⟨K⟩", "after"]
    log.close()


def test_competing_writers_take_turns_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    names, count = ["a", "b", "c", "d", "e", "f"], 40 * TIMES
    with victims() as victim:
        assert victim.order("compete", path=str(path), names=names, count=count) == {"failed": 0}
    reading = read_log(path)
    assert reading.problems == []
    assert sorted(event.text for event in reading.events) == sorted(f"{n}.{i}" for n in names for i in range(count))
    assert not list(tmp_path.glob("log.torn-*"))
