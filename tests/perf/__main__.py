"""All figures against their goals: ``python -m tests.perf [BENCH…]`` prints one line each and writes ``perf.json``.

A file ``bench_NAME.py`` offers ``figures() -> list[dict]`` with ``name``, ``ours``, ``reference``, ``ratio``, ``goal``
and ``ok``. Each runs in an interpreter of its own, so that none pays for what another imported. Exits with 1 when a
benchmark could not run; a figure that falls short is printed as SHORT and is no failure.
"""

import importlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
REPORT = ROOT / "perf.json"
COLUMNS = ("name", "ours", "reference", "ratio", "goal")
LIMIT_S = 900

Figure = dict[str, Any]


def run_one(name: str, report: Path) -> None:
    """Run one benchmark in this process and leave its figures in ``report``."""
    figures: list[Figure] = importlib.import_module(f"tests.perf.{name}").figures()
    report.write_text(json.dumps(figures))


def figures_of(name: str) -> list[Figure] | None:
    """The figures of one benchmark, measured in a fresh interpreter; None when it failed, which it has then said."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "figures.json")
        command = [sys.executable, "-m", "tests.perf", "--one", name, str(report)]
        try:
            done = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, timeout=LIMIT_S, check=False)
        except subprocess.TimeoutExpired:
            print(f"{name}: not done after {LIMIT_S} s", file=sys.stderr)
            return None
        if done.returncode or not report.exists():
            print(f"{name}: failed with exit {done.returncode}", file=sys.stderr)
            return None
        figures: list[Figure] = json.loads(report.read_text())
        return figures


def line(figure: Figure) -> str:
    """One figure as it is printed."""
    cells = [_shown(figure.get(column)) for column in COLUMNS]
    return "  ".join([cells[0].ljust(44), *(cell.rjust(14) for cell in cells[1:]), "ok" if figure["ok"] else "SHORT"])


def _shown(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return str(value)


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all; returns the exit code."""
    names = [name.removesuffix(".py") for name in names] or sorted(path.stem for path in HERE.glob("bench_*.py"))
    if not names:
        print("There is no bench_*.py in tests/perf.", file=sys.stderr)
        return 1
    print(line({**{column: column for column in COLUMNS}, "ok": True}).removesuffix("  ok"))
    measured: list[Figure] = []
    failed: list[str] = []
    for name in names:
        figures = figures_of(name)
        if figures is None:
            failed.append(name)
            continue
        for figure in figures:
            print(line(figure), flush=True)
        measured += [{"bench": name, **figure} for figure in figures]
    machine = {
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "python": platform.python_version(),
        "machine": platform.platform(),
        "cores": os.cpu_count(),
    }
    REPORT.write_text(json.dumps({**machine, "failed": failed, "figures": measured}, indent=2) + "\n")
    short = sum(not figure["ok"] for figure in measured)
    print(f"{len(measured)} figures, {short} short, {len(failed)} benchmarks failed. Written to {REPORT.name}.")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        run_one(sys.argv[2], Path(sys.argv[3]))
    else:
        sys.exit(main(sys.argv[1:]))
