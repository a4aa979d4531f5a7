"""The text of a sample project: its words are drawn, its code is right, and each flaw spoils one passage of it."""

from random import Random
from typing import NamedTuple

__all__ = ["FLAWS", "Flaw", "Words", "draw_words", "load_py", "totals_py"]


class Words(NamedTuple):
    """The names of one project. ``record`` is the class of a line of the table, ``item`` and ``amount`` two of its
    columns; ``names`` are values of ``item``; the rest name functions and variables.
    """

    package: str
    record: str
    item: str
    amount: str
    names: tuple[str, ...]
    rows: str
    row: str
    total: str
    by_item: str
    mean: str
    least: str
    within: str
    rolling: str
    latest: str
    distinct: str
    in_month: str


_THEMES = (
    ("bakery", "Sale", "bread", "loaves", ("rye", "spelt", "brioche", "baguette", "focaccia", "ciabatta")),
    ("library", "Loan", "genre", "books", ("crime", "poetry", "travel", "history", "essays", "drama")),
    ("harbour", "Landing", "fish", "crates", ("cod", "herring", "plaice", "mackerel", "sole", "hake")),
    ("orchard", "Picking", "variety", "kilos", ("gala", "braeburn", "russet", "pippin", "elstar", "fuji")),
    ("museum", "Visit", "room", "tickets", ("amber", "clocks", "maps", "masks", "organs", "silver")),
    ("ferry", "Crossing", "route", "passengers", ("north", "south", "island", "harbour", "night", "express")),
    ("nursery", "Order", "plant", "pots", ("thyme", "sage", "lavender", "mint", "rosemary", "basil")),
)


def draw_words(random: Random) -> Words:
    """Draw a theme and, apart from it, the names of functions and variables."""
    package, record, item, amount, names = random.choice(_THEMES)
    return Words(
        package,
        record,
        item,
        amount,
        tuple(random.sample(names, random.randint(4, len(names)))),
        rows=random.choice((f"{record.lower()}s", "rows", "entries", "records")),
        row=random.choice((record.lower(), "entry", "one", "each")),
        total=random.choice((f"total_{amount}", f"all_{amount}", f"{amount}_together")),
        by_item=random.choice((f"{amount}_by_{item}", f"totals_by_{item}", f"per_{item}")),
        mean=random.choice((f"mean_{amount}", f"average_{amount}")),
        least=random.choice((f"fewest_{amount}", f"least_{amount}", f"smallest_{record.lower()}")),
        within=random.choice(("between", "within", "in_period")),
        rolling=random.choice(("moving_mean", "rolling_mean", "sliding_average")),
        latest=random.choice(("latest", "newest", "last_entered")),
        distinct=random.choice((f"distinct_{item}", f"{item}_names", f"each_{item}")),
        in_month=random.choice(("in_month", "of_month", "month_only")),
    )


def load_py(w: Words) -> str:
    """The module that reads the table."""
    return f'''"""Reads the table: one {w.record.lower()} a line."""

import csv
import datetime
from typing import NamedTuple


class {w.record}(NamedTuple):
    number: int
    day: datetime.date
    {w.item}: str
    {w.amount}: int


def read(path):
    """Every {w.record.lower()} in the file."""
    with open(path, newline="") as file:
        return [parse(row) for row in csv.DictReader(file)]


def parse(row):
    """One line. The day is written day/month/year."""
    return {w.record}(
        number=int(row["number"]),
        day=datetime.datetime.strptime(row["day"], "%d/%m/%Y").date(),
        {w.item}=row["{w.item}"],
        {w.amount}=int(row["{w.amount}"]),
    )
'''


def totals_py(w: Words, random: Random) -> str:
    """The module that counts; its functions come in any order."""
    functions = [text.format(**w._asdict()) for text in random.sample(_FUNCTIONS, len(_FUNCTIONS))]
    return '"""Counts what was read."""\n\n' + "\n".join(functions)


_FUNCTIONS = (
    '''
def {total}({rows}):
    """All {amount} together."""
    total = 0
    for {row} in {rows}:
        total += {row}.{amount}
    return total
''',
    '''
def {by_item}({rows}):
    """The {amount} of each {item}, added up."""
    sums = {{}}
    for {row} in {rows}:
        sums[{row}.{item}] = sums.get({row}.{item}, 0) + {row}.{amount}
    return sums
''',
    '''
def {mean}({rows}):
    """The mean of the {amount}."""
    return sum({row}.{amount} for {row} in {rows}) / len({rows})
''',
    '''
def {least}({rows}):
    """The smallest number of {amount}."""
    least = {rows}[0].{amount}
    for {row} in {rows}:
        if {row}.{amount} < least:
            least = {row}.{amount}
    return least
''',
    '''
def {within}({rows}, first, last):
    """Those from first to last, both days included."""
    return [{row} for {row} in {rows} if first <= {row}.day <= last]
''',
    '''
def {rolling}(values, size):
    """The mean of every run of neighbouring values."""
    return [sum(values[start : start + size]) / size for start in range(len(values) - size + 1)]
''',
    '''
def {latest}({rows}):
    """The one with the highest number."""
    return max({rows}, key=lambda {row}: {row}.number)
''',
    '''
def {distinct}({rows}, found=None):
    """Each {item} once, in order of appearance."""
    found = [] if found is None else found
    for {row} in {rows}:
        if {row}.{item} not in found:
            found.append({row}.{item})
    return found
''',
    '''
def {in_month}({rows}, month):
    """Those of one month, 1 to 12."""
    return [{row} for {row} in {rows} if {row}.day.month == month]
''',
)


class Flaw(NamedTuple):
    """A mistake people make: in ``module`` the passage ``right`` becomes ``wrong``. Both are written with the fields of
    :class:`Words` in braces.
    """

    kind: str
    module: str
    right: str
    wrong: str

    def passages(self, words: Words) -> tuple[str, str]:
        """The right and the wrong passage in the names of one project."""
        fields = words._asdict()
        return self.right.format(**fields), self.wrong.format(**fields)


FLAWS = (
    Flaw("month before day", "load", '"%d/%m/%Y"', '"%m/%d/%Y"'),
    Flaw("number kept as text", "load", 'int(row["number"])', 'row["number"]'),
    Flaw("return inside the loop", "totals", "\n    return total\n", "\n        return total\n"),
    Flaw("overwritten, not added", "totals", " = sums.get({row}.{item}, 0) + {row}.{amount}", " = {row}.{amount}"),
    Flaw("floor division", "totals", ") / len(", ") // len("),
    Flaw("minimum starts at zero", "totals", "least = {rows}[0].{amount}", "least = 0"),
    Flaw("last day left out", "totals", "first <= {row}.day <= last", "first <= {row}.day < last"),
    Flaw("both ends left out", "totals", "first <= {row}.day <= last", "first < {row}.day < last"),
    Flaw("last window left out", "totals", "range(len(values) - size + 1)", "range(len(values) - size)"),
    Flaw(
        "default list is shared",
        "totals",
        'found=None):\n    """Each {item} once, in order of appearance."""\n'
        "    found = [] if found is None else found\n",
        'found=[]):\n    """Each {item} once, in order of appearance."""\n',
    ),
)
