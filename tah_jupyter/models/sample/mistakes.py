"""Mistakes that people make in small Python programs, and how to find and mend each in code that was read.

A finder gets the tree of one module and yields what it thinks is wrong, with the passage to replace. It looks at the
structure and at what the code's own words promise (a docstring that says "both included"); it knows no project.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias, TypeVar

__all__ = ["Mistake", "find_mistakes"]


class Mistake(NamedTuple):
    """Something to mend in ``path``: ``old`` stands there once. ``why`` and ``cure`` are sentences for people."""

    path: str
    function: str
    line: int
    old: str
    new: str
    why: str
    cure: str


class _Found(NamedTuple):
    """What a finder yields: the lines ``first`` to ``last`` (from 1) become ``lines``."""

    first: int
    last: int
    lines: list[str]
    why: str
    cure: str


class _Module(NamedTuple):
    """A module under a finder's eyes; ``others`` are the other texts of the project."""

    lines: list[str]
    others: str

    def written(self, node: ast.expr) -> str:
        """``node`` as it is written."""
        return ast.get_source_segment("\n".join(self.lines), node) or ast.unparse(node)

    def changed(self, node: ast.expr, text: str) -> list[str]:
        """The lines of ``node`` with ``text`` in its place."""
        first, last = node.lineno - 1, _end(node) - 1
        before = self.lines[first].encode()[: node.col_offset].decode()
        after = self.lines[last].encode()[node.end_col_offset :].decode()
        return f"{before}{text}{after}".split("\n")

    def replace(self, node: ast.expr, text: str, why: str, cure: str) -> _Found:
        return _Found(node.lineno, _end(node), self.changed(node, text), why, cure)


_Function: TypeAlias = ast.FunctionDef
_Finder: TypeAlias = Callable[[_Function, _Module], Iterator[_Found]]
_Node = TypeVar("_Node", bound=ast.AST)


def find_mistakes(files: Mapping[str, str], *, hints: str = "") -> list[Mistake]:
    """Everything the finders see in the Python files among ``files`` (paths and texts), tests left out.

    What ``hints`` (the output of failing tests) names comes first. A file that is no Python is passed over.
    """
    found = [
        mistake
        for path, text in sorted(files.items())
        if path.endswith(".py") and not path.rpartition("/")[2].startswith("test")
        for mistake in _in_module(path, text, "\n".join(other for name, other in files.items() if name != path))
    ]
    words = re.findall(r"\w+", hints)
    return sorted(found, key=lambda mistake: -words.count(mistake.function))


def _in_module(path: str, text: str, others: str) -> Iterator[Mistake]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    module = _Module(text.split("\n"), others)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for finder in _FINDERS:
                for found in finder(function, module):
                    yield _as_mistake(path, function.name, module.lines, found)


def _as_mistake(path: str, function: str, lines: list[str], found: _Found) -> Mistake:
    """Widen the passage upwards until it stands once in the file, as an edit needs it."""
    text, first = "\n".join(lines), found.first
    while first > 1 and text.count("\n".join(lines[first - 1 : found.last])) > 1:
        first -= 1
    kept = lines[first - 1 : found.first - 1]
    old, new = "\n".join(lines[first - 1 : found.last]), "\n".join([*kept, *found.lines])
    return Mistake(path, function, found.first, old, new, found.why, found.cure)


def _promises(function: _Function, pattern: str) -> bool:
    """Whether the function's name or docstring says something."""
    words = f"{function.name.replace('_', ' ')} {ast.get_docstring(function) or ''}"
    return re.search(pattern, words, re.IGNORECASE) is not None


def _all(function: _Function, kind: type[_Node]) -> Iterator[_Node]:
    return (node for node in ast.walk(function) if isinstance(node, kind))


def _end(node: ast.expr) -> int:
    """The last line of a node."""
    return node.end_lineno or node.lineno


def _month_before_day(function: _Function, module: _Module) -> Iterator[_Found]:
    said = f"{ast.get_docstring(function) or ''} {module.others}"
    for node in _all(function, ast.Constant):
        if node.value == "%m/%d/%Y" and "day/month/year" in said:
            yield module.replace(
                node,
                '"%d/%m/%Y"',
                "The days are written day/month/year and are read as month/day/year.",
                "They are read day first now.",
            )


def _number_kept_as_text(function: _Function, module: _Module) -> Iterator[_Found]:
    columns = _number_columns(module.others)
    for keyword in _all(function, ast.keyword):
        value = keyword.value
        if not isinstance(value, ast.Subscript) or not isinstance(value.slice, ast.Constant):
            continue
        if (column := value.slice.value) in columns:
            yield module.replace(
                value,
                f"int({module.written(value)})",
                f"The column `{column}` holds numbers but is kept as text, so 99 counts as more than 100.",
                "It is read as a whole number now.",
            )


def _number_columns(text: str) -> set[str]:
    """Columns of whole numbers in tables of comma-separated values somewhere in ``text``."""
    columns: set[str] = set()
    header: list[str] = []
    for line in text.split("\n"):
        cells = line.split(",")
        if len(cells) > 1 and all(re.fullmatch(r"[A-Za-z_]\w*", cell) for cell in cells):
            header = cells
        elif len(cells) == len(header) and len(cells) > 1:
            columns |= {name for name, cell in zip(header, cells, strict=True) if cell.isdecimal()}
    return columns


def _return_inside_loop(function: _Function, module: _Module) -> Iterator[_Found]:
    for loop in _all(function, ast.For):
        last = loop.body[-1]
        if isinstance(loop.body[0], ast.AugAssign) and isinstance(last, ast.Return) and last.end_lineno == last.lineno:
            yield _Found(
                last.lineno,
                last.lineno,
                [" " * loop.col_offset + module.lines[last.lineno - 1].lstrip()],
                "It returns inside the loop, so only the first one is counted.",
                "It returns after the loop now.",
            )


def _overwritten(function: _Function, module: _Module) -> Iterator[_Found]:
    if not _promises(function, r"\b(total|sum|added)"):
        return
    for loop in _all(function, ast.For):
        for node in loop.body:
            if not isinstance(node, ast.Assign) or not isinstance(target := node.targets[0], ast.Subscript):
                continue
            name, key = ast.unparse(target.value), ast.unparse(target.slice)
            if name not in {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)}:
                yield module.replace(
                    node.value,
                    f"{name}.get({key}, 0) + {module.written(node.value)}",
                    f"Each new value in `{name}` overwrites the one before instead of being added to it.",
                    "It adds them up now.",
                )


def _floor_division(function: _Function, module: _Module) -> Iterator[_Found]:
    for node in _all(function, ast.BinOp):
        if isinstance(node.op, ast.FloorDiv) and _promises(function, r"\b(mean|average)"):
            yield module.replace(
                node,
                f"{module.written(node.left)} / {module.written(node.right)}",
                "It divides with `//`, which drops everything behind the point.",
                "It divides with `/` now.",
            )


def _minimum_from_zero(function: _Function, module: _Module) -> Iterator[_Found]:
    starts = [n for n in function.body if isinstance(n, ast.Assign) and ast.unparse(n.value) == "0"]
    loops = [n for n in function.body if isinstance(n, ast.For)]
    for start in starts:
        name = ast.unparse(start.targets[0])
        for loop in loops:
            test = loop.body[0].test if isinstance(loop.body[0], ast.If) else None
            if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Lt):
                continue
            if ast.unparse(test.comparators[0]) == name and isinstance(loop.target, ast.Name):
                first = re.sub(rf"\b{loop.target.id}\b", f"{ast.unparse(loop.iter)}[0]", ast.unparse(test.left))
                yield module.replace(
                    start.value,
                    first,
                    f"`{name}` starts at 0, and nothing is smaller than that.",
                    "It starts with the first value now.",
                )


def _ends_left_out(function: _Function, module: _Module) -> Iterator[_Found]:
    for node in _all(function, ast.Compare):
        if len(node.ops) != 2 or not _promises(function, r"\bincluded"):
            continue
        strict = sum(isinstance(operation, ast.Lt) for operation in node.ops)
        if strict and all(isinstance(operation, ast.Lt | ast.LtE) for operation in node.ops):
            parts = [module.written(part) for part in (node.left, *node.comparators)]
            yield module.replace(
                node,
                " <= ".join(parts),
                f"Both ends should be included, but `<` leaves {'both' if strict == 2 else 'one of them'} out.",
                "It compares with `<=` on both sides now.",
            )


def _last_window(function: _Function, module: _Module) -> Iterator[_Found]:
    ends = [ast.unparse(node.upper) for node in _all(function, ast.Slice) if node.upper is not None]
    for call in _all(function, ast.Call):
        stop = call.args[0] if ast.unparse(call.func) == "range" and len(call.args) == 1 else None
        if not isinstance(stop, ast.BinOp) or not isinstance(stop.op, ast.Sub):
            continue
        counts = ast.unparse(stop.left).startswith("len(")
        if counts and any(end.endswith(f" + {ast.unparse(stop.right)}") for end in ends):
            yield module.replace(
                stop,
                f"{module.written(stop)} + 1",
                f"`{module.written(call)}` ends one step early, so the last window is missing.",
                "It goes one step further now.",
            )


def _shared_default(function: _Function, module: _Module) -> Iterator[_Found]:
    arguments = function.args.args[len(function.args.args) - len(function.args.defaults) :]
    for argument, default in zip(arguments, function.args.defaults, strict=True):
        if not isinstance(default, ast.List | ast.Dict | ast.Set):
            continue
        made, name = module.written(default), argument.arg
        body = function.body[1] if ast.get_docstring(function) is not None and function.body[1:] else function.body[0]
        if body.lineno <= _end(default):  # all on one line
            continue
        indent = " " * body.col_offset
        between = module.lines[_end(default) : body.lineno - 1]
        guard = [f"{indent}if {name} is None:", f"{indent}    {name} = {made}"]
        yield _Found(
            default.lineno,
            body.lineno - 1,
            [*module.changed(default, "None"), *between, *guard],
            f"`{name}={made}` is made once and shared by all calls, so each call sees what earlier ones left.",
            "Each call makes its own now.",
        )


_FINDERS: tuple[_Finder, ...] = (
    _month_before_day,
    _number_kept_as_text,
    _return_inside_loop,
    _overwritten,
    _floor_division,
    _minimum_from_zero,
    _ends_left_out,
    _last_window,
    _shared_default,
)
