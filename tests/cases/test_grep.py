"""Cases of grep and list_files: real failures of other tools, each over all its variants and with every engine."""

import json
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import psutil
import pytest

from tah_jupyter.host.files.names import decode_name
from tah_jupyter.host.files.workspace import Workspace
from tah_jupyter.tools.grep import grep_tool
from tah_jupyter.tools.list_files import list_files_tool
from tests.support.calling import Calling, calling
from tests.support.engines import ENGINES, use

pytestmark = pytest.mark.anyio


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: Any) -> str:
    use(request.param, monkeypatch, tmp_path_factory.mktemp("empty"))
    name: str = request.param
    return name


async def longest_lag_s(call: Calling, **search: Any) -> tuple[float, str]:
    """The longest time the loop did not come round while the search ran, and the answer."""
    longest = 0.0
    answer = ""

    async def watch(scope: anyio.CancelScope) -> None:
        nonlocal longest
        with scope:
            while True:
                began = time.perf_counter()
                await anyio.lowlevel.checkpoint()
                longest = max(longest, time.perf_counter() - began)

    async with anyio.create_task_group() as tasks:
        scope = anyio.CancelScope()
        tasks.start_soon(watch, scope)
        answer = (await call("grep", **search)).text
        scope.cancel()
    return longest, answer


@pytest.mark.case("GREP-01")
@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "(.*)*x", "(x+x+)+y", "(a*)*c", r"(\w+\s?)*!", r"^(([a-z])+.)+[A-Z]$"]
)
@pytest.mark.parametrize("line", ["a" * 35 + "!", "x" * 50_000 + " " + "a" * 50_000])
async def test_no_pattern_freezes_the_loop(tmp_path: Path, engine: str, pattern: str, line: str) -> None:
    (tmp_path / "evil.txt").write_text(line + "\n")
    async with calling(grep_tool(tmp_path)) as call:
        with anyio.fail_after(5):
            lags = [(await longest_lag_s(call, pattern=pattern))[0] for _ in range(3)]
    assert min(lags) < 0.1  # the best of three: the machine may be busy with other things


@pytest.mark.case("GREP-01")
@pytest.mark.parametrize(
    "pattern",
    [
        r"\w{1000}",
        r"(\w{30}){30}",
        r"\w" * 2000,
        r"\p{L}" * 900,
        "(a{900})" * 20,
        "|".join(f"w{n}" for n in range(900)),
    ],
)
async def test_a_huge_pattern_does_not_freeze_the_loop_either(tmp_path: Path, engine: str, pattern: str) -> None:
    (tmp_path / "text.txt").write_text("a" * 3000 + "\n")
    async with calling(grep_tool(tmp_path)) as call:
        lags = [(await longest_lag_s(call, pattern=pattern))[0] for _ in range(3)]
    assert min(lags) < 0.15


@pytest.mark.case("GREP-03")
@pytest.mark.parametrize("search", [{}, {"context": 50}, {"ignore_case": True}, {"multiline": True}], ids=str)
async def test_a_long_line_is_cut_around_its_match(tmp_path: Path, engine: str, search: dict[str, Any]) -> None:
    line = "var a=1;" * 70_000 + "export_rtd()" + "var b=2;" * 70_000
    (tmp_path / "min.js").write_text("\n".join([line] * 40) + "\n")
    async with calling(grep_tool(tmp_path)) as call:
        text = (await call.ok("grep", pattern="rtd", **search)).text
    assert len(text.encode()) <= 64 * 1024
    assert "export_rtd()" in text
    assert "characters of this line not shown" in text


@pytest.mark.case("GREP-03")
async def test_many_wide_lines_stay_under_the_cap_and_say_how_to_go_on(tmp_path: Path, engine: str) -> None:
    (tmp_path / "wide.txt").write_text(("東京" * 400 + "\n") * 3000)
    async with calling(grep_tool(tmp_path)) as call:
        settled = await call.ok("grep", pattern="東", max_results=3000, context=3)
        assert len(settled.text.encode()) <= 64 * 1024
        assert settled.data.next_offset
        assert f"offset={settled.data.next_offset}" in settled.text


@pytest.mark.case("GREP-05")
@pytest.mark.parametrize(
    ("pattern", "at", "said"),
    [
        ("(", 1, "never closed"),
        ("foo(?=bar)", 4, "look-ahead"),
        ("foo(?!bar)", 4, "look-ahead"),
        ("(?<=a)b", 1, "look-behind"),
        ("(?<!a)b", 1, "look-behind"),
        ("(a)\\1", 4, "backreference"),
        ("(?P<n>a)(?P=n)", 9, "backreference"),
        (r"(?P<n>a)\k<n>", 9, "backreference"),
        ("[z-a]", 2, "backwards"),
        ("(?P<x", 1, "named group"),
        ("a)", 2, "closes nothing"),
        ("a[b", 2, "never closed"),
        ("*a", 1, "repeats nothing"),
        ("a**", 3, "repeats nothing"),
        ("a++", 2, "possessive"),
        ("a{1001}", 2, "repetition"),
        ("ab\\", 3, "escapes nothing"),
        ("(?>a)", 1, "atomic"),
        ("(?x)a", 1, "flag x"),
        (r"a\Z", 2, "not support"),
        (r"\p{Nowhere}", 1, "Nowhere"),
        ("(?(1)a|b)", 1, "condition"),
        ("[[:nowhere:]]", 2, "nowhere"),
        ("a\nb", 2, "multiline=true"),
        (r"a\nb", 2, "multiline=true"),
        (r"\y", 1, "not an escape"),
        (r"[^\Wa]", 1, "cannot leave out a"),
        (r"\x{D800}", 1, "not a character"),
    ],
)
async def test_a_pattern_that_cannot_be_used_is_an_error_with_its_place(
    tmp_path: Path, engine: str, pattern: str, at: int, said: str
) -> None:
    (tmp_path / "a.txt").write_text("foobar (a)\n")
    async with calling(grep_tool(tmp_path)) as call:
        settled = await call("grep", pattern=pattern)
        assert settled.error == "BadPattern"
        assert f"at character {at}:" in settled.text
        assert said in settled.text
        assert "a.txt:1:" in (await call.ok("grep", pattern="foobar")).text


_FLOOD = """
import sys, anyio
from tah_jupyter.runtime.context import Runtime
from tah_jupyter.tools.grep import GrepInput, grep_tool
def peak():
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
async def main():
    async with Runtime() as runtime:
        ctx = runtime.tool_context(session_id="s", call_id="c")
        tool = grep_tool(sys.argv[1])
        await tool.execute(GrepInput(pattern="warm"), ctx)
        before = peak()
        result = await tool.execute(GrepInput(pattern=".", max_results=100), ctx)
        print(len(result.text.splitlines()), result.data.next_offset, peak() - before)
anyio.run(main)
"""


@pytest.mark.case("GREP-08")
async def test_a_flood_of_matches_stops_at_the_page_and_keeps_memory_flat(tmp_path: Path, engine: str) -> None:
    (tmp_path / "flood.txt").write_bytes(b"match\n" * 10_000_000)
    run = await anyio.run_process([sys.executable, "-c", _FLOOD, str(tmp_path)])
    lines, offset, grown_kib = map(int, run.stdout.split())
    assert (lines, offset) == (102, 100)
    assert grown_kib < 50 * 1024
    assert "rg" not in [child.name() for child in psutil.Process().children(recursive=True)]


def make_specials(root: Path) -> None:
    (root / "a.txt").write_text("needle\n")
    os.mkfifo(root / "logs.pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        folder = os.open(root, os.O_RDONLY)
        listener.bind(f"/proc/self/fd/{folder}/s.sock")
        os.close(folder)
    (root / "zero").symlink_to("/dev/zero")
    (root / "memory").symlink_to("/proc/self/mem")


@pytest.mark.case("PATH-07")
async def test_grep_over_a_folder_with_pipes_and_sockets_returns_at_once(tmp_path: Path, engine: str) -> None:
    make_specials(tmp_path)
    async with calling(grep_tool(tmp_path)) as call:
        with anyio.fail_after(2):
            assert (await call.ok("grep", pattern="needle|.")).text == "a.txt:1:needle"


@pytest.mark.case("PATH-07")
@pytest.mark.parametrize(("path", "kind"), [("logs.pipe", "named pipe"), ("s.sock", "socket")])
async def test_grep_in_a_pipe_or_socket_is_refused_at_once(tmp_path: Path, engine: str, path: str, kind: str) -> None:
    make_specials(tmp_path)
    async with calling(grep_tool(tmp_path)) as call:
        with anyio.fail_after(2):
            settled = await call("grep", pattern="x", path=path)
    assert settled.is_error
    assert kind in settled.text


@pytest.mark.case("PATH-07")
@pytest.mark.parametrize("more", [{}, {"glob": "**"}, {"include_ignored": True}], ids=str)
async def test_list_files_names_pipes_and_sockets_without_opening_them(tmp_path: Path, more: dict[str, Any]) -> None:
    make_specials(tmp_path)
    async with calling(list_files_tool(tmp_path)) as call:
        with anyio.fail_after(2):
            text = (await call.ok("list_files", **more)).text
    assert {"logs.pipe", "s.sock", "zero"} <= {line.split()[0] for line in text.splitlines() if line}


@pytest.mark.case("PATH-07")
async def test_a_gitignore_that_is_a_pipe_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("needle\n")
    os.mkfifo(tmp_path / ".gitignore")
    use("own", monkeypatch, tmp_path)
    async with calling(grep_tool(tmp_path), list_files_tool(tmp_path)) as call:
        with anyio.fail_after(2):
            assert "a.txt" in (await call.ok("list_files")).text
            assert (await call.ok("grep", pattern="needle")).text == "a.txt:1:needle"


@pytest.mark.case("PATH-10")
@pytest.mark.parametrize("name", [b"bad_\xff.md", b"caf\xe9\xe8.md", b"new\nline.md", b"esc\x1b[31m.md", b"\\xff.md"])
async def test_a_name_that_is_not_utf8_goes_out_and_comes_back(tmp_path: Path, engine: str, name: bytes) -> None:
    folder = os.fsencode(tmp_path) + b"/sub"
    os.mkdir(folder)
    with open(folder + b"/" + name, "wb") as file:
        file.write(b"needle\n")
    workspace = Workspace(tmp_path)
    async with calling(grep_tool(workspace), list_files_tool(workspace)) as call:
        tree = (await call.ok("list_files", path=".")).text
        listed = (await call.ok("list_files", glob="**/*.md")).text
        found = (await call.ok("grep", pattern="needle", output="files")).text
        again = (await call.ok("grep", pattern="needle", path=found)).text
    json.dumps([tree, listed, found]).encode()
    "".join([tree, listed, found]).encode()
    assert listed == found == again.removesuffix(":1:needle")
    assert found.removeprefix("sub/") in tree
    assert os.fsencode(decode_name(found)) == b"sub/" + name
    assert (await anyio.to_thread.run_sync(workspace.read, found)).data == b"needle\n"
