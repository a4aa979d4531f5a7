"""PDF text comes by pages from the optional pypdf; a stand-in with its interface takes its place here."""

import sys
from io import BytesIO
from pathlib import Path
from types import ModuleType

import pytest

from tah_jupyter.core.errors import ToolError
from tah_jupyter.host.files.pdf import pdf_pages
from tah_jupyter.tools.read_file import read_file_tool
from tests.support.calling import calling


class Page:
    def __init__(self, text: str) -> None:
        self.text = text

    def extract_text(self) -> str:
        return self.text


class Reader:
    def __init__(self, stream: BytesIO) -> None:
        words = stream.read().decode().split()[1:]
        if "broken" in words:
            raise KeyError("no trailer")
        self.pages = [Page(word * 9000 if word == "long" else word) for word in words]


@pytest.fixture(autouse=True)
def _pypdf(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("pypdf")
    module.PdfReader = Reader  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pypdf", module)


def test_pages_are_counted_from_1() -> None:
    data = b"%PDF-1.4 one two three"
    assert pdf_pages(data, "d.pdf", first=2, count=1, room=99) == (["two"], 3)
    assert pdf_pages(data, "d.pdf", first=3, count=9, room=99) == (["three"], 3)
    assert pdf_pages(data, "d.pdf", first=4, count=9, room=99) == ([], 3)


def test_a_broken_document_is_an_error_that_names_it() -> None:
    with pytest.raises(ToolError, match=r"d\.pdf could not be read as a PDF document: .*no trailer"):
        pdf_pages(b"%PDF-1.4 broken", "d.pdf", first=1, count=1, room=99)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("page", "text"),
    [
        ({}, "# page 1 of 3\none\n# page 2 of 3\ntwo\n# page 3 of 3\nthree"),
        ({"limit": 1}, "# page 1 of 3\none\n[PARTIAL: pages 1 to 1 of 3. Go on with offset=2.]"),
        ({"offset": 3}, "# page 3 of 3\nthree\n[PARTIAL: pages 3 to 3 of 3.]"),
        ({"offset": 4}, "Page 4 is past the end: d.pdf has 3 pages."),
    ],
)
async def test_a_document_is_read_by_pages(tmp_path: Path, page: dict[str, int], text: str) -> None:
    (tmp_path / "d.pdf").write_bytes(b"%PDF-1.4 one two three")
    async with calling(read_file_tool(tmp_path)) as call:
        assert (await call.ok("read_file", path="d.pdf", **page)).text == text


@pytest.mark.anyio
async def test_long_pages_stay_under_the_limit_of_a_result(tmp_path: Path) -> None:
    (tmp_path / "d.pdf").write_bytes(b"%PDF-1.4 long long")
    async with calling(read_file_tool(tmp_path)) as call:
        text = (await call.ok("read_file", path="d.pdf")).text
    assert len(text) < 30_000
    assert text.endswith("[PARTIAL: pages 1 to 1 of 2. Go on with offset=2.]")


def test_no_page_is_read_for_which_there_is_no_room() -> None:
    data = b"%PDF-1.4 " + b"long " * 2000
    texts, total = pdf_pages(data, "d.pdf", first=1, count=2000, room=40_000)
    assert (len(texts), total) == (2, 2000)


@pytest.mark.anyio
async def test_pages_that_were_read_are_not_repeated(tmp_path: Path) -> None:
    (tmp_path / "d.pdf").write_bytes(b"%PDF-1.4 one two")
    async with calling(read_file_tool(tmp_path)) as call:
        assert "one" in (await call.ok("read_file", path="d.pdf", limit=1)).text
        assert "not changed since" in (await call.ok("read_file", path="d.pdf", limit=1)).text
        assert "two" in (await call.ok("read_file", path="d.pdf", offset=2)).text
