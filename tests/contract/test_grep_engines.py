"""Every engine of grep gives the right answer, and so the same one: judged by Python's ``re`` and by git itself."""

import os
import random
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tah_jupyter.host.files.names import decode_name
from tah_jupyter.tools.grep import GrepResult, grep_tool
from tah_jupyter.tools.list_files import list_files_tool
from tests.support.calling import calling
from tests.support.engines import ENGINES, use

pytestmark = pytest.mark.anyio

EXAMPLES = int(os.environ.get("TAH_TEST_GREP_EXAMPLES", "25"))

TEXTS = {
    "plain.py": b"import pandas as pd\ndef load(path):\n    return pd.read_csv(path)\n",
    "crlf.txt": b"first line\r\nsecond foo\r\n\r\nlast foo",
    "utf16.txt": "Größe foo\nzweite Zeile\n".encode("utf-16"),
    "utf16be.txt": b"\xfe\xff" + "foo bar\n".encode("utf-16-be"),
    "bom.txt": b"\xef\xbb\xbffoo at the start\nother\n",
    "latin1.txt": b"caf\xe9 foo\nna\xefve\n",
    "binary.dat": b"foo\0bar\nfoo\n",
    "late_nul.dat": b"foo\n" + b"x" * 200_000 + b"\n\0\n",
    "empty": b"",
    "blank": b"\n\n\n",
    "no_end": b"foo",
    "unicode.md": "# Überschrift\n東京 foo\n١٢٣ digits\nnaïve_name = 1\n".encode(),
    "deep/er/x.py": b"class Foo:\n    foo = 1\n",
    "deep/y.js": b"const foo = 'FOO'\n",
    ".hidden/x.py": b"foo\n",
    ".dot": b"foo\n",
    "node_modules/m/x.js": b"foo\n",
    "deep/dist/x.js": b"foo\n",
    "build/x.py": b"foo\n",
    "notes.log": b"foo\n",
    "keep.log": b"foo\n",
    "deep/notes.log": b"foo\n",
    "deep/dist.txt": b"foo\n",
}

SEARCHES: list[dict[str, Any]] = [
    {"pattern": "foo"},
    {"pattern": "foo$"},
    {"pattern": "^foo"},
    {"pattern": "^$"},
    {"pattern": "."},
    {"pattern": "x*"},
    {"pattern": r"\bfoo\b"},
    {"pattern": r"\w+ foo"},
    {"pattern": r"^\d+"},
    {"pattern": r"[^\W\d_]{5,}"},
    {"pattern": "foo", "ignore_case": True},
    {"pattern": "ÜBER", "ignore_case": True},
    {"pattern": r"Gr..e"},
    {"pattern": "(?i)class (foo|bar):"},
    {"pattern": "foo|digits", "glob": "*.{md,txt}"},
    {"pattern": "foo", "type": "py"},
    {"pattern": "foo", "type": "js", "glob": "deep/**"},
    {"pattern": "foo", "glob": "!*.txt"},
    {"pattern": "foo", "glob": "deep"},
    {"pattern": "foo", "glob": "*.log"},
    {"pattern": "foo", "path": "deep"},
    {"pattern": "foo", "path": "build"},
    {"pattern": "foo", "path": ".hidden"},
    {"pattern": "foo", "path": "node_modules/m"},
    {"pattern": "foo", "path": "notes.log"},
    {"pattern": "foo", "output": "count"},
    {"pattern": "foo", "output": "files"},
    {"pattern": "foo", "context": 2},
    {"pattern": "foo", "max_results": 3, "offset": 2},
    {"pattern": "foo", "max_results": 3, "offset": 2, "output": "files"},
    {"pattern": r"line\nsecond", "multiline": True},
    {"pattern": r"(?s)def.*csv", "multiline": True},
    {"pattern": r"\Aclass", "multiline": True},
    {"pattern": r"foo\z", "multiline": True},
    {"pattern": r"[\n]"},
    {"pattern": r"[^\n]oo"},
    {"pattern": "fo{2}[&&&]*"},
    {"pattern": r"\x{66}oo"},
    {"pattern": "nothing of the kind"},
]


def grow(root: Path) -> None:
    for name, data in TEXTS.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    (root / ".gitignore").write_bytes(b"build/\n*.log\n!keep.log\n# comment\n")
    (root / "deep/.gitignore").write_bytes(b"!notes.log\n")


async def found(root: Path, engine: str, **search: Any) -> str:
    with pytest.MonkeyPatch.context() as patch:
        use(engine, patch, root)
        async with calling(grep_tool(root)) as call:
            return (await call.ok("grep", **search)).text


def lines_of(answer: str) -> set[tuple[str, int]]:
    return {(match[1], int(match[2])) for match in re.finditer(r"^([^:\n]+):(\d+):", answer, re.MULTILINE)}


def expected(searched: dict[str, bytes], pattern: str) -> set[tuple[str, int]]:
    """What Python's own engine finds, line by line."""
    hits = set()
    for name, data in searched.items():
        encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        text = data.decode(encoding, errors="surrogateescape")
        if "\0" not in text:
            lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []
            hits |= {(name, n) for n, line in enumerate(lines, 1) if re.search(pattern, line)}
    return hits


SHOWN = {
    name: data
    for name, data in TEXTS.items()
    if not re.search(r"(^|/)\.|node_modules|/dist/|^build/|^notes\.log", name)
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "pattern", ["foo", "foo$", "^foo", "^$", r"\w+ foo", r"^\d+", r"[^\W\d_]{5,}", "x*", "(?i)FOO"]
)
async def test_the_lines_found_are_those_of_pythons_own_engine(tmp_path: Path, engine: str, pattern: str) -> None:
    grow(tmp_path)
    assert lines_of(await found(tmp_path, engine, pattern=pattern)) == expected(SHOWN, pattern)


@pytest.mark.parametrize("search", SEARCHES, ids=str)
async def test_all_engines_answer_alike(tmp_path: Path, search: dict[str, Any]) -> None:
    grow(tmp_path)
    answers = {engine: await found(tmp_path, engine, **search) for engine in ENGINES}
    assert len(set(answers.values())) == 1, answers
    assert search["pattern"] in {"nothing of the kind", r"[\n]"} or "No matches" not in answers["own"]


WORDS = [
    "a",
    "b",
    "ab",
    "log",
    "x.py",
    "y.log",
    "dist",
    "node_modules",
    ".env",
    "caf\u00e9",
    "we ird",
    "[x]",
    "#h",
    "!n",
]
NAMES = st.sampled_from(WORDS)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PIECES = st.sampled_from(
    [
        "a",
        "b",
        "ab",
        "log",
        "*",
        "?",
        "**",
        "*.py",
        "*.log",
        "x.*",
        "[ab]",
        "[!a]",
        "\\#h",
        "\\!n",
        "dist",
        "we ird",
        "a*",
    ]
)
LINES = st.builds(
    lambda bang, slash, pieces, end: bang + slash + "/".join(pieces) + end,
    st.sampled_from(["", "", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(PIECES, min_size=1, max_size=3),
    st.sampled_from(["", "", "/", " ", "/**", "/*"]),
)
IGNORES = st.dictionaries(st.sampled_from(["", "a", "b", "a/b", "ab"]), st.lists(LINES, max_size=5), max_size=3)


def git_shows(root: Path) -> set[str]:
    """The files of the tree that git does not ignore, less those we leave out by name."""
    listed = subprocess.run(
        ["git", "-c", "core.excludesFile=", "ls-files", "--others", "--exclude-standard", "-z"],
        cwd=root, capture_output=True, check=True,
    ).stdout.split(b"\0")  # fmt: skip
    names = {os.fsdecode(name) for name in listed if name}
    pruned = {"node_modules", "dist"}
    return {
        name for name in names
        if not any(part.startswith(".") for part in name.split("/")) and pruned.isdisjoint(name.split("/")[:-1])
    }  # fmt: skip


def make_files(root: Path, paths: set[str], ignores: dict[str, list[str]]) -> None:
    subprocess.run(["git", "init", "-q", "."], cwd=root, check=True)
    for folder, lines in ignores.items():
        (root / folder).mkdir(parents=True, exist_ok=True)
        (root / folder / ".gitignore").write_text("\n".join(lines) + "\n")
    for path in sorted(paths):
        file = root / path
        if any(parent.is_file() for parent in file.parents) or file.is_dir():
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("needle\n")


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(paths=st.sets(PATHS, min_size=1, max_size=12), ignores=IGNORES)
async def test_the_files_searched_are_those_that_git_shows(
    tmp_path_factory: pytest.TempPathFactory, engine: str, paths: set[str], ignores: dict[str, list[str]]
) -> None:
    root = tmp_path_factory.mktemp("tree")
    make_files(root, paths, ignores)
    answer = await found(root, engine, pattern="needle", output="files")
    files = set() if answer.startswith("No matches") else set(answer.splitlines())
    assert {decode_name(file) for file in files} == git_shows(root)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(paths=st.sets(PATHS, min_size=1, max_size=12), ignores=IGNORES)
async def test_the_files_listed_are_those_that_git_shows(
    tmp_path_factory: pytest.TempPathFactory, paths: set[str], ignores: dict[str, list[str]]
) -> None:
    root = tmp_path_factory.mktemp("tree")
    make_files(root, paths, ignores)
    async with calling(list_files_tool(root)) as call:
        answer = (await call.ok("list_files", glob="**")).text
    files = {
        line for line in answer.split("\n\n")[0].splitlines() if line and not line.startswith(("No file", "Left out"))
    }
    assert files == git_shows(root)


@pytest.mark.parametrize("engine", ENGINES)
async def test_pages_of_random_size_add_up_to_the_whole(tmp_path: Path, engine: str) -> None:
    dice = random.Random(7)
    for number in range(40):
        folder = tmp_path / dice.choice("abc")
        folder.mkdir(exist_ok=True)
        (folder / f"f{number}").write_text("".join(dice.choice(["hit\n", "miss\n"]) for _ in range(20)))
    whole = (await found(tmp_path, engine, pattern="hit", max_results=5000)).splitlines()
    with pytest.MonkeyPatch.context() as patch:
        use(engine, patch, tmp_path)
        async with calling(grep_tool(tmp_path)) as call:
            pages: list[str] = []
            offset: int | None = 0
            while offset is not None:
                settled = await call.ok("grep", pattern="hit", max_results=dice.randint(1, 90), offset=offset)
                assert isinstance(settled.data, GrepResult)
                pages += settled.text.split("\n\n")[0].splitlines()
                offset = settled.data.next_offset
    assert pages == whole
    assert len(whole) > 100
