"""Commands under faults: a kernel that is killed, floods, processes that flee. (quality.md §2, item 4)"""

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import anyio
import psutil
import pytest

from tah_jupyter.host.processes.process import start
from tests.support.bench import group_of, long_time, running

ENV = {"PATH": os.environ["PATH"]}
RUNS = int(os.environ.get("TAH_FAULT_RUNS", "12"))
LIMIT_S = 10

KERNEL = """
import json, multiprocessing, os, sys, anyio
from tah_jupyter.host.processes.process import start

def sink(chunk):
    sys.stdout.buffer.write(chunk)
    sys.stdout.flush()

async def main():
    async with start(json.loads(sys.argv[1]), cwd="/", env=dict(os.environ), output=sink) as child:
        if sys.argv[2] == "fork":
            multiprocessing.get_context("fork").Process(target=anyio.run, args=(anyio.sleep, 600)).start()
        print(child.pid, child.created, flush=True)
        await child.wait()

anyio.run(main)
"""


def kernel(script: str, *, fork: bool = False) -> "tuple[subprocess.Popen[str], int]":
    """A process that runs ``sh -c script`` as a kernel does; returns it and the command's pid, once both speak."""
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", KERNEL, json.dumps(["sh", "-c", script]), "fork" if fork else "-"],
        env={**os.environ, "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline(), process.stdout.readline()]
    return process, next(int(line.split()[0]) for line in lines if line != "ready\n")


def wait_for_the_end(processes: list[psutil.Process]) -> None:
    assert psutil.wait_procs(processes, timeout=LIMIT_S)[1] == []


@pytest.mark.parametrize("script", ["echo ready; exec sleep {0}", "trap '' TERM; echo ready; sleep {0} & sleep {0}"])
@pytest.mark.parametrize("fork", [False, True], ids=["alone", "beside a forked worker"])
def test_a_command_dies_with_the_kernel_that_is_killed(script: str, fork: bool) -> None:
    process, pid = kernel(script.format(long_time()), fork=fork)
    try:
        members = group_of(pid)
        assert members
        process.kill()
        process.wait()
        wait_for_the_end(members)
    finally:
        end_everything(process, pid)


@pytest.mark.parametrize("number", [2, 15])
def test_a_command_dies_with_the_kernel_that_is_told_to_end(number: int) -> None:
    process, pid = kernel(f"trap '' TERM INT; echo ready; sleep {long_time()}; sleep {long_time()}")
    try:
        members = group_of(pid)
        process.send_signal(number)
        process.wait(LIMIT_S)
        wait_for_the_end(members)
    finally:
        end_everything(process, pid)


def end_everything(process: "subprocess.Popen[str]", pid: int) -> None:
    for left in [*group_of(pid), *group_of(process.pid)]:
        left.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


@pytest.mark.anyio
async def test_a_flood_leaves_the_memory_flat(tmp_path: Path) -> None:
    taken = 0

    def sink(chunk: bytes) -> None:
        nonlocal taken
        taken += len(chunk)

    before = psutil.Process().memory_info().rss
    async with start(["yes"], cwd=tmp_path, env=ENV, output=sink) as child:
        with anyio.move_on_after(1):
            await child.wait()
        grown = psutil.Process().memory_info().rss - before
    assert taken > 10_000_000
    assert grown < 20_000_000


@pytest.mark.anyio
async def test_whatever_it_does_it_is_over_in_time_and_its_group_is_empty(tmp_path: Path) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    dice = random.Random(seed)
    habits = [
        "trap '' TERM",
        "trap '' INT HUP",
        "yes &",
        "sleep {0} &",
        "setsid sleep {0} &",
        "(setsid sleep {0} &)",
        "nohup sleep {0} >/dev/null 2>&1 &",
        "sh -c 'trap \"\" TERM; sleep {0}; sleep {0}' &",
        "exec >/dev/null 2>&1",
        "kill -STOP $$",
    ]
    for _ in range(RUNS):
        seconds, grace_s = long_time(), dice.choice((0.0, 0.1, 0.3))
        script = "\n".join(dice.sample(habits, dice.randint(1, 4))).format(seconds) + f"\nsleep {seconds}"
        async with start(["sh", "-c", script], cwd=tmp_path, env=ENV, output=len) as child:
            with anyio.move_on_after(dice.random() * 0.2):
                await child.wait()
            began = time.monotonic()
            ending = await child.end_tree(grace_s)
            assert time.monotonic() - began < grace_s + 2, script
        assert ending.alive == (), script
        assert group_of(child.pid) == [], script
        assert running("sleep", seconds) == [], script
