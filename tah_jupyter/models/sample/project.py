"""The sample project of the demo: six small files, drawn from a seed, with one mistake that its tests find.

Names, numbers and the kind of mistake come from the seed, so that nothing about a project can be known without reading
it. Only the standard library is needed: ``python -m unittest`` in the folder runs the tests.
"""

import datetime
import os
import secrets
import tempfile
from pathlib import Path
from random import Random
from typing import NamedTuple

from tah_jupyter.core.errors import TahError, ToolError
from tah_jupyter.host.files.workspace import Workspace
from tah_jupyter.models.sample.code import FLAWS, Words, draw_words, load_py, totals_py

__all__ = ["MARK", "Sample", "SampleCopy", "draw_sample", "is_sample", "new_seed", "write_sample"]

MARK = "A sample project for the scripted demo of tah."
"""The sentence in its README by which a sample is known."""


class Sample(NamedTuple):
    """A drawn project: ``files`` by relative path, the ``kind`` of its mistake and the file it is ``broken_in``."""

    seed: int
    kind: str
    broken_in: str
    files: dict[str, str]


class _Row(NamedTuple):
    number: int
    day: datetime.date
    item: str
    amount: int


def draw_sample(seed: int) -> Sample:
    """The project of ``seed``, the same on every machine and Python. Touches no file."""
    random = Random(seed)  # noqa: S311 - a draw of names, not of secrets
    words = draw_words(random)
    rows = _draw_rows(words, random)
    flaw = random.choice(FLAWS)
    right, wrong = flaw.passages(words)
    modules = {"load": load_py(words), "totals": totals_py(words, random)}
    if modules[flaw.module].count(right) != 1:
        raise AssertionError(f"{flaw.kind}: the passage to spoil must stand once in {flaw.module}")
    modules[flaw.module] = modules[flaw.module].replace(right, wrong)
    table = f"{words.record.lower()}s.csv"
    files = {
        "README.md": _readme(words, table),
        "pyproject.toml": f'[project]\nname = "{words.package}"\nversion = "1.0"\nrequires-python = ">=3.8"\n',
        f"data/{table}": _csv(words, rows),
        f"{words.package}/load.py": modules["load"],
        f"{words.package}/totals.py": modules["totals"],
        f"test_{words.package}.py": _tests(words, table, rows, random),
    }
    return Sample(seed, flaw.kind, f"{words.package}/{flaw.module}.py", files)


def write_sample(folder: "str | os.PathLike[str]", seed: int) -> Sample:
    """Write the project of ``seed`` into ``folder``, which must be empty or not exist. Blocks.

    Raises TahError when the folder holds something, for nothing is overwritten, or cannot be written.
    """
    root = Path(folder)
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise TahError(f"{root} is not an empty folder.", next_step="Choose another folder for the sample project.")
    sample = draw_sample(seed)
    try:
        root.mkdir(parents=True, exist_ok=True)
        workspace = Workspace(root)
        for path, text in sample.files.items():
            workspace.write(path, text.encode(), base=None)
    except (ToolError, OSError) as error:
        raise TahError(f"The sample project cannot be written: {error}", next_step="Choose another folder.") from error
    return sample


def is_sample(folder: "str | os.PathLike[str]") -> bool:
    """Whether ``folder`` is a sample project, by its README. Blocks."""
    try:
        return MARK.encode() in Workspace(folder).read("README.md").data
    except ToolError:
        return False


class SampleCopy:
    """A sample project in a temporary folder of its own, until :meth:`remove`. Making and removing it blocks."""

    def __init__(self, seed: int) -> None:
        self._parent = tempfile.TemporaryDirectory(prefix="tah-demo-", ignore_cleanup_errors=True)
        self.folder = Path(self._parent.name).resolve() / "sample"
        self.sample = write_sample(self.folder, seed)

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        self._parent.cleanup()


def new_seed() -> int:
    """A seed that was not chosen by anybody: 0 to 999,999."""
    return secrets.randbelow(1_000_000)


def _draw_rows(words: Words, random: Random) -> list[_Row]:
    """The table's lines. What a test needs to find its mistake holds: see the comments."""
    months = sorted(random.sample(range(1, 13), 3))
    days = [day for day in range(1, 13) if day not in months]  # swapped with its month, a day is in another month
    year, count = random.randint(2019, 2025), random.randint(12, 18)
    first = random.randint(90, 97)  # numbers pass 100, where text and numbers are in different order
    while True:
        dates = sorted(datetime.date(year, random.choice(months), random.choice(days)) for _ in range(count))
        items = [random.choice(words.names) for _ in range(count)]
        amounts = [random.randint(2, 60) for _ in range(count)]
        rows = [_Row(first + n, *values) for n, values in enumerate(zip(dates, items, amounts, strict=True))]
        random.shuffle(rows)
        some_repeated = len(set(items)) < count
        uneven = sum(amounts) % count != 0  # a mean with something behind the point
        apart = _distinct(rows[2:])[:1] != _distinct(rows[:2])[:1]  # what is left of an earlier call shows
        if some_repeated and uneven and apart and len(set(dates)) > 4:
            return rows


def _distinct(rows: list[_Row]) -> list[str]:
    return list(dict.fromkeys(row.item for row in rows))


def _readme(w: Words, table: str) -> str:
    return (
        f"# {w.package.capitalize()}\n\n{MARK} One mistake is hidden in it.\n\n"
        f"`data/{table}` holds one {w.record.lower()} a line: its number, the day (written day/month/year), the "
        f"{w.item} and how many {w.amount}. `{w.package}/load.py` reads it, `{w.package}/totals.py` counts.\n\n"
        "Run the tests with `python -m unittest`.\n"
    )


def _csv(w: Words, rows: list[_Row]) -> str:
    lines = [f"number,day,{w.item},{w.amount}"]
    lines += [f"{row.number},{row.day:%d/%m/%Y},{row.item},{row.amount}" for row in rows]
    return "\n".join(lines) + "\n"


def _tests(w: Words, table: str, rows: list[_Row], random: Random) -> str:
    """The test module: what each function must give, worked out here from the rows."""
    amounts = [row.amount for row in rows]
    dates = sorted({row.day for row in rows})
    first, last = dates[1], dates[-2]  # days that are in the table, so that leaving them out is seen
    month = random.choice(rows).day.month
    size, length = random.randint(2, 4), random.randint(6, 8)
    by_item = {item: sum(row.amount for row in rows if row.item == item) for item in _distinct(rows)}
    means = [round(sum(amounts[start : start + size]) / size, 2) for start in range(length - size + 1)]
    period = f"{_date(first)}, {_date(last)}"
    checks = [
        (w.total, f"totals.{w.total}(ROWS)", f"{sum(amounts)}"),
        (w.by_item, f"totals.{w.by_item}(ROWS)", f"{by_item}"),
        (w.mean, f"round(totals.{w.mean}(ROWS), 2)", f"{round(sum(amounts) / len(rows), 2)}"),
        (w.least, f"totals.{w.least}(ROWS)", f"{min(amounts)}"),
        (w.within, f"len(totals.{w.within}(ROWS, {period}))", f"{sum(first <= row.day <= last for row in rows)}"),
        (
            w.rolling,
            f"[round(mean, 2) for mean in totals.{w.rolling}([row.{w.amount} for row in ROWS[:{length}]], {size})]",
            f"{means}",
        ),
        (w.latest, f"totals.{w.latest}(ROWS).number", f"{max(row.number for row in rows)}"),
        (w.distinct, f"totals.{w.distinct}(ROWS[:2])", f"{_distinct(rows[:2])}"),
        (f"{w.distinct}_of_others", f"totals.{w.distinct}(ROWS[2:])", f"{_distinct(rows[2:])}"),
        (w.in_month, f"len(totals.{w.in_month}(ROWS, {month}))", f"{sum(row.day.month == month for row in rows)}"),
    ]
    methods = "\n".join(
        f"    def test_{name}(self):\n        self.assertEqual({call}, {expected})\n" for name, call, expected in checks
    )
    return f'''"""Tests of {w.package}. Run them with: python -m unittest"""

import datetime
import pathlib
import unittest

from {w.package} import load, totals

ROWS = load.read(pathlib.Path(__file__).parent / "data" / "{table}")


class Test{w.package.capitalize()}(unittest.TestCase):
{methods}

if __name__ == "__main__":
    unittest.main()
'''


def _date(day: datetime.date) -> str:
    return f"datetime.date({day.year}, {day.month}, {day.day})"
