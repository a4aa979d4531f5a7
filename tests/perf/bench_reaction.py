"""How long a person waits for the first sign of life after Shift-Enter: from the request to the cell's first output, as
a front end sees it. A plain ``print`` in the same kernel shows what the kernel and the way to it take by themselves.
"""

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.kernel.front_end import FrontEnd, kernel_in
from tests.kernel.project import Project, says

KERNELS = 5
LATER = 5
GOAL_MS = 100.0


def figures() -> list[dict[str, Any]]:
    """The first request of a kernel, which imports nearly everything, and later ones; milliseconds."""
    measured = [_in_one_kernel() for _ in range(KERNELS)]
    first, later, floor = ([value for kernel in measured for value in kernel[part]] for part in range(3))
    return [_figure("first request: to first output, ms", first, floor), _figure("later ones, ms", later, floor)]


def _in_one_kernel() -> tuple[list[float], list[float], list[float]]:
    """The first request, later ones, and prints, all in one fresh kernel."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "project")
        folder.mkdir()
        project = Project(folder)
        with kernel_in(folder, env=project.env) as front_end:
            front_end.run("%load_ext tah_jupyter")
            front_end.run("print('warm')")
            cell = f"{project.script(says('hello'))}\nhello"
            first = [_until_first_output(front_end, cell)]
            later = [_until_first_output(front_end, cell) for _ in range(LATER)]
            return first, later, [_until_first_output(front_end, "print('here')") for _ in range(LATER)]


def _until_first_output(front_end: FrontEnd, code: str) -> float:
    """Milliseconds; waits for the end of the cell afterwards."""
    started = time.monotonic()
    ran = front_end.submit(code)
    front_end.until(lambda: ran.outputs)
    took = (time.monotonic() - started) * 1000
    front_end.until(lambda: ran.done)
    return took


def _figure(name: str, ours: list[float], floor: list[float]) -> dict[str, Any]:
    mine, theirs = statistics.median(ours), statistics.median(floor)
    return {
        "name": name,
        "ours": round(mine, 1),
        "reference": round(theirs, 1),
        "ratio": round(mine / theirs, 2),
        "goal": GOAL_MS,
        "ok": mine <= GOAL_MS,
    }
