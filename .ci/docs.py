"""Write what is generated, or with ``--check`` say what is out of date: ``python .ci/docs.py [--check]``.

The config schema, the event reference, and the tables between ``<!-- generated: NAME -->`` marks of the README come
from the code, so that they cannot say anything else.
"""

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import msgspec

from tah_jupyter import tools
from tah_jupyter.core.events import DELTAS, Event, Stamp
from tah_jupyter.core.views import View
from tah_jupyter.runtime.config_schema import json_schema, leaves, variable
from tah_jupyter.toolkit.tool import Tool

ROOT = Path(__file__).parents[1]
MARKED = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def config_schema() -> str:
    """``tah_jupyter/config.schema.json``."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def event_reference() -> str:
    """``tah_jupyter/core/events.md``: every event with its fields."""
    stamp = {field.name for field in msgspec.structs.fields(Stamp)}
    lines = [
        "# Events",
        "",
        "Generated from `tah_jupyter/core/events.py` by `make docs`. Each record also has `type`, `seq`, `ts`, "
        "`session`, `run`, `turn` and, in a sub-agent, `parent`; a field that has its default is left out.",
        "",
    ]
    for event in sorted(get_args(Event), key=lambda kind: kind.__struct_config__.tag):
        delta = " Not logged." if event in DELTAS else ""
        lines += [f"## `{event.__struct_config__.tag}`", "", f"{_one_line(event)}{delta}", ""]
        own = [field for field in msgspec.structs.fields(event) if field.name not in stamp]
        lines += [f"- `{field.encode_name}`: `{_type_name(field.type)}`" for field in own] + [""] * bool(own)
    return "\n".join(lines).rstrip() + "\n"


def tool_table() -> str:
    """Every built-in tool in one line."""
    rows = [f"| `{made.name}` | {made.description()} |" for made in _built_in_tools()]
    return "\n".join(["| tool | what it does |", "|---|---|", *rows]) + "\n"


def config_table() -> str:
    """Every setting in one line."""
    rows = [
        f"| `{path}` | {'' if key.kind == 'table' else f'`{variable(path)}`'} | {key.doc} |"
        for path, key in leaves()
        if not key.later and path != "$schema"
    ]
    return "\n".join(["| key | variable | what it settles |", "|---|---|---|", *rows]) + "\n"


TABLES: dict[str, Callable[[], str]] = {"tools": tool_table, "config": config_table}


def generated() -> Iterator[tuple[Path, str]]:
    """Every generated file with the text it should hold."""
    yield ROOT / "tah_jupyter" / "config.schema.json", config_schema()
    yield ROOT / "tah_jupyter" / "core" / "events.md", event_reference()
    readme = ROOT / "README.md"
    text = readme.read_text("utf-8")
    yield readme, MARKED.sub(lambda match: match[1] + TABLES[match[2]]() + match[3], text)


def _built_in_tools() -> list[Tool[object, object]]:
    return [tools.make(name, ROOT) for name in sorted(tools.discover())]


def _one_line(kind: type) -> str:
    return " ".join((inspect.getdoc(kind) or "").split()).replace("``", "`")


def _type_name(kind: Any) -> str:
    if kind == View:
        return "View"
    if set(get_args(View)) < set(get_args(kind)):
        return "View | None"
    parts = [_type_name(part) if not isinstance(part, str) else repr(part) for part in get_args(kind)]
    if get_origin(kind) in (Union, UnionType):
        return " | ".join(parts)
    name = "None" if kind is NoneType else getattr(kind, "__name__", str(kind))
    return f"{name}[{', '.join(parts)}]" if parts else "…" if kind is Ellipsis else name


def main(arguments: list[str]) -> int:
    """Write the files; with ``--check`` only name those that differ. Returns how many differ, or 0 after writing."""
    stale = [(path, text) for path, text in generated() if not path.exists() or path.read_text("utf-8") != text]
    for path, text in stale:
        if "--check" in arguments:
            print(f"{path.relative_to(ROOT)} is out of date. Run: make docs", file=sys.stderr)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
            print(f"Wrote {path.relative_to(ROOT)}.")
    return len(stale) if "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
