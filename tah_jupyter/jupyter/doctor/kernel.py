"""Python, Jupyter's kernel, and whether a cell can be awaited in it."""

import asyncio
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from tah_jupyter.jupyter.doctor.finding import Check, Finding, Here
from tah_jupyter.jupyter.doctor.versions import version_of
from tah_jupyter.jupyter.place import short

__all__ = ["CHECKS"]


def _python(here: Here) -> Iterator[Finding]:
    yield here.find(
        "python", "good", "doctor_python_is", version=platform.python_version(), folder=short(Path(sys.prefix))
    )


def _jupyter(here: Here) -> Iterator[Finding]:
    ipython = version_of("IPython")
    if here.kernel is None:
        yield here.find("kernel", "good", "doctor_terminal", ipython=ipython)
        return
    subshells = (
        "doctor_subshells" if getattr(here.kernel, "_supports_kernel_subshells", False) else "doctor_no_subshells"
    )
    loop = type(asyncio.get_running_loop()).__name__ if _runs_in_loop() else here.words.say("none")
    yield here.find(
        "kernel",
        "good",
        "doctor_kernel_is",
        ipython=ipython,
        ipykernel=version_of("ipykernel"),
        subshells=here.words.say(subshells),
        loop=loop,
    )


def _autoawait(here: Here) -> Iterator[Finding]:
    if here.kernel is None:
        return
    shell = here.shell
    if shell.autoawait and shell.loop_runner is shell.loop_runner_map["asyncio"][0]:
        yield here.find("autoawait", "good", "doctor_autoawait_on")
    else:
        yield here.find("autoawait", "problem", "doctor_autoawait_off", "%autoawait asyncio")


def _runs_in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


CHECKS: tuple[Check, ...] = (_python, _jupyter, _autoawait)
