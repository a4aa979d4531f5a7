"""write_file: a whole file, new or replaced, and never over what nobody has seen."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tah_jupyter.core.calls import Change, Headline
from tah_jupyter.core.views import Diff
from tah_jupyter.host.files.workspace import ABSENT, Workspace, digest_of
from tah_jupyter.tools.edit_file import edit_file_tool
from tah_jupyter.tools.read_file import read_file_tool
from tah_jupyter.tools.write_file import write_file_tool
from tests.support.calling import Calling, calling

pytestmark = pytest.mark.anyio


@pytest.fixture
async def call(tmp_path: Path) -> AsyncIterator[Calling]:
    workspace = Workspace(tmp_path)
    async with calling(write_file_tool(workspace), read_file_tool(workspace), edit_file_tool(workspace)) as started:
        yield started


async def test_a_new_file_is_made_with_its_parents(call: Calling, tmp_path: Path) -> None:
    settled = await call.ok("write_file", path="a/b/c.txt", content="one\ntwo\n")
    assert (tmp_path / "a/b/c.txt").read_bytes() == b"one\ntwo\n"
    assert settled.text == "Created a/b/c.txt: +2 −0 lines, 8 bytes."
    assert settled.changes == (Change("a/b/c.txt", action="created", added=2),)
    view = call.view()
    assert isinstance(view, Diff)
    assert (view.action, view.added, view.notes) == ("created", 2, ())


async def test_the_card_of_a_new_file_shows_all_of_it(call: Calling, tmp_path: Path) -> None:
    preview = await call.preview("write_file", path="n", content="x\u2066y")
    assert (preview.fingerprint, preview.headline) == (ABSENT, Headline("Write", "n", "+1 −0"))
    assert preview.concerns == ("hidden characters in the new text: U+2066",)
    assert isinstance(preview.view, Diff)
    assert preview.view.notes == ("no newline at the end of the file",)
    assert not (tmp_path / "n").exists()


async def test_an_unread_file_is_not_overwritten(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"precious\n")
    settled = await call("write_file", path="f", content="x")
    assert settled.error == "NotRead"
    assert "Read all of it first" in settled.text
    assert path.read_bytes() == b"precious\n"
    preview = await call.preview("write_file", path="f", content="x")
    assert preview.concerns == ("replaces a file that was not read in its present state",)
    assert preview.fingerprint == digest_of(b"precious\n")


async def test_a_person_who_approved_the_diff_may_overwrite_it(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"precious\n")
    settled = await call("write_file", approved_by_person=True, path="f", content="new\n")
    assert settled.text == "Replaced f: +1 −1 lines, 4 bytes."
    assert (tmp_path / "f").read_bytes() == b"new\n"


async def test_a_file_that_was_read_whole_may_be_overwritten(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"1\n2\n3\n")
    await call.ok("read_file", path="f", limit=2)
    assert (await call("write_file", path="f", content="x")).error == "NotRead"
    await call.ok("read_file", path="f", offset=3)
    await call.ok("write_file", path="f", content="x")
    await call.ok("write_file", path="f", content="y")  # it knows what it wrote
    await call.ok("edit_file", path="f", old_string="y", new_string="z")
    await call.ok("write_file", path="f", content="w")  # and what it edited
    path.write_bytes(b"by somebody else")
    assert (await call("write_file", path="f", content="x")).error == "NotRead"


async def test_a_file_whose_lines_were_cut_was_not_read_whole(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x" * 3000)
    await call.ok("read_file", path="f")
    assert (await call("write_file", path="f", content="x")).error == "NotRead"


async def test_an_edit_of_an_unread_file_does_not_make_it_read(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"a\nb\n")
    await call.ok("edit_file", path="f", old_string="a", new_string="A")
    assert (await call("write_file", path="f", content="x")).error == "NotRead"


async def test_an_empty_file_has_nothing_to_lose(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    await call.ok("write_file", path="f", content="x")


async def test_writing_what_is_there_already_writes_nothing(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"same\n")
    before = path.stat()
    settled = await call.ok("write_file", path="f", content="same\n")
    assert settled.text == "f has these contents already; nothing was written."
    assert settled.changes == ()
    assert path.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("path", ["n.ipynb", "sub/N.IPYNB", "link"])
async def test_a_notebook_is_not_written_as_text(call: Calling, tmp_path: Path, path: str) -> None:
    (tmp_path / "link").symlink_to("target.ipynb")
    settled = await call("write_file", path=path, content="{}")
    assert settled.error == "Notebook"
    assert not list(tmp_path.rglob("*.ipynb"))


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n"),
        (b"a\r\nb\r\n", "x\r\ny\n", b"x\r\ny\n"),
        (b"a\r\nb\n", "x\ny\n", b"x\ny\n"),
        (b"a\n", "x\r\n", b"x\r\n"),
        (b"\xef\xbb\xbfa\n", "x\n", b"\xef\xbb\xbfx\n"),
        (b"\xef\xbb\xbfa\n", "\ufeffx\n", b"\xef\xbb\xbfx\n"),
        ("a\n".encode("utf-16"), "é\n", "é\n".encode("utf-16")),
        ("café\n".encode("latin-1"), "Größe\n", "Größe\n".encode("latin-1")),
        ("café\n".encode("latin-1"), "中\n", "中\n".encode()),
    ],
)
async def test_a_replaced_file_keeps_how_it_is_written(
    call: Calling, tmp_path: Path, before: bytes, content: str, after: bytes
) -> None:
    path = tmp_path / "f"
    path.write_bytes(before)
    settled = await call("write_file", approved_by_person=True, path="f", content=content)
    assert not settled.is_error
    assert path.read_bytes() == after


async def test_what_changes_beside_the_lines_is_said(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes("café\r\n".encode("latin-1"))
    preview = await call.preview("write_file", path="f", content="é\n")
    assert isinstance(preview.view, Diff)
    assert preview.view.notes == ("encoding: Latin-1 (Windows-1252)", "CRLF line ends")
    preview = await call.preview("write_file", path="f", content="中\n")
    assert isinstance(preview.view, Diff)
    assert "encoding changes from Latin-1 (Windows-1252) to UTF-8" in preview.view.notes
    settled = await call("write_file", approved_by_person=True, path="f", content="中\n")
    assert settled.text.endswith(
        "Its CRLF line ends were kept. Its encoding, Latin-1 (Windows-1252), cannot hold the new text; it is UTF-8 now."
    )


async def test_replacing_what_is_no_text_says_so(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"PAR1\0\0\0\0")
    preview = await call.preview("write_file", path="f", content="x\n")
    assert isinstance(preview.view, Diff)
    assert (preview.view.action, preview.view.removed) == ("modified", 0)
    assert preview.view.notes == ("replaces what is not text: Parquet file, 8 bytes",)
    assert (await call("write_file", path="f", content="x\n")).error == "NotRead"


async def test_a_hard_linked_file_is_written_in_place_with_a_notice(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"a long old text\n")
    os.link(tmp_path / "f", tmp_path / "g")
    preview = await call.preview("write_file", path="f", content="x\n")
    assert "the file has 2 names (hard links) and is written in place" in preview.concerns
    settled = await call("write_file", approved_by_person=True, path="f", content="x\n")
    assert "2 names (hard links); all of them show the change" in settled.text
    assert (tmp_path / "g").read_bytes() == b"x\n"


async def test_a_folder_is_not_a_file(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    for path in ("d", "d/", ".", "new/"):
        assert (await call("write_file", path=path, content="x")).error == "NotRegular"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["d"]


async def test_half_a_character_is_refused_before_anything_is_written(call: Calling, tmp_path: Path) -> None:
    assert (await call("write_file", path="f", content="\ud800")).is_error
    assert (await call("write_file", path="\ud800", content="x")).is_error
    assert not list(tmp_path.iterdir())
