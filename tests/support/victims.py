"""Processes that write to a session log and are meant to be killed.

One parent is started once and forks a victim for each order, so that a test can kill hundreds of them in seconds.
"""

import json
import mmap
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from tah_jupyter.core.approvals import Headline
from tah_jupyter.core.calls import ToolCall
from tah_jupyter.core.errors import LogError
from tah_jupyter.core.events import (
    CallSealed,
    MessageFinished,
    MessageStarted,
    Notice,
    ProcessStarted,
    RunStarted,
    SessionOpened,
    ToolStarted,
    TurnStarted,
    encode,
)
from tah_jupyter.core.messages import CallPart
from tah_jupyter.host.secrets.redact import Redactor
from tah_jupyter.runtime.bus import Bus, Emitter
from tah_jupyter.sessions.log import SessionLog
from tah_jupyter.sessions.recorder import SessionRecorder

__all__ = ["Victims", "victims"]

MOST_RECORDS = 40
ROOT = Path(__file__).parents[2]


class Victims:
    """Sends orders to the parent of all victims and reads its answers."""

    def __init__(self, parent: "subprocess.Popen[str]") -> None:
        self._parent = parent

    def order(self, do: str, **args: Any) -> Any:
        """Have a victim do something, and return what became of it once it is dead."""
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.write(json.dumps({"do": do, **args}) + "\n")
        self._parent.stdin.flush()
        answer = self._parent.stdout.readline()
        assert answer, "the parent of the victims is gone; its last words are on stderr"
        return json.loads(answer)


@contextmanager
def victims() -> Iterator[Victims]:
    """Victims for as long as the block lasts."""
    command = [sys.executable, "-m", "tests.support.victims"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True, start_new_session=True) as parent:
        try:
            yield Victims(parent)
        finally:
            os.killpg(parent.pid, signal.SIGKILL)


def write_until_killed(path: str, shared: mmap.mmap, seed: int) -> None:
    """Append records of changing size; each one that is written is acknowledged in shared memory."""
    draw = random.Random(seed)
    log = SessionLog.open(path)
    number = len(log.read().events)
    shared[8:] = (number + 1).to_bytes(8, "little")
    for _ in range(MOST_RECORDS):
        log.append(encode(Notice(text=f"{number}:" + "x" * draw.choice([0, 50, 5_000, 300_000]))))
        number += 1
        shared[:8] = number.to_bytes(8, "little")
    signal.pause()


def run_command_until_killed(folder: str, ready: int) -> None:
    """What a run does up to the side effect of a command: every record, the sync before it, and the command."""
    log = SessionLog.open(Path(folder, "log.jsonl"))
    emit = Emitter(Bus(SessionRecorder(log, Redactor())), session="s", run=1, turn=1).emit
    script = "echo tag >> effects; sleep 600"
    call = ToolCall("c1", "execute_command", {"command": ["sh", "-c", script]})
    emit(SessionOpened(root=folder))
    emit(RunStarted(prompt="go"))
    emit(TurnStarted())
    emit(MessageStarted(message="m1"))
    emit(CallSealed(call="c1", message="m1", tool=call.tool, args=dict(call.args)))
    emit(MessageFinished(message="m1", calls=(CallPart("c1", call.tool, json.dumps(call.args)),), finish="calls"))
    emit(ToolStarted(call="c1", tool=call.tool, headline=Headline("Run", "sh")))
    os.fsync(os.open(log.path, os.O_RDONLY))
    told = script.replace("; ", "; echo done; exec >/dev/null; exec ")
    child = subprocess.Popen(["sh", "-c", told], cwd=folder, stdout=ready, start_new_session=True)
    emit(ProcessStarted(call="c1", pid=child.pid, created=psutil.Process(child.pid).create_time()))
    os.write(ready, b"recorded\n")
    child.wait()


def compete(path: str, name: str, count: int) -> None:
    """Append ``count`` records, taking the lease anew for each few of them."""
    number = 0
    while number < count:
        try:
            log = SessionLog.open(path)
        except LogError:
            os.sched_yield()
            continue
        for _ in range(min(5, count - number)):
            log.append(encode(Notice(text=f"{name}.{number}", code="y" * 2_000)))
            number += 1
        log.close()


def _fork(act: Any, *args: Any) -> int:
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            act(*args)
            status = 0
        finally:
            os._exit(status)
    return pid


def _kill_writer(path: str, seed: int) -> dict[str, int]:
    shared = mmap.mmap(-1, 16)
    draw = random.Random(seed)
    pid = _fork(write_until_killed, path, shared, seed)
    enough = draw.randrange(MOST_RECORDS)
    while not (first := int.from_bytes(shared[8:], "little")) or int.from_bytes(shared[:8], "little") < first + enough:
        assert os.waitpid(pid, os.WNOHANG) == (0, 0), "the writer failed; it has said why on stderr"
    for _ in range(draw.randrange(2_000)):
        pass
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return {"acknowledged": int.from_bytes(shared[:8], "little")}


def _kill_runner(folder: str) -> dict[str, int]:
    read, write = os.pipe()
    pid = _fork(run_command_until_killed, folder, write)
    os.close(write)
    with open(read) as ready:
        said = {ready.readline(), ready.readline()}
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert said == {"done\n", "recorded\n"}, said
    return {}


def _compete(path: str, names: list[str], count: int) -> dict[str, int]:
    pids = [_fork(compete, path, name, count) for name in names]
    return {"failed": sum(os.waitpid(pid, 0)[1] != 0 for pid in pids)}


def main() -> None:
    """Take orders from stdin, one JSON object a line, until it ends."""
    orders = {"kill_writer": _kill_writer, "kill_runner": _kill_runner, "compete": _compete}
    with suppress(KeyboardInterrupt):
        for line in sys.stdin:
            order = json.loads(line)
            print(json.dumps(orders[order.pop("do")](**order)), flush=True)


if __name__ == "__main__":
    main()
