"""grep: the right lines with their places, in pages, and a word on everything that is missing."""

import os
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from tah_jupyter.core.approvals import PathSubject
from tah_jupyter.core.calls import Headline
from tah_jupyter.core.views import Items, Stack, Text
from tah_jupyter.host.files.workspace import Workspace
from tah_jupyter.host.search import find as find_module
from tah_jupyter.host.search import ripgrep
from tah_jupyter.host.search import scan as search
from tah_jupyter.host.search.find import FileHits
from tah_jupyter.tools.grep import GrepInput, grep_tool
from tests.support.account import folder_for_all, without_rights
from tests.support.calling import Calling, calling
from tests.support.engines import ENGINES, use

pytestmark = pytest.mark.anyio


@pytest.fixture(params=ENGINES)
async def call(
    request: pytest.FixtureRequest, tmp_path: Path, tmp_path_factory: Any, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Calling]:
    use(request.param, monkeypatch, tmp_path_factory.mktemp("empty"))
    async with calling(grep_tool(tmp_path)) as started:
        yield started


def write(root: Path, path: str, text: str | bytes) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


async def lines(call: Calling, **args: Any) -> list[str]:
    return (await call.ok("grep", **args)).text.splitlines()


async def test_lines_come_with_path_and_number_in_order_of_path(call: Calling, tmp_path: Path) -> None:
    write(tmp_path, "b.py", "x\nhit 1\n")
    write(tmp_path, "a/c.py", "hit 2\nx\nhit 3")
    assert await lines(call, pattern="hit") == ["a/c.py:1:hit 2", "a/c.py:3:hit 3", "b.py:2:hit 1"]
    assert await lines(call, pattern="hit", output="files") == ["a/c.py", "b.py"]
    assert await lines(call, pattern="hit", output="count") == ["a/c.py:2", "b.py:1"]


async def test_paths_are_relative_to_the_root_wherever_the_search_starts(call: Calling, tmp_path: Path) -> None:
    write(tmp_path, "a/b/c.py", "hit\n")
    for path in ("a", "a/b", "a/b/c.py", str(tmp_path / "a")):
        assert await lines(call, pattern="hit", path=path) == ["a/b/c.py:1:hit"]


async def test_context_is_merged_and_gaps_are_marked(call: Calling, tmp_path: Path) -> None:
    write(tmp_path, "t", "\n".join(f"{n} hit" if n in (3, 5, 12) else str(n) for n in range(1, 15)))
    assert await lines(call, pattern="hit", context=1) == [
        "t-2-2", "t:3:3 hit", "t-4-4", "t:5:5 hit", "t-6-6", "--", "t-11-11", "t:12:12 hit", "t-13-13",
    ]  # fmt: skip


async def test_context_stops_at_the_ends_of_the_file(call: Calling, tmp_path: Path) -> None:
    write(tmp_path, "t", "hit\nmiddle\nhit\n")
    assert await lines(call, pattern="hit", context=9) == ["t:1:hit", "t-2-middle", "t:3:hit"]


async def test_a_page_says_how_to_go_on(call: Calling, tmp_path: Path) -> None:
    write(tmp_path, "a", "hit\n" * 3)
    write(tmp_path, "b", "hit\n" * 3)
    assert await lines(call, pattern="hit", max_results=4) == [
        "a:1:hit", "a:2:hit", "a:3:hit", "b:1:hit", "", "There are more results; go on with offset=4.",
    ]  # fmt: skip
    assert await lines(call, pattern="hit", max_results=4, offset=4) == ["b:2:hit", "b:3:hit"]
    assert await lines(call, pattern="hit", offset=6) == ["No results from offset 6 on."]
    assert await lines(call, pattern="hit", output="files", max_results=1, offset=1) == ["b"]
    page = await call.ok("grep", pattern="hit", output="files", max_results=1)
    assert (page.data.files, page.data.next_offset) == ((FileHits("a", 1),), 1)


async def test_a_page_as_large_as_the_answer_is_the_last(call: Calling, tmp_path: Path) -> None:
    write(tmp_path, "a", "hit\n" * 4)
    settled = await call.ok("grep", pattern="hit", max_results=4)
    assert settled.data.next_offset is None
    assert "more" not in settled.text


async def test_matches_across_lines(call: Calling, tmp_path: Path) -> None:
    write(tmp_path, "a.py", "x\ndef f(\n    a,\n):\n    pass\ndef g():\n")
    assert await lines(call, pattern=r"def \w+\([^)]*\)", multiline=True) == [
        "a.py:2:def f(", "a.py:3:    a,", "a.py:4:):", "a.py:6:def g():",
    ]  # fmt: skip
    assert await lines(call, pattern=r"\($\s+a", multiline=True, context=1) == [
        "a.py-1-x", "a.py:2:def f(", "a.py:3:    a,", "a.py-4-):",
    ]  # fmt: skip
    write(tmp_path, "a.py", "one\r\ntwo\r\n")
    assert await lines(call, pattern=r"one\ntwo$", multiline=True) == ["a.py:1:one", "a.py:2:two"]


async def test_of_a_match_over_very_many_lines_the_first_are_shown(call: Calling, tmp_path: Path) -> None:
    write(tmp_path, "a", "begin\n" + "x\n" * 1000 + "end\n")
    found = await lines(call, pattern="(?s)begin.*end", multiline=True, context=2)
    assert found[0] == "a:1:begin"
    assert found[-1] == f"[{1002 - search.MAX_MATCH_LINES:,} more lines of this match]"


async def test_filters_by_glob_and_type(call: Calling, tmp_path: Path) -> None:
    for path in ("a.py", "b.pyi", "s/c.js", "s/d.min.js", "s/t/e.md", "Makefile"):
        write(tmp_path, path, "hit\n")

    async def files(**args: str) -> list[str]:
        return await lines(call, pattern="hit", output="files", **args)

    assert await files(glob="*.js") == ["s/c.js", "s/d.min.js"]
    assert await files(glob="*.{py,md}") == ["a.py", "s/t/e.md"]
    assert await files(glob="s/**/*.md") == ["s/t/e.md"]
    assert await files(glob="/*.py") == ["a.py"]
    assert await files(glob="s/") == await files(glob="s") == ["s/c.js", "s/d.min.js", "s/t/e.md"]
    assert await files(glob="!s") == ["Makefile", "a.py", "b.pyi"]
    assert await files(glob="[ab].p*") == ["a.py", "b.pyi"]
    assert await files(glob="t/*.md", path="s") == ["s/t/e.md"]
    assert await files(type="py") == ["a.py", "b.pyi"]
    assert await files(type="make") == ["Makefile"]
    assert await files(type="js", glob="!*.min.js") == ["s/c.js"]


async def test_words_of_all_languages_are_words(call: Calling, tmp_path: Path) -> None:
    write(tmp_path, "t", "def größe(x):\nدرجة = ١٢\nplain\u2003space\n")
    assert await lines(call, pattern=r"def \w+\(") == ["t:1:def größe(x):"]
    assert await lines(call, pattern=r"^\w+ = \d+$") == ["t:2:درجة = ١٢"]
    assert await lines(call, pattern=r"plain\sspace") == ["t:3:plain\u2003space"]
    assert await lines(call, pattern="GRÖSSE|GRÖßE", ignore_case=True) == ["t:1:def größe(x):"]


async def test_no_match_says_what_the_pattern_may_have_meant(call: Calling, tmp_path: Path) -> None:
    write(tmp_path, "t", "a b é\n")
    assert await lines(call, pattern="nowhere") == ["No matches for 'nowhere'."]
    assert "alternatives are written a|b" in (await call.ok("grep", pattern=r"x\|y")).text
    assert r"\b knows ASCII letters only" in (await call.ok("grep", pattern=r"\bé\b", path="t")).text
    assert call.view() == Text((await call.ok("grep", pattern=r"\bé\b", path="t")).text)


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        ({"path": ".."}, "OutsideWorkspace", "outside"),
        ({"path": "/etc/passwd"}, "OutsideWorkspace", "outside"),
        ({"path": "out"}, "OutsideWorkspace", "outside"),
        ({"path": "out/passwd"}, "OutsideWorkspace", "outside"),
        ({"path": "txt"}, "NotFound", "does not exist"),
        ({"type": "pyton"}, "BadType", "py"),
        ({"glob": "a["}, "BadGlob", "["),
        ({"pattern": "a" * 6000}, "BadPattern", "6,000 characters"),
        ({"pattern": r"\p{L}{900}"}, "BadPattern", "memory"),
    ],
    ids=lambda value: str(value)[:30],
)
async def test_what_cannot_be_searched_is_an_error_that_says_why(
    call: Calling, tmp_path: Path, args: dict[str, str], code: str, said: str
) -> None:
    write(tmp_path, "t", "a\n")
    (tmp_path / "out").symlink_to("/etc")
    settled = await call("grep", **{"pattern": "a", **args})
    assert (settled.error, said in settled.text) == (code, True), settled.text


@pytest.mark.parametrize(
    "args",
    [{"pattern": ""}, {"context": -1}, {"max_results": 0}, {"offset": -1}, {"output": "x"}, {"regex": True}],
    ids=str,
)
async def test_wrong_arguments_are_refused(call: Calling, args: dict[str, Any]) -> None:
    assert (await call("grep", **{"pattern": "a", **args})).is_error


async def test_links_to_the_outside_are_not_searched(call: Calling, tmp_path: Path, tmp_path_factory: Any) -> None:
    outside = tmp_path_factory.mktemp("outside")
    write(outside, "secret", "needle\n")
    (tmp_path / "folder").symlink_to(outside)
    (tmp_path / "file").symlink_to(outside / "secret")
    assert await lines(call, pattern="needle") == ["No matches for 'needle'."]


async def test_an_added_folder_is_searched_under_its_own_path(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    write(tmp_path, "more/x", "hit\n")
    async with calling(grep_tool(Workspace(tmp_path / "root", [tmp_path / "more"]))) as call:
        assert await lines(call, pattern="hit", path=str(tmp_path / "more")) == [f"{tmp_path}/more/x:1:hit"]


@pytest.mark.parametrize("context", [0, 2])
async def test_lines_across_the_blocks_of_a_large_file_are_found_once(
    call: Calling, tmp_path: Path, context: int
) -> None:
    rows = [f"row {n} {'hit' if n % 1000 == 0 else 'miss'} {'x' * (n % 90)}" for n in range(1, 80_001)]
    write(tmp_path, "big", "\n".join(rows))
    settled = await call.ok("grep", pattern=r"\bhit\b", context=context)
    hits = [line for line in settled.text.splitlines() if line.startswith("big:")]
    assert hits == [f"big:{n}:{rows[n - 1]}" for n in range(1000, 80_001, 1000)]
    assert settled.text.count("big-") == (80 * 4 - 2 if context else 0)
    assert (await call.ok("grep", pattern="row", output="count")).text == "big:80000"
    assert (await call.ok("grep", pattern="w .*miss", output="count", ignore_case=True)).text == "big:79920"


async def test_a_line_longer_than_memory_allows_is_searched_in_pieces(
    call: Calling, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MAX_LINE_BYTES", 2 << 20)
    write(tmp_path, "long", b"x" * (5 << 20) + b" needle\nlast\n")
    assert (await call.ok("grep", pattern="needle")).text.startswith("long:1:…xxx")
    assert await lines(call, pattern="last") == ["long:2:last"]


async def test_large_utf16_and_binary_tails(call: Calling, tmp_path: Path) -> None:
    write(tmp_path, "wide.txt", ("züge\n" * 400_000 + "needle 🚆\n").encode("utf-16"))
    write(tmp_path, "tail.bin", b"needle\n" * 300_000 + b"\0")
    write(tmp_path, "bom.txt", b"\xef\xbb\xbf" + b"y\n" * 700_000 + b"needle\n")
    assert await lines(call, pattern="needle", max_results=5, glob="*.txt") == [
        "bom.txt:700001:needle", "wide.txt:400001:needle 🚆",
    ]  # fmt: skip
    assert await lines(call, pattern="needle", output="count", glob="*.bin") == [
        "No matches for 'needle', in files that match '*.bin'."
    ]
    assert await lines(call, pattern="^y", max_results=1, glob="bom.txt") == [
        "bom.txt:1:y", "", "There are more results; go on with offset=1.",
    ]  # fmt: skip


async def test_across_lines_a_file_too_large_is_named(
    call: Calling, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MAX_WHOLE_BYTES", 2 << 20)
    write(tmp_path, "big", b"a\nb\n" * 700_000)
    write(tmp_path, "wide", ("a\nb\n" * 500_000).encode("utf-16"))
    write(tmp_path, "ok", ("a\nb\n" * 300_000))
    settled = await call.ok("grep", pattern=r"a\nb", multiline=True, output="count")
    assert settled.text.startswith("ok:300000\n")
    assert "big, wide" in settled.text
    assert not settled.data.complete


async def test_the_first_hit_is_always_given_however_much_it_is(call: Calling, tmp_path: Path) -> None:
    folder = "/".join(["d" * 200] * 8)
    write(tmp_path, f"{folder}/f", ("東" * 290 + "\n") * 60)
    settled = await call.ok("grep", pattern="東", context=50, max_results=3)
    assert len(settled.text.encode()) < 64 * 1024
    assert settled.data.next_offset == 1
    many = await call.ok("grep", pattern="(?s)東.*", multiline=True)
    assert "more lines of this match" in many.text
    assert len(many.text.encode()) < 64 * 1024


async def test_it_ends_at_its_time_limit_with_what_it_has(
    call: Calling, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a", "hit\n")
    monkeypatch.setattr(find_module, "LIMIT_S", -1.0)
    settled = await call.ok("grep", pattern="hit")
    assert "results may be missing" in settled.text
    assert not settled.data.complete


async def test_what_could_not_be_read_is_said(call: Calling, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a", "hit\n")
    write(tmp_path, "b", "hit\n")
    really = os.open

    def refuse(path: Any, *args: Any, **more: Any) -> int:
        if path == "a":
            raise PermissionError(13, "Permission denied")
        return really(path, *args, **more)

    monkeypatch.setattr(os, "open", refuse)
    assert await lines(call, pattern="hit") == ["b:1:hit", "", "Some files or folders could not be read (permissions)."]


async def test_a_file_or_folder_that_cannot_be_read_is_an_error(
    call: Calling, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a/b", "hit\n")
    really = os.open

    def refuse(path: Any, *args: Any, **more: Any) -> int:
        if path in (".", "b"):
            raise PermissionError(13, "Permission denied")
        return really(path, *args, **more)

    monkeypatch.setattr(os, "open", refuse)
    settled = await call("grep", pattern="hit", path="a/b")
    assert settled.error == "EACCES"
    assert "a/b cannot be read: permission denied. Use another path" in settled.text


async def test_a_cancelled_search_is_back_at_once_and_its_thread_ends(call: Calling, tmp_path: Path) -> None:
    write(tmp_path, "flood", b"x\n" * 5_000_000)
    tool = grep_tool(tmp_path)
    with anyio.fail_after(1.5), anyio.move_on_after(0.05) as scope:
        await tool.execute(GrepInput(pattern="x", output="count"), call.context())
    assert scope.cancelled_caught
    with anyio.fail_after(2):
        while any("count" in str(thread) for thread in threading.enumerate()):
            await anyio.lowlevel.checkpoint()


async def test_people_see_items_and_what_is_missing(call: Calling, tmp_path: Path) -> None:
    write(tmp_path, "a", "hit\nhit\n")
    await call.ok("grep", pattern="hit")
    assert call.view() == Items(("a:1:hit", "a:2:hit"))
    await call.ok("grep", pattern="hit", max_results=1)
    assert call.view() == Stack((Items(("a:1:hit",)), Text("There are more results; go on with offset=1.")))


async def test_a_pattern_too_large_for_unicode_says_that_it_knows_ascii_only(call: Calling, tmp_path: Path) -> None:
    write(tmp_path, "a", "a" * 400)
    text = (await call.ok("grep", pattern=r"^\w{400}$")).text
    assert text.startswith("a:1:aaa")
    assert "know only ASCII here" in text


async def test_it_says_what_it_is(call: Calling, tmp_path: Path) -> None:
    tool = grep_tool(tmp_path)
    asked = GrepInput(pattern="to_datetime", path="src/")
    assert tool.is_read_only(asked)
    assert tool.is_concurrency_safe(asked)
    assert tool.is_search_or_read(asked)
    assert tool.headline(asked) == Headline("Search", '"to_datetime"', "in src/")
    assert tool.headline(GrepInput(pattern="x")) == Headline("Search", '"x"')
    assert tool.subject(asked, call.context()) == PathSubject("read", "src")
    assert tool.aliases == ("Grep",)
    assert "RE2" in tool.prompt()


async def test_ripgrep_that_cannot_tell_leaves_the_work_to_our_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program of that name that fails, floods or never ends changes no answer."""
    (tmp_path / "root").mkdir()
    write(tmp_path, "root/a", "hit\n")
    monkeypatch.setattr(ripgrep, "LIMIT_S", 0.2)
    monkeypatch.setattr(ripgrep, "MAX_PROPOSED_BYTES", 1000)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    for script in ("echo broken >&2; exit 2", "exit 9", "exec sleep 60", "while :; do echo x; done", None):
        program = b"\x7fnot a program" if script is None else f"#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n"
        write(tmp_path, "bin/rg", program).chmod(0o755)
        async with calling(grep_tool(tmp_path / "root")) as call:
            with anyio.fail_after(10):
                assert await lines(call, pattern="hit") == ["a:1:hit"]


async def test_a_program_that_proposes_anything_gets_nothing_more_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "secret", "hit\n")
    for path in ("root/a", "root/.b", "root/node_modules/c"):
        write(tmp_path, path, "hit\n")
    proposals = "./a\\0./.b\\0./node_modules/c\\0../secret\\0gone\\0/etc/passwd\\0"
    write(tmp_path, "bin/rg", f"#!/bin/sh\nprintf '{proposals}'\n").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    async with calling(grep_tool(tmp_path / "root")) as call:
        assert await lines(call, pattern="hit|root") == ["a:1:hit"]


async def test_a_ripgrep_inside_the_workspace_is_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = tmp_path / "ran"
    write(tmp_path, "a", "hit\n")
    write(tmp_path, "bin/rg", f"#!/bin/sh\n: > {ran}\n").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    async with calling(grep_tool(tmp_path)) as call:
        assert await lines(call, pattern="hit") == ["a:1:hit"]
    assert not ran.exists()


async def test_the_limit_holds_while_nothing_passes_the_filter(
    tmp_path: Path, tmp_path_factory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    use("own", monkeypatch, tmp_path_factory.mktemp("empty"))
    write(tmp_path, "a", "hit\n")
    monkeypatch.setattr(find_module, "LIMIT_S", -1.0)
    async with calling(grep_tool(tmp_path)) as call:
        assert "results may be missing" in (await call.ok("grep", pattern="hit", glob="*.none")).text


@pytest.mark.parametrize("data", [b"x\0hit\n", b"x\0", "hit".encode("utf-16-le"), b"x\n" * 600_000 + b"hit\0"])
async def test_a_binary_file_that_is_asked_for_is_said_to_be_one(call: Calling, tmp_path: Path, data: bytes) -> None:
    write(tmp_path, "f", data)
    assert "f is a binary file, which is not searched" in (await call.ok("grep", pattern="hit", path="f")).text
    assert "No matches" in (await call.ok("grep", pattern="hit")).text


async def test_a_glob_from_here_is_understood_and_one_that_leaves_is_refused(call: Calling, tmp_path: Path) -> None:
    write(tmp_path, "src/a.py", "hit\n")
    write(tmp_path, "a.py", "hit\n")
    assert await lines(call, pattern="hit", glob="./src/**/*.py") == ["src/a.py:1:hit"]
    assert await lines(call, pattern="hit", glob="./*.py") == ["a.py:1:hit"]
    for glob in ("../*.py", "src/../../*", "{..,src}/*"):
        assert "give that folder as the path" in (await call("grep", pattern="hit", glob=glob)).text
    for glob in ("", " ", "/", "{,}", "a/{,b}/../c"):
        assert (await call("grep", pattern="hit", glob=glob)).error == "BadGlob"


async def test_no_matches_names_the_filters_and_what_other_engines_mean(call: Calling, tmp_path: Path) -> None:
    write(tmp_path, "a.py", "hit\n")
    text = (await call.ok("grep", pattern="hit", glob="*.md", type="md")).text
    assert text == "No matches for 'hit', in files that match '*.md' and are of type md."
    assert "the edge of a word is \\b" in (await call.ok("grep", pattern=r"\<hit\>")).text


async def test_what_no_account_but_the_owner_may_read_is_an_error_that_helps(call: Calling) -> None:
    with folder_for_all() as folder:
        for name in ("closed", "listed"):
            write(folder, f"{name}/f", "hit\n")
        async with calling(grep_tool(folder)) as there:
            (folder / "closed").chmod(0)
            (folder / "listed").chmod(0o444)
            with without_rights():
                for path in ("closed", "closed/f", "closed/none", "listed", "listed/f"):
                    settled = await there("grep", pattern="hit", path=path)
                    assert settled.error == "EACCES" or "could not be read" in settled.text
                    assert "unexpectedly" not in settled.text
            (folder / "closed").chmod(0o755)
