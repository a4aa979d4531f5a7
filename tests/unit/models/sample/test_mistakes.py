"""Mistakes in code that the sample's generator did not write: found by what the code does, not by its names."""

import pytest

from tah_jupyter.models.sample.mistakes import find_mistakes

CASES = {
    "month first": (
        'def when(text):\n    "Parse a day/month/year date."\n    return datetime.strptime(text, "%m/%d/%Y")\n',
        '    return datetime.strptime(text, "%d/%m/%Y")',
    ),
    "mean": (
        "def average(values):\n    total = sum(values)\n    return total // len(values)\n",
        "    return total / len(values)",
    ),
    "return": (
        "def product(values):\n    out = 1\n    for value in values:\n        out *= value\n        return out\n",
        "    return out",
    ),
    "overwritten": (
        "def totals(sales):\n    by_name = {}\n    for name, price in sales:\n        by_name[name] = price * 2\n"
        "    return by_name\n",
        "        by_name[name] = by_name.get(name, 0) + price * 2",
    ),
    "minimum": (
        "def lowest(xs):\n    low = 0\n    for x in xs:\n        if x < low:\n            low = x\n    return low\n",
        "    low = xs[0]",
    ),
    "both ends": (
        'def inside(a, x, b):\n    """Both limits included."""\n    return a < x < b\n',
        "    return a <= x <= b",
    ),
    "first end": (
        'def inside(a, x, b):\n    """Both limits included."""\n    return a < x <= b\n',
        "    return a <= x <= b",
    ),
    "window": (
        "def pairs(xs):\n    for k in range(len(xs) - 2):\n        yield xs[k:k + 2]\n",
        "    for k in range(len(xs) - 2 + 1):",
    ),
    "default": (
        "class Basket:\n    def add(self, thing, things={}):\n        things[thing] = 1\n        return things\n",
        "    def add(self, thing, things=None):\n        if things is None:\n            things = {}",
    ),
}


@pytest.mark.parametrize(("code", "line"), CASES.values(), ids=CASES)
def test_a_mistake_is_found_and_mended_in_place(code: str, line: str) -> None:
    [mistake] = find_mistakes({"src/thing.py": code})
    assert code.count(mistake.old) == 1
    mended = code.replace(mistake.old, mistake.new)
    assert line in mended.replace("\n\n", "\n")
    compile(mended, "mended", "exec")
    assert find_mistakes({"src/thing.py": mended}) == []
    assert mistake.function in code
    assert mistake.why
    assert mistake.cure


def test_a_column_of_numbers_that_is_kept_as_text_needs_the_table_to_be_seen() -> None:
    code = 'def make(row):\n    return Order(id=row["id"], name=row["name"], price=float(row["price"]))\n'
    table = "id,name,price\n7,ann,2.50\n12,bob,3.00\n"
    assert find_mistakes({"orders.py": code}) == []
    [mistake] = find_mistakes({"orders.py": code, "orders.csv": table})
    assert 'id=int(row["id"]), name=row["name"]' in mistake.new


@pytest.mark.parametrize(
    "code",
    [
        "def half(n):\n    return n // 2\n",
        "def steps(xs):\n    return [b - a for a, b in zip(xs, xs[1:])]\n",
        "def last(xs):\n    return xs[len(xs) - 1]\n",
        "def count(xs):\n    seen = {}\n    for x in xs:\n        seen[x] = True\n    return seen\n",
        "def between(a, x, b):\n    return a < x < b\n",
        "def first(xs):\n    for x in xs:\n        print(x)\n        return x\n",
        "def keep(x, to=()):\n    return (*to, x)\n",
        "def us(text):\n    return datetime.strptime(text, '%m/%d/%Y')\n",
        "def low(xs):\n    best = 0\n    for x in xs:\n        if x > best:\n            best = x\n    return best\n",
        "def one(a=[]): return a\n",
        "def broken(:\n",
        "",
    ],
)
def test_code_that_is_right_or_unclear_is_left_alone(code: str) -> None:
    assert find_mistakes({"a.py": code}) == []


def test_tests_are_not_mended() -> None:
    assert find_mistakes({"tests/test_mean.py": CASES["mean"][0], "notes.txt": CASES["mean"][0]}) == []


def test_what_the_failing_tests_name_comes_first() -> None:
    files = {"a.py": CASES["mean"][0], "b.py": CASES["minimum"][0]}
    assert [mistake.function for mistake in find_mistakes(files)] == ["average", "lowest"]
    hinted = find_mistakes(files, hints="self.assertEqual(b.lowest([2]), 2)")
    assert [mistake.function for mistake in hinted] == ["lowest", "average"]


def test_a_passage_is_widened_until_it_stands_once() -> None:
    twice = (
        "def mean(xs):\n    n = 1\n    return sum(xs) // len(xs)\n\ndef other(xs):\n    n = 2\n"
        "    return sum(xs) // len(xs)\n"
    )
    [mistake] = find_mistakes({"a.py": twice})
    assert twice.count(mistake.old) == 1
    assert twice.replace(mistake.old, mistake.new).index("/ len") < twice.index("other")
