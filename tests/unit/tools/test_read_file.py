"""read_file: what is in a file, at a length a model can take, and nothing it cannot trust."""

import base64
import json
import struct
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tah_jupyter.core.approvals import PathSubject
from tah_jupyter.core.calls import Headline
from tah_jupyter.core.views import Code, Picture, Text
from tah_jupyter.host.files.workspace import Workspace
from tah_jupyter.tools.read_file import ReadFileInput, read_file_tool
from tests.support.calling import Calling, calling

pytestmark = pytest.mark.anyio

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


@pytest.fixture
async def call(tmp_path: Path) -> AsyncIterator[Calling]:
    async with calling(read_file_tool(tmp_path)) as started:
        yield started


async def read(call: Calling, path: Path, data: bytes | str, **page: int) -> str:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return (await call.ok("read_file", path=path.name, **page)).text


async def test_lines_come_with_numbers(call: Calling, tmp_path: Path) -> None:
    assert await read(call, tmp_path / "f.py", "a\n\n\tb\n") == "     1\ta\n     2\t\n     3\t\tb"
    assert call.view() == Code("a\n\n\tb", language="py", first_line=1)


async def test_a_partial_page_says_so_and_how_to_go_on(call: Calling, tmp_path: Path) -> None:
    text = "".join(f"{n}\n" for n in range(1, 11))
    path = tmp_path / "f"
    assert (await read(call, path, text, limit=2)).endswith("[PARTIAL: lines 1 to 2 of 10. Go on with offset=3.]")
    assert await read(call, path, text, offset=9) == "     9\t9\n    10\t10\n[PARTIAL: lines 9 to 10 of 10.]"
    assert await read(call, path, text, offset=11) == "Line 11 is past the end: f has 10 lines."


async def test_a_page_stays_under_the_limit_of_a_result(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("".join(f"{n} {'x' * 90}\n" for n in range(2000)))
    offset, seen = 1, 0
    while offset:
        result = await call.ok("read_file", path="f", offset=offset)
        assert len(result.text) <= 30_000
        seen += result.text.count("\t")
        offset = int(result.text.rpartition("offset=")[2].rstrip(".]")) if "offset=" in result.text else 0
    assert seen == 2000


async def test_a_long_line_is_cut_and_says_so(call: Calling, tmp_path: Path) -> None:
    text = await read(call, tmp_path / "f", "x" * 2000 + "\n" + "y" * 2001 + "\n")
    assert "x\n     2\ty" in text
    assert "y" * 2000 + "… [cut: this line has 2,001 characters]" in text
    assert text.endswith("[Lines over 2,000 characters are cut; each says how long it is.]")


async def test_one_long_line_still_fits(call: Calling, tmp_path: Path) -> None:
    assert len(await read(call, tmp_path / "f", "x" * 5_000_000)) < 3000


async def test_an_empty_file_is_a_notice(call: Calling, tmp_path: Path) -> None:
    assert await read(call, tmp_path / "f", "") == "f is empty."
    assert call.view() == Text("Empty file")


@pytest.mark.parametrize(
    ("data", "lines", "notes"),
    [
        (b"a\r\nb\r\n", "a|b", ["Its line ends are CRLF."]),
        (b"a\rb\r", "a|b", ["Its line ends are CR."]),
        (b"a\r\nb\n", "a|b", ["Its line ends are mixed."]),
        (b"a\nb", "a|b", ["Its last line has no newline."]),
        (b"a", "a", []),
        ("é\n".encode("utf-8-sig"), "é", ["Encoding: UTF-8 with BOM."]),
        ("é\n".encode("utf-16-le"), None, []),
        (b"\xff\xfe" + "é\n".encode("utf-16-le"), "é", ["Encoding: UTF-16 LE."]),
        (b"\xfe\xff" + "é\n".encode("utf-16-be"), "é", ["Encoding: UTF-16 BE."]),
        ("caf\xe9\n".encode("latin-1"), "café", ["Encoding: Latin-1 (Windows-1252)."]),
        ("é é ".encode() + b"\xff\n", "é é \ufffd", ["Encoding: UTF-8 with invalid bytes."]),
        ("a\x0cb\u2028c\n".encode(), "a\x0cb\u2028c", []),
    ],
)
async def test_encodings_and_line_ends_are_named(
    call: Calling, tmp_path: Path, data: bytes, lines: str | None, notes: list[str]
) -> None:
    (tmp_path / "f").write_bytes(data)
    settled = await call("read_file", path="f")
    if lines is None:
        assert settled.error == "NotText"
        return
    numbered = [f"{number:>6}\t{line}" for number, line in enumerate(lines.split("|"), start=1)]
    assert settled.text.split("\n") == [*numbered, *(f"[{note}]" for note in notes)]


async def test_an_unchanged_file_is_not_repeated(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "f"
    await read(call, path, "a\nb\n")
    assert "has not changed" in await read(call, path, "a\nb\n")
    assert "     2\tb" in await read(call, path, "a\nb\n", offset=2)
    assert "     1\tc" in await read(call, path, "c\n")
    assert "     1\ta" in await read(call, path, "a\nb\n")


@pytest.mark.parametrize(
    ("data", "kind"),
    [(b"\x7fELF\0", "program or library (ELF), 5 bytes"), (b"a\0b", "binary file, 3 bytes")],
)
async def test_what_is_no_text_is_refused_with_type_and_size(
    call: Calling, tmp_path: Path, data: bytes, kind: str
) -> None:
    (tmp_path / "f").write_bytes(data)
    settled = await call("read_file", path="f")
    assert settled.error == "NotText"
    assert kind in settled.text


async def test_a_picture_is_shown_when_the_model_sees(tmp_path: Path) -> None:
    (tmp_path / "p.png").write_bytes(PIXEL)
    async with calling(read_file_tool(tmp_path), vision=True) as call:
        text = (await call.ok("read_file", path="p.png")).text
        view = call.view()
    assert text == f"p.png is a picture: image/png, 1 × 1 pixels, {len(PIXEL)} bytes."
    assert isinstance(view, Picture)
    assert base64.b64decode(view.data) == PIXEL
    async with calling(read_file_tool(tmp_path)) as call:
        assert (await call.ok("read_file", path="p.png")).text == text
        assert call.view() == Text(text)


async def test_a_notebook_comes_by_cells(call: Calling, tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "id": "m1", "source": ["# Title\n", "text"]},
        {"cell_type": "code", "id": "c1", "source": "1 + 1", "execution_count": 3, "outputs": []},
    ]
    text = await read(call, tmp_path / "n.ipynb", json.dumps({"cells": cells}))
    assert [line.partition("\t")[2] for line in text.split("\n")] == [
        "# cell 1 of 2 · markdown · id m1",
        "# Title",
        "text",
        "# cell 2 of 2 · code · id c1 · ran as [3]",
        "1 + 1",
    ]


@pytest.mark.parametrize("data", ["{", "[]", '{"cells": 3}', '{"cells": [1]}'])
async def test_a_broken_notebook_comes_as_it_is(call: Calling, tmp_path: Path, data: str) -> None:
    text = await read(call, tmp_path / "n.ipynb", data)
    assert text.startswith(f"     1\t{data}\n[Not a notebook that can be read (")


async def test_a_pdf_without_a_reader_names_what_is_missing(
    call: Calling, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    (tmp_path / "d.pdf").write_bytes(b"%PDF-1.7\n")
    settled = await call("read_file", path="d.pdf")
    assert settled.error == "NoPdfReader"
    assert "pypdf" in settled.text


async def test_a_file_that_is_too_large_is_refused_without_reading_it(call: Calling, tmp_path: Path) -> None:
    with (tmp_path / "f").open("wb") as file:
        file.truncate(1 << 40)
    settled = await call("read_file", path="f")
    assert settled.error == "TooLarge"
    assert "1,099.5 GB; files over 67.1 MB are not read" in settled.text


@pytest.mark.parametrize("page", [{"offset": 0}, {"limit": 0}, {"offset": "x"}, {"ofset": 3}])
async def test_wrong_arguments_are_refused(call: Calling, tmp_path: Path, page: dict[str, int]) -> None:
    (tmp_path / "f").write_text("x")
    settled = await call("read_file", path="f", **page)
    assert settled.error == "InvalidInput"
    assert "ofset" not in page or "offset" in settled.text


async def test_missing_files_and_folders_say_what_to_do(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "load.py").write_text("x")
    assert "does not exist. Nearest: src/load.py." in (await call("read_file", path="src/laod.py")).text
    assert (await call("read_file", path="src")).text == (
        "src is a folder, not a regular file; list it to see what it holds."
    )
    assert (await call("read_file", path="src/load.py/x")).error == "BadPath"


def test_it_is_a_safe_read(tmp_path: Path) -> None:
    tool, input = read_file_tool(tmp_path), ReadFileInput(path="f")
    assert tool.is_concurrency_safe(input)
    assert tool.is_read_only(input)
    assert tool.is_search_or_read(input)
    assert tool.headline(input) == Headline("Read", "f")
    assert tool.headline(ReadFileInput(path="f", offset=5)) == Headline("Read", "f", "from 5")


async def test_the_subject_is_where_the_path_leads(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(".env")
    tool = read_file_tool(Workspace(tmp_path))
    assert tool.subject(ReadFileInput(path="link"), call.context()) == PathSubject("read", ".env")
    assert tool.subject(ReadFileInput(path="a\0"), call.context()) == PathSubject("read", "a\0")


async def test_a_broken_header_of_a_picture_is_no_picture(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13))
    assert (await call("read_file", path="p")).error == "NotText"


async def test_a_picture_too_large_to_be_shown_says_so(tmp_path: Path) -> None:
    header = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 40, 20)
    (tmp_path / "p.png").write_bytes(header + b"x" * 5_000_000)
    async with calling(read_file_tool(tmp_path), vision=True) as call:
        settled = await call.ok("read_file", path="p.png")
        assert settled.text.startswith("p.png is a picture: image/png, 40 × 20 pixels, 5.0 MB.")
        assert "too large to be shown" in settled.text
        assert isinstance(call.view(), Text)
        assert "not changed since" in (await call.ok("read_file", path="p.png")).text


@pytest.mark.parametrize("value", [True, False])
async def test_true_and_false_are_no_numbers(call: Calling, tmp_path: Path, value: bool) -> None:
    (tmp_path / "f").write_text("a\n")
    settled = await call("read_file", path="f", limit=value)
    assert settled.error == "InvalidInput"
    assert "limit: it must be a number, not true or false" in settled.text
    assert (await call.ok("read_file", path="f", limit="1", offset=1.0)).text == "     1\ta"


@pytest.mark.parametrize("size", [9_000, 300_000])
async def test_an_error_that_repeats_a_huge_argument_is_cut(call: Calling, size: int) -> None:
    settled = await call("read_file", path="f", **{"x" * size: 1})
    assert settled.error == "InvalidInput"
    assert len(settled.text) <= 10_200
    assert "the field" in settled.text or "there is no field" in settled.text
