"""The kernel tests in older kernels: makes an environment for each in .matrix/, runs there what must hold everywhere,
and prints what worked and how long it took, in seconds. `make matrix`, or `make matrix ARGS="7.3 colab"` for some.

The front end runs in .venv as ever; only the kernel is another. Exits with 1 when anything failed.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PLACE = ROOT / ".matrix"
PYPROJECT = ROOT / "pyproject.toml"
LOCK = ROOT / "requirements" / "run.txt"
TESTS = ("tests/kernel/test_matrix.py", "tests/kernel/test_background.py")
AT_ONCE = 2
LIMIT_S = 900

COLUMNS = ("click", "reload", "interrupt", "input()", "denial", "main job")
ROWS = {
    "subshell": ("click", "reload", "interrupt"),
    "plain": ("click", "reload", "interrupt", "main job"),
    "no widgets": ("input()", "interrupt"),
    "nobody": ("denial",),
}
VERSIONS = "import IPython, ipykernel, sys; print(ipykernel.__version__, IPython.__version__, *sys.version_info[:2])"


class Kernel(NamedTuple):
    """An environment: its Python (empty for that of .venv) and what it pins; all else is as in requirements/run.txt."""

    name: str
    pins: tuple[str, ...]
    python: str = ""


KERNELS = (
    Kernel("7.4", ("ipykernel==7.4.*",)),
    Kernel("7.3", ("ipykernel==7.3.*",)),
    Kernel("7.0", ("ipykernel==7.0.1",)),
    Kernel("6.31", ("ipykernel==6.31.*",)),
    Kernel("colab", ("ipykernel==6.17.1", "ipython==7.34.0", "jupyter-client==7.4.9", "tornado==6.5.1"), "3.12"),
)


class Ran(NamedTuple):
    """What one environment did: seconds by front end and deed, and the tests that failed."""

    seconds: dict[tuple[str, str], str]
    failed: list[str]
    versions: str


def uv(*arguments: str) -> str:
    """Run uv, which downloads packages and never a Python; what it prints."""
    command = [sys.executable, "-m", "uv", *arguments]
    environ = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"uv {' '.join(arguments)} failed:\n{done.stderr}")
    return done.stdout.strip()


def find_python(version: str) -> str:
    """A Python of this version that is installed, also where pyenv keeps it."""
    if not version:
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    kept = sorted(pyenv.glob(f"versions/{version}.*/bin/python"))
    return str(kept[-1]) if kept else uv("python", "find", version)


def constraints(kernel: Kernel) -> str:
    """The versions of requirements/run.txt, save those that the kernel pins and those that hang together with them."""
    pinned = {re.split(r"[=<>]", pin)[0] for pin in kernel.pins}
    lines = [line.rstrip("\\ ") for line in LOCK.read_text().splitlines() if "==" in line and not line.startswith(" ")]
    return "\n".join(line for line in lines if line.split("==")[0] not in pinned)


def environment(kernel: Kernel) -> Path:
    """The Python of the kernel's environment, made when it is not there or not as it should be."""
    folder = PLACE / kernel.name
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    limits = constraints(kernel)
    wanted = hashlib.sha256(f"{kernel}{limits}{PYPROJECT.read_text()}{ROOT}".encode()).hexdigest()
    stamp = folder / ".installed"
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    PLACE.mkdir(exist_ok=True)
    limits_file = PLACE / f"{kernel.name}.txt"
    limits_file.write_text(limits)
    uv("venv", "--quiet", "--clear", "--python", find_python(kernel.python), str(folder))
    uv(
        *("pip", "install", "--quiet", "--python", str(python), "--constraint", str(limits_file)),
        *("--requirement", str(PYPROJECT), *kernel.pins),
    )
    site = subprocess.check_output([python, "-c", "import site; print(site.getsitepackages()[0])"], text=True).strip()
    Path(site, "tah_jupyter.pth").write_text(
        f"{ROOT}\n"
    )  # the package as it stands here, as an editable install has it
    stamp.write_text(wanted)
    return python


def run(kernel: Kernel) -> Ran:
    """Run the tests against one environment."""
    python = environment(kernel)
    ipykernel, ipython, *version = subprocess.check_output([python, "-c", VERSIONS], text=True).split()
    report = PLACE / f"{kernel.name}.xml"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", *TESTS]
    command += [f"--junitxml={report}", "-o", "junit_family=xunit1"]  # the form that can hold how long something took
    environ = {**os.environ, "KERNEL_PYTHON": str(python)}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
        said = done.stdout
    except subprocess.TimeoutExpired:
        said = f"not done after {LIMIT_S} s"
    (PLACE / f"{kernel.name}.log").write_text(said)
    versions = f"ipykernel {ipykernel} · IPython {ipython} · Python {'.'.join(version)}"
    if not report.exists():
        return Ran({}, [f"no test ran: {said[-2000:]}"], versions)
    return Ran(*read(report), versions)


def read(report: Path) -> tuple[dict[tuple[str, str], str], list[str]]:
    """The times and the failures in pytest's report."""
    seconds: dict[tuple[str, str], str] = {}
    failed = []
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - our own
        for timed in case.iter("property"):
            front_end, deed, took = json.loads(timed.get("value", ""))
            seconds[front_end, deed] = f"{took:.2f}"
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(case.get("name", ""))
    return seconds, failed


def table(ran: Ran) -> str:
    """A row a front end, a column a deed: seconds, FAILED, or a dash where there is nothing to do."""
    lines = [ran.versions]
    for front_end, deeds in ROWS.items():
        cells = [ran.seconds.get((front_end, deed), "FAILED") if deed in deeds else "-" for deed in COLUMNS]
        lines.append("".join([f"  {front_end:<12}", *(f"{cell:>11}" for cell in cells)]))
    return "\n".join([*lines, *(f"  failed: {test}" for test in ran.failed)])


def main(names: list[str]) -> int:
    """Run the named kernels, or all; the exit code."""
    unknown = set(names) - {kernel.name for kernel in KERNELS}
    if unknown:
        print(f"No kernel {', '.join(sorted(unknown))}. There are: {', '.join(kernel.name for kernel in KERNELS)}.")
        return 2
    chosen = [kernel for kernel in KERNELS if kernel.name in names or not names]
    print("".join([f"{'seconds':<14}", *(f"{column:>11}" for column in COLUMNS)]), flush=True)
    failed = 0
    with ThreadPoolExecutor(AT_ONCE) as at_once:
        for ran in at_once.map(run, chosen):
            print(table(ran), flush=True)
            failed += len(ran.failed)
    print(f"{len(chosen)} kernels, {failed} failures. What pytest said: {PLACE.name}/*.log")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
