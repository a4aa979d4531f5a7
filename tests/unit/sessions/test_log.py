import asyncio
import errno
import fcntl
import json
import os
import stat
import threading
from pathlib import Path

import anyio
import pytest

from tah_jupyter.core.errors import LogError
from tah_jupyter.core.events import Notice, encode
from tah_jupyter.sessions.lease import Holder
from tah_jupyter.sessions.log import SessionLog

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


def note(text: str) -> bytes:
    return encode(Notice(text=text))


def texts(log: SessionLog) -> list[str]:
    return [event.text for event in log.read().events]


def write(path: Path, *texts: str) -> None:
    log = SessionLog.open(path)
    for text in texts:
        log.append(note(text))
    log.close()


def test_a_new_log_begins_with_its_format_and_is_private(path: Path) -> None:
    write(path, "one", "two")
    lines = path.read_bytes().split(b"\n")
    assert lines == [b'{"format":1}', note("one"), note("two"), b""]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_reopening_keeps_what_is_there_and_goes_on(path: Path) -> None:
    write(path, "one")
    write(path, "two")
    log = SessionLog.open(path)
    assert texts(log) == ["one", "two"]
    assert log.repaired is None
    log.close()


def test_a_second_writer_is_told_who_holds_the_log(path: Path) -> None:
    log = SessionLog.open(path)
    with pytest.raises(LogError, match=rf"in use by this process \({os.getpid()}\)"):
        SessionLog.open(path)
    log.append(note("still mine"))
    assert texts(log) == ["still mine"]
    log.close()
    SessionLog.open(path).close()


def test_a_closed_log_says_so_and_closes_twice(path: Path) -> None:
    log = SessionLog.open(path)
    log.close()
    log.close()
    for use in (lambda: log.append(note("x")), log.read, log.sync_soon):
        with pytest.raises(LogError, match="is closed"):
            use()


def test_a_torn_last_line_is_moved_aside_byte_for_byte(path: Path) -> None:
    write(path, "one", "two")
    torn = note("three")[:-5]
    path.write_bytes(path.read_bytes() + torn)
    log = SessionLog.open(path)
    assert log.repaired is not None
    assert (log.repaired.kind, log.repaired.line) == ("torn", 4)
    log.append(note("four"))
    assert texts(log) == ["one", "two", "four"]
    log.close()
    assert path.with_name("log.torn-1").read_bytes() == torn


def test_each_torn_line_gets_its_own_file(path: Path) -> None:
    write(path)
    for number in (1, 2, 3):
        path.write_bytes(path.read_bytes() + b'{"type":"noti%d' % number)
        SessionLog.open(path).close()
        assert path.with_name(f"log.torn-{number}").read_bytes() == b'{"type":"noti%d' % number


def test_a_record_that_lacks_only_its_newline_is_kept(path: Path) -> None:
    write(path, "one")
    unknown = b'{"type":"of.the.future","x":1}'
    for record in (note("two"), unknown):
        path.write_bytes(path.read_bytes() + record)
        log = SessionLog.open(path)
        assert log.repaired is not None
        assert "complete" in log.repaired.text
        log.close()
    write(path, "three")
    assert path.read_bytes().split(b"\n")[1:] == [note("one"), note("two"), unknown, note("three"), b""]


def test_a_log_cut_inside_its_first_line_starts_again(path: Path) -> None:
    path.write_bytes(b'{"for')
    log = SessionLog.open(path)
    log.append(note("one"))
    assert texts(log) == ["one"]
    log.close()
    assert path.with_name("log.torn-1").read_bytes() == b'{"for'


def test_a_bad_line_in_the_middle_is_reported_and_kept(path: Path) -> None:
    write(path, "one")
    path.write_bytes(path.read_bytes() + b"\0\0 rubbish \xff\n")
    log = SessionLog.open(path)
    log.append(note("two"))
    reading = log.read()
    log.close()
    assert [event.text for event in reading.events] == ["one", "two"]
    assert [(problem.kind, problem.line) for problem in reading.problems] == [("unreadable", 3)]
    assert b"\0\0 rubbish \xff\n" in path.read_bytes()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"format":2}\n', "newer tah_jupyter .format 2; this version reads 1"),
        (b'{"format":"1"}\n', "is not a session log"),
        (b"name,value\n1,2\n", "is not a session log"),
        (b"\xff\xfe\n", "is not a session log"),
    ],
)
def test_what_is_not_a_log_of_ours_is_refused_and_untouched(path: Path, content: bytes, says: str) -> None:
    path.write_bytes(content)
    for _ in range(2):  # the lease was given back
        with pytest.raises(LogError, match=says):
            SessionLog.open(path)
    assert path.read_bytes() == content


def test_a_link_in_place_of_the_log_is_not_followed(path: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"")
    path.symlink_to(victim)
    with pytest.raises(LogError, match="cannot be opened"):
        SessionLog.open(path)
    assert victim.read_bytes() == b""


def test_a_missing_folder_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"cannot be opened \(No such file or directory\)"):
        SessionLog.open(tmp_path / "nowhere" / "log.jsonl")


def test_threads_may_append_at_the_same_time(path: Path) -> None:
    log = SessionLog.open(path)

    def work(number: int) -> None:
        for count in range(200):
            log.append(note(f"{number}.{count}" + "x" * 300))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    reading = log.read()
    log.close()
    assert not reading.problems
    assert len({event.text for event in reading.events}) == 800


def in_a_fork(act) -> int:
    """The exit status of a child that runs ``act``."""
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            status = act()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_after_a_fork_the_log_stays_the_parents(path: Path) -> None:
    log = SessionLog.open(path)

    def child() -> int:
        try:
            log.append(note("from the child"))
        except LogError:
            log.close()
            return 0
        return 1

    assert in_a_fork(child) == 0
    with pytest.raises(LogError, match="in use"):
        SessionLog.open(path)
    log.append(note("from the parent"))
    assert texts(log) == ["from the parent"]
    log.close()


@pytest.mark.anyio
async def test_sync_returns_when_the_records_are_on_the_disk(path: Path) -> None:
    log = await asyncio.to_thread(SessionLog.open, path)
    log.append(note("one"))
    log.sync_soon()
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        for _ in range(20):
            group.create_task(log.sync())
    await asyncio.to_thread(log.close)


@pytest.mark.anyio
async def test_a_cancelled_sync_disturbs_no_other(path: Path) -> None:
    log = await asyncio.to_thread(SessionLog.open, path)
    async with asyncio.timeout(20):
        for _ in range(20):
            cancelled = asyncio.get_running_loop().create_task(log.sync())
            waiting = asyncio.get_running_loop().create_task(log.sync())
            await asyncio.sleep(0)
            cancelled.cancel()
            await waiting
            with pytest.raises(asyncio.CancelledError):
                await cancelled
    await asyncio.to_thread(log.close)


@pytest.mark.anyio
async def test_many_syncs_share_rounds_and_an_unwatched_failure_reaches_the_next(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = await asyncio.to_thread(SessionLog.open, path)
    rounds, gate, begun, outcome = [], threading.Event(), threading.Event(), [OSError(errno.EIO, "Input/output error")]

    def fsync(fd: int) -> None:
        rounds.append(fd)
        begun.set()
        gate.wait(20)
        if outcome:
            raise outcome.pop()

    monkeypatch.setattr(os, "fsync", fsync)
    log.sync_soon()
    await asyncio.to_thread(begun.wait, 20)
    async with asyncio.timeout(20):
        results = asyncio.get_running_loop().create_task(settled([log.sync() for _ in range(50)]))
        await anyio.wait_all_tasks_blocked()
        gate.set()
        first = await results
        await log.sync()
    assert {type(result) for result in first} == {LogError}
    assert "Input/output error" in str(first[0])
    assert len(rounds) == 3
    await asyncio.to_thread(log.close)


async def settled(awaitables: list) -> list:
    results = []

    async def one(awaitable) -> None:
        try:
            results.append(await awaitable)
        except LogError as error:
            results.append(error)

    async with asyncio.TaskGroup() as group:
        for awaitable in awaitables:
            group.create_task(one(awaitable))
    return results


@pytest.fixture
def no_flock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system without locks, as some network homes are."""

    def flock(fd: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)


@pytest.mark.usefixtures("no_flock")
class TestWithoutFlock:
    def test_a_second_writer_is_refused_until_the_first_closes(self, path: Path) -> None:
        log = SessionLog.open(path)
        with pytest.raises(LogError, match="in use by this process"):
            SessionLog.open(path)
        log.close()
        write(path, "next")

    def test_the_lease_of_a_dead_process_is_taken_over(self, path: Path) -> None:
        def child() -> int:
            SessionLog.open(path).append(note("before the end"))
            return 0

        assert in_a_fork(child) == 0
        assert json.loads(path.with_name("log.lease.held").read_text())["pid"] != os.getpid()
        log = SessionLog.open(path)
        assert texts(log) == ["before the end"]
        log.close()

    def test_a_pid_that_was_given_to_another_process_holds_nothing(self, path: Path) -> None:
        me = Holder.me()
        path.with_name("log.lease.held").write_text(
            json.dumps({"pid": me.pid, "created": me.created - 100, "host": me.host})
        )
        write(path, "taken over")

    def test_a_writer_on_another_host_is_believed(self, path: Path) -> None:
        path.with_name("log.lease.held").write_text('{"pid": 7, "created": 1.0, "host": "node-12"}')
        with pytest.raises(LogError, match=r"process 7 on node-12.*delete .*log\.lease\.held"):
            SessionLog.open(path)

    def test_a_lease_file_that_says_nothing_is_replaced(self, path: Path) -> None:
        path.with_name("log.lease.held").write_bytes(b"\0\0")
        write(path, "one")
        assert sorted(item.name for item in path.parent.iterdir()) == ["log.jsonl", "log.lease"]


def test_a_lease_that_became_anothers_meanwhile_is_put_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between reading a dead holder's file and moving it away, a third writer was faster."""

    def flock(fd: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    held, rename = path.with_name("log.lease.held"), os.rename
    held.write_text(json.dumps({"pid": 999_999_999, "created": 1.0, "host": Holder.me().host}))
    theirs = b'{"pid": 8, "created": 2.0, "host": "node-3"}'

    def late_rename(old: Path, new: Path) -> None:
        held.write_bytes(theirs)
        rename(old, new)

    monkeypatch.setattr(fcntl, "flock", flock)
    monkeypatch.setattr(os, "rename", late_rename)
    with pytest.raises(LogError, match="process 8 on node-3"):
        SessionLog.open(path)
    assert held.read_bytes() == theirs


def test_another_failure_of_flock_is_reported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(fd: int, how: int) -> None:
        raise OSError(errno.EBADF, "Bad file descriptor")

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(LogError, match="cannot be opened"):
        SessionLog.open(path)
