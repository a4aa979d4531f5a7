"""edit_file: exactly the passage changes, and what cannot be done is said with what to do next."""

import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tah_jupyter.core.approvals import Grant, PathSubject
from tah_jupyter.core.calls import Change, Headline
from tah_jupyter.core.views import Diff
from tah_jupyter.host.files.text import decode
from tah_jupyter.host.files.workspace import Workspace, digest_of
from tah_jupyter.tools.edit_file import EditFile, EditFileInput, edit_file_tool
from tah_jupyter.tools.read_file import read_file_tool
from tests.support.calling import Calling, calling

pytestmark = pytest.mark.anyio


@pytest.fixture
async def call(tmp_path: Path) -> AsyncIterator[Calling]:
    workspace = Workspace(tmp_path)
    async with calling(edit_file_tool(workspace), read_file_tool(workspace)) as started:
        yield started


async def edit(call: Calling, path: Path, old: str, new: str, **more: bool) -> bytes:
    await call.ok("edit_file", path=path.name, old_string=old, new_string=new, **more)
    return path.read_bytes()


async def refused(call: Calling, path: Path, old: str, new: str, **more: bool) -> str:
    before = path.read_bytes()
    settled = await call("edit_file", path=path.name, old_string=old, new_string=new, **more)
    assert settled.is_error
    assert path.read_bytes() == before
    return f"{settled.error}: {settled.text}"


async def test_one_passage_is_replaced_and_the_change_is_reported(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "load.py"
    path.write_bytes(b"a = 1\nb = 2\nc = 3\n")
    settled = await call.ok("edit_file", path="load.py", old_string="b = 2", new_string="b = 20\nbb = 2")
    assert path.read_bytes() == b"a = 1\nb = 20\nbb = 2\nc = 3\n"
    assert settled.text == "Edited load.py: +2 −1 lines."
    assert settled.changes == (Change("load.py", added=2, removed=1),)
    view = call.view()
    assert isinstance(view, Diff)
    assert [(line.kind, line.text) for line in view.hunks[0].lines if line.kind != " "] == [
        ("-", "b = 2"),
        ("+", "b = 20"),
        ("+", "bb = 2"),
    ]


async def test_the_card_shows_the_whole_diff_and_what_it_was_made_for(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"x\n")
    preview = await call.preview("edit_file", path="f", old_string="x", new_string="y")
    assert preview.headline == Headline("Edit", "f", "+1 −1")
    assert isinstance(preview.view, Diff)
    assert preview.fingerprint == digest_of(b"x\n")
    path.write_bytes(b"x\nmore\n")
    assert (
        await call.preview("edit_file", path="f", old_string="x", new_string="y")
    ).fingerprint != preview.fingerprint
    assert path.read_bytes() == b"x\nmore\n"


async def test_what_is_unusual_is_a_concern(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x\n")
    os.link(tmp_path / "f", tmp_path / "g")
    preview = await call.preview("edit_file", path="f", old_string="x", new_string="a\u202eb\u200b")
    assert preview.concerns == (
        "hidden characters in the new text: U+200B, U+202E",
        "the file has 2 names (hard links) and is written in place",
    )


@pytest.mark.parametrize(
    ("text", "old", "new", "error"),
    [
        ("abcd", "", "X", "EmptyPassage"),
        ("abcd", "bc", "bc", "NoChange"),
        ("a\r\nb", "a\nb", "a\r\nb", "NoChange"),
        ("abcd", "zz", "y", "NotFoundInFile"),
        ("aaa", "aa", "b", "NotUnique"),
        ("a\0b", "a", "b", "NotText"),
    ],
)
async def test_what_cannot_be_done_is_refused(
    call: Calling, tmp_path: Path, text: str, old: str, new: str, error: str
) -> None:
    path = tmp_path / "f"
    path.write_bytes(text.encode())
    assert (await refused(call, path, old, new)).startswith(error)


async def test_an_ambiguous_passage_names_count_and_lines(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"x = 1\ny\nx = 1\n")
    assert "occurs 2 times in f, on lines 1, 3." in await refused(call, path, "x = 1", "x = 2")
    path.write_bytes(b"x x")
    assert "occurs 2 times in f, on line 1." in await refused(call, path, "x", "y")
    path.write_bytes(b"x\n" * 500)
    text = await refused(call, path, "x", "y")
    assert "100 times or more" in text
    assert "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more" in text


async def test_a_missing_passage_shows_the_nearest_lines(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("import os\ndef load_file(name):\n\treturn 1\n")
    text = await refused(call, path, "def load_fil(name):\n    return 1", "x")
    assert "     2\tdef load_file(name):" in text
    assert "     3\t\treturn 1" in text
    assert "No line of it looks like that" in await refused(call, path, "zzzzzzzz qqqq", "x")
    assert "Leave out the line numbers" in await refused(call, path, "     1\timport os", "x")
    assert "No line of it" in await refused(call, path, "\n\n\n", "x")


async def test_replace_all_replaces_every_one(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"x=1\r\nx=2\nx=3")
    assert await edit(call, path, "x=", "y =", replace_all=True) == b"y =1\r\ny =2\ny =3"
    path.write_bytes(b"aaaaa")
    assert await edit(call, path, "aa", "b", replace_all=True) == b"bba"


async def test_a_new_line_takes_the_end_of_its_neighbour(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"a\r\nb\nc\r\nd")
    assert await edit(call, path, "b", "b1\nb2") == b"a\r\nb1\r\nb2\nc\r\nd"
    path.write_bytes(b"a\r\nb\nc")
    assert await edit(call, path, "a\nb\nc", "a\nB\nc") == b"a\r\nB\nc"
    path.write_bytes(b"a\rb\rc")
    assert await edit(call, path, "a\nb", "a\nx\nb") == b"a\rx\rb\rc"
    path.write_bytes(b"one line")
    assert await edit(call, path, "one", "one\nmore") == b"one\nmore line"
    path.write_bytes(b"one\r\n")
    assert await edit(call, path, "one", "one\nmore") == b"one\r\nmore\r\n"


async def test_of_equal_passages_the_one_with_the_very_line_ends_wins(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"a\r\nb\r\na\nb\n")
    assert await edit(call, path, "a\nb", "a\nB") == b"a\r\nb\r\na\nB\n"


@pytest.mark.parametrize("encoding", ["latin-1", "cp1251", "gb18030", "cp932", "utf-8-sig", "utf-16", "utf-32"])
async def test_every_encoding_is_kept(call: Calling, tmp_path: Path, encoding: str) -> None:
    words = {"cp1251": "Привет, это текст", "gb18030": "这是一个中文文件", "cp932": "これは日本語のファイル"}
    word = words.get(encoding, "naïve Größe")
    path = tmp_path / "f"
    path.write_bytes(f"{word}\nx = 1\n{word}\n".encode(encoding))
    assert await edit(call, path, "x = 1", f"x = 2  # {word}") == f"{word}\nx = 2  # {word}\n{word}\n".encode(encoding)


async def test_a_mark_that_the_model_repeats_does_not_count(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"\xef\xbb\xbfx=1\n")
    assert await edit(call, path, "\ufeffx=1", "\ufeffx=2") == b"\xef\xbb\xbfx=2\n"


async def test_bytes_that_are_no_utf8_stay(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes("Grüße, größer, ünï ".encode() + b"\xff\xfe cut \xe2\x82\nx = 1\n")
    assert await edit(call, path, "x = 1", "x = “2”") == (
        "Grüße, größer, ünï ".encode() + b"\xff\xfe cut \xe2\x82\n" + "x = “2”\n".encode()
    )


async def test_what_the_encoding_cannot_hold_is_refused(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes("café über naïve, Größe\n".encode("latin-1"))
    text = await refused(call, path, "über", "中")
    assert "'中', which cannot be written in the encoding of f, Latin-1" in text


async def test_a_file_that_changed_since_it_was_read_is_edited_with_a_notice(call: Calling, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"x\n")
    await call.ok("read_file", path="f")
    path.write_bytes(b"new\nx\n")
    settled = await call.ok("edit_file", path="f", old_string="x", new_string="y")
    assert "had changed since it was read" in settled.text
    settled = await call.ok("edit_file", path="f", old_string="y", new_string="z")
    assert "had changed" not in settled.text


async def test_a_missing_file_names_its_neighbours(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "load.py").write_text("x")
    settled = await call("edit_file", path="laod.py", old_string="x", new_string="y")
    assert settled.error == "NotFound"
    assert "Nearest: load.py." in settled.text


async def test_a_read_only_folder_is_not_edited(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "f").write_text("x")
    async with calling(edit_file_tool(Workspace(tmp_path / "root", readable=[tmp_path / "data"]))) as call:
        settled = await call("edit_file", path=str(tmp_path / "data" / "f"), old_string="x", new_string="y")
    assert "may only be read" in settled.text


async def test_a_link_inside_stays_a_link(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"x")
    (tmp_path / "link").symlink_to("real")
    settled = await call.ok("edit_file", path="link", old_string="x", new_string="y")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"y"
    assert settled.changes[0].target == "real"


async def test_the_subject_is_where_the_path_leads(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "x").write_text("")
    (tmp_path / "link").symlink_to("src/x")
    tool = edit_file_tool(tmp_path)
    async with calling(tool) as call:  # also: asking for it does not block the loop
        ctx = call.context()

        def about(path: str) -> tuple[PathSubject, Grant]:
            input = EditFileInput(path=path, old_string="a", new_string="b")
            return tool.subject(input, ctx), tool.grant(input, ctx)

        assert about("link") == (PathSubject("edit", "src/x"), Grant("edits in src/", PathSubject("edit", "src")))
        assert about("top.py") == (
            PathSubject("edit", "top.py"),
            Grant("edits in this folder", PathSubject("edit", ".")),
        )
        assert about("/etc/passwd")[0] == PathSubject("edit", "/etc/passwd")


def test_it_asks_and_finishes_its_step() -> None:
    tool = EditFile()
    input = EditFileInput(path="f", old_string="a", new_string="b")
    assert (tool.interrupt_behavior, tool.is_read_only(input), tool.is_concurrency_safe(input)) == (
        "block",
        False,
        False,
    )
    assert tool.headline(input) == Headline("Edit", "f")


ENDS = st.sampled_from(["\n", "\r\n"])
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=6)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(st.tuples(WORDS, ENDS), min_size=3, max_size=8),
    new=st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=8),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
    mode=st.sampled_from([0o600, 0o644, 0o755]),
    final=st.booleans(),
)
async def test_bytes_outside_the_passage_are_identical(
    tmp_path: Path, lines: list[tuple[str, str]], new: str, encoding: str, mode: int, final: bool
) -> None:
    before = "".join(word + end for word, end in lines)
    after = "".join(word + end for word, end in reversed(lines)).removesuffix("" if final else lines[0][1])
    path = tmp_path / "f"
    data = f"{before}<<old>>{after}".encode(encoding)
    path.write_bytes(data)
    path.chmod(mode)
    found = decode(data)
    assert found is not None
    async with calling(edit_file_tool(tmp_path)) as call:
        await call.ok("edit_file", path="f", old_string="<<old>>", new_string=new)
    head = len((before).encode(encoding))
    tail = len(after.encode(found.encoding.codec))
    result = path.read_bytes()
    assert result[:head] == data[:head]
    assert result[len(result) - tail :] == data[len(data) - tail :]
    middle = result[head : len(result) - tail].decode(found.encoding.codec)
    assert middle.replace("\r\n", "\n") == new
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize("text", ["a\x0cb\nc\u2028d\n{}\n", "a\x85b\x1c\r\nc\r\n{}\r\n", "a\x0b\rc\r{}\r"])
async def test_the_nearest_lines_have_the_numbers_that_reading_shows(call: Calling, tmp_path: Path, text: str) -> None:
    path = tmp_path / "f"
    path.write_bytes(text.format("target = 'value'").encode())
    assert "     3\ttarget = 'value'" in (await call.ok("read_file", path="f")).text
    assert "     3\ttarget = 'value'" in await refused(call, path, 'target = "value"', "x")


@pytest.mark.case("EDIT-11")
@pytest.mark.parametrize(
    ("there", "old", "codes"),
    [
        ("nai\u0308ve = 1", "na\u00efve = 1", "the file has U+0069, U+0308 where old_string has U+00EF"),
        ("a\u00a0= 1", "a = 1", "the file has U+00A0 where"),
        ("a\u200b = 1", "a = 1", "the file has U+200B where old_string has nothing"),
        ("ａ = 1", "a = 1", "the file has U+FF41 where old_string has U+0061"),
        ("\tx = 1", "        x = 1", "the file has U+0009 where old_string has nothing"),
    ],
)
async def test_lines_that_look_the_same_are_told_apart_by_their_characters(
    call: Calling, tmp_path: Path, there: str, old: str, codes: str
) -> None:
    path = tmp_path / "f"
    path.write_text(f"{there}\n")
    text = await refused(call, path, old, "x")
    assert f"They look the same, but {codes}" in text
    assert "look the same" not in await refused(call, path, "b = 1", "x")
