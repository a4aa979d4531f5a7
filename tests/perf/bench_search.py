"""Searching and listing, against ripgrep, GNU grep and a bare ``scandir`` in the same run.

    python tests/perf/bench_search.py

The tree is made at run time: TAH_BENCH_FILES files (8,000) with TAH_BENCH_MB megabytes (100) of source-like text, and
beside it a folder with a small project and TAH_BENCH_MODULES files (20,000) under ``node_modules``. Every figure is the
median of nine runs on a warm page cache. Without ripgrep or GNU grep on this machine, their figures are left out.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import anyio

from tah_jupyter.host.files.workspace import Workspace
from tah_jupyter.host.search.find import Query, find
from tah_jupyter.host.search.listing import grow
from tah_jupyter.host.search.regex import compile_pattern
from tah_jupyter.host.search.ripgrep import find_program
from tah_jupyter.host.search.walk import Tree

FILES = int(os.environ.get("TAH_BENCH_FILES", "8000"))
MEGABYTES = int(os.environ.get("TAH_BENCH_MB", "100"))
MODULES = int(os.environ.get("TAH_BENCH_MODULES", "20000"))
REPEATS = 9
NEEDLE = "to_datetime"
WITH_RIPGREP_MS = 15.0
OWN_RATIO = 1.5
LISTING_MS = 8.0


def figures() -> list[dict[str, Any]]:
    """Each figure: name, ours and reference in milliseconds, their ratio, the goal in words, and whether it is met."""
    with tempfile.TemporaryDirectory(prefix="tah-bench-") as folder:
        source, project = Path(folder, "source"), Path(folder, "project")
        _make_source(source)
        _make_project(project)
        return [*_search_figures(source), _listing_figure(project)]


def _search_figures(root: Path) -> list[dict[str, Any]]:
    workspace = Workspace(root)
    rg, grep = find_program(root), shutil.which("grep")
    found = []
    if rg is not None:
        ours, reference = _medians_ms(
            lambda: _grep(workspace, NEEDLE, rg), lambda: _run([rg, "--no-config", NEEDLE, "./"], root)
        )
        goal = f"≤ reference + {WITH_RIPGREP_MS:.0f} ms"
        found.append(_figure("grep with rg", ours, reference, goal, ours <= reference + WITH_RIPGREP_MS))
    if grep is not None:
        for name, pattern in (("grep, own engine", NEEDLE), ("grep, own engine, no literal", "to_(date|time)time")):
            ours, reference = _medians_ms(
                partial(_grep, workspace, pattern, None), partial(_run, [grep, "-rnE", pattern, "."], root)
            )
            found.append(_figure(name, ours, reference, f"≤ {OWN_RATIO} × reference", ours <= OWN_RATIO * reference))
    return found


def _listing_figure(root: Path) -> dict[str, Any]:
    workspace = Workspace(root)
    ours, reference = _medians_ms(
        lambda: grow(Tree.at(workspace, workspace.root), depth=2, max_entries=500, check=lambda: None),
        lambda: _scandir(root),
    )
    return _figure("pruned listing", ours, reference, f"≤ {LISTING_MS:.0f} ms", ours <= LISTING_MS)


def _grep(workspace: Workspace, pattern: str, program: str | None) -> None:
    query = Query(
        tree=Tree.at(workspace, workspace.root), pattern=compile_pattern(pattern), output="content", max_results=5000
    )

    async def search() -> None:
        assert (await find(query, program=program)).taken > 0

    anyio.run(search)


def _scandir(folder: Path) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir() and entry.name != "node_modules":
                _scandir(Path(entry.path))


def _run(argv: list[str], cwd: Path) -> None:
    subprocess.run(argv, cwd=cwd, stdout=subprocess.PIPE, check=True)


def _medians_ms(ours: Callable[[], object], reference: Callable[[], object]) -> tuple[float, float]:
    """Both in turn, so that what else the machine does meets both alike."""
    ours(), reference()
    spent: tuple[list[float], list[float]] = ([], [])
    for _ in range(REPEATS):
        for work, times in zip((ours, reference), spent, strict=True):
            began = time.perf_counter()
            work()
            times.append((time.perf_counter() - began) * 1000)
    return median(spent[0]), median(spent[1])


def _figure(name: str, ours: float, reference: float, goal: str, ok: bool) -> dict[str, Any]:
    return {"name": name, "ours": ours, "reference": reference, "ratio": ours / reference, "goal": goal, "ok": ok}


def _make_source(root: Path) -> None:
    dice = random.Random(1)
    words = ["".join(dice.choices("abcdefghijklmnopqrstuvwxyz_", k=dice.randint(2, 11))) for _ in range(3000)]
    lines = [" " * dice.choice((0, 4, 8)) + " ".join(dice.choices(words, k=dice.randint(1, 12))) for _ in range(20_000)]
    size = MEGABYTES * 1_000_000 // FILES
    for number in range(FILES):
        folder = root / f"package_{number % 40}" / f"part_{number // 40 % 10}"
        folder.mkdir(parents=True, exist_ok=True)
        begin = dice.randrange(len(lines) - size // 20)
        text = "\n".join(lines[begin : begin + size // 20])[:size]
        if number % 199 == 0:
            text += f"\n    x = pd.{NEEDLE}(x)\n"
        (folder / f"module_{number}.py").write_text(text)


def _make_project(root: Path) -> None:
    for number in range(MODULES):
        folder = root / "node_modules" / f"package_{number % 500}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"file_{number}.js").touch()
    for number in range(200):
        folder = root / f"folder_{number % 10}" / f"sub_{number % 3}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"file_{number}.py").write_text("x = 1\n")
    (root / ".gitignore").write_text("*.log\nbuild/\n")


def main() -> int:
    for one in figures():
        numbers = f"{one['ours']:8.1f} ms  {one['reference']:8.1f} ms  {one['ratio']:5.2f}"
        print(f"{one['name']:<30}{numbers}  {one['goal']:<22}  {'ok' if one['ok'] else 'SHORT'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
