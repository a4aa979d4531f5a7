"""Finding and ending everything a command started.

A process can leave its parent's group (``setsid``) and its parent's tree (a double fork), so three traces are followed:
the process group, the descendants as the system lists them before anything is ended, and a mark in the environment
that children inherit. A process that drops all three cannot be found; only a PID namespace would hold it.

Everything here blocks and is meant for a thread: once begun, an ending goes on to its end whatever becomes of the
loop that asked for it.
"""

import os
import signal
import time
from collections.abc import Iterable

import msgspec
import psutil

__all__ = ["MARK", "Ending", "Relic", "Tree", "end_survivors"]

MARK = "TAH_PROCESS"
"""The environment variable that marks a command and whatever it starts."""

TERM_GRACE_S = 1.0
"""How long a process may take to end after TERM before it is killed (seconds)."""

CLOCK_SLACK_S = 1.0
"""Two readings of one start time may differ by this much (seconds), when the system clock was set in between."""

_POLL_S = 0.01
_EXEC_LOOKS = 5
_KILL_ROUNDS = 3
_KILL_WAIT_S = 0.25


class Relic(msgspec.Struct, frozen=True):
    """A process that belonged to a command. ``escaped`` says that it had left the command's process group."""

    pid: int
    name: str
    escaped: bool

    def __str__(self) -> str:
        return f"{self.name} (pid {self.pid})"


class Ending(msgspec.Struct, frozen=True):
    """What became of what a command had started: ``ended`` is gone, ``alive`` still runs. The command's own process is
    not listed.
    """

    ended: tuple[Relic, ...] = ()
    alive: tuple[Relic, ...] = ()


Found = dict[psutil.Process, Relic]


class Tree(msgspec.Struct, frozen=True):
    """A command's process, which leads its own group, and all it started. ``created`` is the start time of ``pid`` in
    seconds since the epoch, ``mark`` the value of :data:`MARK`.
    """

    pid: int
    created: float
    mark: str = ""

    def find(self) -> Found:
        """All of it that runs now."""
        found: Found = {}
        unclear = self._look(psutil.pids(), found)
        for _ in range(_EXEC_LOOKS):
            if not unclear:
                break
            time.sleep(_POLL_S)
            unclear = self._look(unclear, found)
        return found

    def _look(self, pids: Iterable[int], found: Found) -> list[int]:
        """Add to ``found`` what is ours of ``pids``. Returns what is not clear yet: in the moment in which it becomes
        another program a process has no environment, and no mark in it.
        """
        reused, descendants = self._read_leader()
        unclear = []
        for pid in pids:
            try:
                process = psutil.Process(pid)  # a fresh one: its name may have changed since it was forked
                in_group = not reused and os.getpgid(pid) == self.pid
                marked = in_group or process in descendants or self._marks(process)
                if marked is None:
                    unclear.append(pid)
                elif marked and _runs(process):
                    found[process] = Relic(pid, process.name(), escaped=not in_group)
            except (psutil.Error, OSError):  # it is gone, or another user's and not ours to judge
                continue
        return unclear

    def signal(self, number: int) -> None:
        """Send a signal to all of it."""
        self._send(self.find(), number)

    def signal_group(self, number: int) -> None:
        """Send a signal to the group, at once. Only while the group is known to exist: its leader is not reaped, or a
        member was just found; else the number may be another's by now.
        """
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):  # all gone, or become another user's
            return

    def end(self, grace_s: float = TERM_GRACE_S, *, spare_escaped: bool = False) -> Ending:
        """TERM, then KILL what is left after ``grace_s`` seconds; returns within ``grace_s`` + 1 s. With
        ``spare_escaped`` only the group is ended, and those that left it are named as alive.
        """

        seen: Found = {}
        for number, limit_s in ((signal.SIGTERM, grace_s), *[(signal.SIGKILL, _KILL_WAIT_S)] * _KILL_ROUNDS):
            seen |= self.find()  # again each time, for what was started or left the group while the others ended
            left = {p: relic for p, relic in seen.items() if _runs(p) and not (relic.escaped and spare_escaped)}
            if not left:
                break
            self._send(left, number)
            _wait_until_gone(left, limit_s)
        others = [(process, relic) for process, relic in seen.items() if process.pid != self.pid]
        return Ending(
            ended=tuple(relic for process, relic in others if not _runs(process)),
            alive=tuple(relic for process, relic in others if _runs(process)),
        )

    def _send(self, found: Found, number: int) -> None:
        if not all(relic.escaped for relic in found.values()):
            self.signal_group(number)
        for process, relic in found.items():
            if relic.escaped:
                _send(process, number)

    def _read_leader(self) -> tuple[bool, set[psutil.Process]]:
        """Whether the number is another process's by now, and what descends from ours."""
        try:
            leader = psutil.Process(self.pid)
            if abs(leader.create_time() - self.created) > CLOCK_SLACK_S:
                return True, set()
            return False, {leader, *leader.children(recursive=True)}
        except psutil.Error:  # it is gone; as long as its group lives, no other process gets its number
            return False, set()

    def _marks(self, process: psutil.Process) -> bool | None:
        """Whether it carries our mark; None when it has no environment and could be ours by its age."""
        if not self.mark:
            return False
        environ = process.environ()
        if environ or process.create_time() < self.created - CLOCK_SLACK_S:
            return environ.get(MARK) == self.mark
        return None


def end_survivors(processes: Iterable[tuple[int, float]]) -> list[Ending]:
    """End what outlived a kernel that was killed, given ``(pid, created)`` of the commands it had started.

    A process is touched only when both its number and its start time match, so a number that was used again is safe.
    One :class:`Ending` for each, in order, which here lists the command's own process too. Blocking.
    """
    return [_end_survivor(pid, created) for pid, created in processes]


def _end_survivor(pid: int, created: float) -> Ending:
    found = Tree(pid, created).find()
    marks = {mark for process in found if (mark := _mark_of(process))}
    tree = Tree(pid, created, mark=marks.pop() if len(marks) == 1 else "")
    own = [relic for process, relic in found.items() if process.pid == pid]
    if not found or not (own or tree.mark):  # a group without its leader and without our mark is not known to be ours
        return Ending()
    ending = tree.end()
    still = [relic for relic in own if psutil.pid_exists(relic.pid) and _runs(psutil.Process(relic.pid))]
    return Ending(ended=(*(relic for relic in own if relic not in still), *ending.ended), alive=(*still, *ending.alive))


def _mark_of(process: psutil.Process) -> str:
    try:
        return process.environ().get(MARK, "")
    except psutil.Error:
        return ""


def _send(process: psutil.Process, number: int) -> None:
    try:
        process.send_signal(number)
    except psutil.Error:  # gone, or another user's: it is named as alive
        return


def _runs(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running()) and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _wait_until_gone(processes: Iterable[psutil.Process], limit_s: float) -> None:
    deadline = time.monotonic() + limit_s
    while any(_runs(process) for process in processes) and time.monotonic() < deadline:
        time.sleep(_POLL_S)
