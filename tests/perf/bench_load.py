"""What ``%load_ext tah_jupyter`` costs in a running kernel, beside an extension that does next to nothing.

Each measurement is a fresh kernel; figures are medians. CPU time is that of the process, memory its private memory
(USS).
"""

import compileall
import json
import statistics
import tempfile
from pathlib import Path
from typing import Any

from tests.kernel.front_end import FrontEnd, kernel_in

__all__ = ["figures"]

PACKAGE = Path(__file__).parents[2] / "tah_jupyter"
ROUNDS = 5
GOAL_CPU_MS = 10.0
GOAL_MB = 1.0
HEAVY = ("litellm", "openai", "mcp", "playwright", "pydantic", "anywidget", "ipywidgets", "httpx", "anyio")

MINIMAL = "def load_ipython_extension(ip):\n    ip.register_magic_function(lambda line: None, 'line', 'minimal')\n"

MEASURE = """
import gc, json, psutil, sys, threading, time
ip, me = get_ipython(), psutil.Process()
ip.run_line_magic("load_ext", "storemagic")
gc.collect()
threads, sockets, memory, cpu = threading.active_count(), len(me.net_connections()), me.memory_full_info().uss, time.process_time()
ip.run_line_magic("load_ext", NAME)
cpu = time.process_time() - cpu
gc.collect()
print("FIGURES" + json.dumps({
    "cpu_ms": cpu * 1e3,
    "mb": (me.memory_full_info().uss - memory) / 1e6,
    "threads": threading.active_count() - threads,
    "sockets": len(me.net_connections()) - sockets,
    "heavy": [name for name in HEAVY if name in sys.modules],
}))
"""  # noqa: E501 - a line of code that runs in the kernel


def _measured(folder: Path, name: str) -> dict[str, Any]:
    with kernel_in(folder) as front_end:
        return _figures_of(front_end, name)


def _figures_of(front_end: FrontEnd, name: str) -> dict[str, Any]:
    ran = front_end.run(MEASURE.replace("NAME", repr(name)).replace("HEAVY", repr(HEAVY)))
    found: dict[str, Any] = json.loads(ran.text.rpartition("FIGURES")[2])
    return found


def figures() -> list[dict[str, Any]]:
    """CPU and memory of loading, and what it must not bring in or start."""
    compileall.compile_dir(PACKAGE, quiet=1)  # an installed package is read from byte code
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "minimal_extension.py").write_text(MINIMAL)
        ours = [_measured(folder, "tah_jupyter") for _ in range(ROUNDS)]
        floor = [_measured(folder, "minimal_extension") for _ in range(ROUNDS)]
    unwanted = sum(len(each["heavy"]) + each["threads"] + each["sockets"] for each in ours)
    return [
        _figure("%load_ext, CPU ms", ours, floor, "cpu_ms", GOAL_CPU_MS),
        _figure("%load_ext, memory MB", ours, floor, "mb", GOAL_MB),
        {
            "name": "%load_ext, heavy modules, threads, sockets",
            "ours": float(unwanted),
            "reference": 0.0,
            "ratio": None,
            "goal": 0.0,
            "ok": unwanted == 0,
        },
    ]


def _figure(
    name: str, ours: list[dict[str, Any]], floor: list[dict[str, Any]], key: str, goal: float
) -> dict[str, Any]:
    mine, theirs = (statistics.median(each[key] for each in runs) for runs in (ours, floor))
    return {
        "name": name,
        "ours": round(mine, 2),
        "reference": round(theirs, 2),
        "ratio": round(mine / theirs, 2) if theirs > 0 else None,
        "goal": goal,
        "ok": mine <= goal,
    }
