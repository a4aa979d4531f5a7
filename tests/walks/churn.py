"""The project that the walks work in, and how a good model goes about the README's request there."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["ANSWER", "FIXED", "Step", "march", "write_churn"]

Step = dict[str, Any]
"""``{"says": TEXT}``, or ``{"calls": TOOL, "args": {…}}``."""

_LOADER = '''\
"""Rows of the shop: date (day/month/year) and amount."""

import csv
from datetime import datetime


def read(path):
    with open(path, newline="") as file:
        return [(datetime.strptime(row["date"], "{form}"), float(row["amount"])) for row in csv.DictReader(file)]
'''
WRONG, RIGHT = _LOADER.format(form="%m/%d/%Y"), _LOADER.format(form="%d/%m/%Y")
FIXED = RIGHT

_TOTALS = '''\
"""What a month brought in."""


def total(rows, month):
    return sum(amount for date, amount in rows if date.month == month)
'''

_TEST = """\
import unittest

from src.load import read
from src.totals import total


class March(unittest.TestCase):
    def test_every_row_of_march_counts(self):
        self.assertEqual(total(read("data/shop.csv"), 3), 60.0)
"""

_DATA = "date,amount\n03/03/2026,10\n04/03/2026,20\n05/03/2026,30\n03/04/2026,5\n"

_PLAN = ("Look at data and loader", "Find the cause", "Fix it", "Run the tests")
_EDIT = {"path": "src/load.py", "old_string": '"%m/%d/%Y"', "new_string": '"%d/%m/%Y"'}

ANSWER = "March was low because dates written day/month were read as month/day."


def write_churn(folder: Path) -> None:
    """A project kept in git whose test fails."""
    for name in (".git", "src", "tests", "data"):
        (folder / name).mkdir(parents=True)
    (folder / "src" / "load.py").write_text(WRONG)
    (folder / "src" / "totals.py").write_text(_TOTALS)
    (folder / "tests" / "test_march.py").write_text(_TEST)
    (folder / "data" / "shop.csv").write_text(_DATA)


def march(turn: int, results: Sequence[str]) -> list[Step]:
    """The next message, where ``turn`` were given before and ``results`` are what the last one's calls returned. It
    claims that the tests pass only when it was told so.
    """
    if turn == 0:
        reads = [_calls("read_file", path=path) for path in ("src/load.py", "src/totals.py", "tests/test_march.py")]
        return [_says("A look at the loader first."), _plan(1), *reads, _calls("grep", pattern="strptime")]
    if turn == 1:
        return [_says("`src/load.py` reads day/month as month/day."), _plan(2), _calls("edit_file", **_EDIT)]
    if turn == 2:
        return [_plan(3), _calls("execute_command", command=["python", "-B", "-m", "unittest", "-q"])]
    passed = any("OK" in result and "exit 0" in result for result in results)
    return [_says(f"{ANSWER} {'The tests pass.' if passed else 'The tests still fail.'}")]


def _plan(done: int) -> Step:
    states = ["completed"] * done + ["in_progress"] + ["pending"] * (len(_PLAN) - done - 1)
    todos = [{"content": item, "status": state} for item, state in zip(_PLAN, states, strict=True)]
    return _calls("todo_write", todos=todos)


def _says(text: str) -> Step:
    return {"says": text}


def _calls(tool: str, **args: Any) -> Step:
    return {"calls": tool, "args": args}
