"""Ending what a killed kernel left running, and nothing else."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

from tah_jupyter.host.processes.tree import MARK, Ending, end_survivors
from tests.support.bench import group_of, long_time, running

MARKED = {"PATH": os.environ["PATH"], MARK: "of-a-kernel-that-died"}


@contextmanager
def survivor(script: str, env: dict[str, str] = MARKED) -> Iterator[tuple[int, float]]:
    """A command as a dead kernel left it: ``(pid, created)``. It prints a line when it is ready."""
    child = subprocess.Popen(["sh", "-c", script], env=env, stdout=subprocess.PIPE, start_new_session=True)
    assert child.stdout is not None
    try:
        child.stdout.readline()
        yield child.pid, psutil.Process(child.pid).create_time()
    finally:
        for process in group_of(child.pid):
            process.kill()
        child.wait()
        child.stdout.close()


def test_a_survivor_and_all_it_started_are_ended() -> None:
    seconds = long_time()
    with survivor(f"sleep {seconds} & setsid sh -c 'echo ready; exec sleep {seconds}' & wait") as (pid, created):
        (ending,) = end_survivors([(pid, created)])
        assert running("sleep", seconds) == []
        assert group_of(pid) == []
        assert ending.alive == ()
        assert pid in {relic.pid for relic in ending.ended}
        assert [relic.escaped for relic in ending.ended].count(True) == 1


def test_one_that_ignores_term_is_killed() -> None:
    with survivor("trap '' TERM; echo ready; while :; do sleep 1; done") as (pid, created):
        end_survivors([(pid, created)])
        assert group_of(pid) == []


def test_what_is_left_of_a_group_without_its_leader_is_ended() -> None:
    seconds = long_time()
    with survivor(f"sleep {seconds} >/dev/null & echo ready; kill -9 $$") as (pid, created):
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        (ending,) = end_survivors([(pid, created)])
        assert running("sleep", seconds) == []
        assert (len(ending.ended), ending.alive) == (1, ())


@pytest.mark.parametrize("off_by_s", [-3600, 3600])
def test_a_number_that_was_used_again_is_left_alone(off_by_s: float) -> None:
    with survivor(f"echo ready; exec sleep {long_time()}", env={"PATH": os.environ["PATH"]}) as (pid, created):
        assert end_survivors([(pid, created + off_by_s)]) == [Ending()]
        assert psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_one_that_is_gone_is_no_error() -> None:
    child = subprocess.Popen(["true"])
    child.wait()
    assert end_survivors([(child.pid, 0.0), (2**22 + 1, 1.0)]) == [Ending(), Ending()]
