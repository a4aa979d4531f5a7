"""Keeping both ends of an output, and all of it in a file."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tah_jupyter.host.processes import capture as module
from tah_jupyter.host.processes.capture import Capture, WholeOutput


def unmasked(text: str | None) -> str:
    return text or ""


def test_a_short_output_is_whole() -> None:
    capture = Capture(100)
    capture(b"one\n")
    capture(b"two")
    shown = capture.shown()
    assert (shown.head, shown.is_cut) == ("one\ntwo", False)
    assert (capture.total_bytes, capture.total_lines) == (7, 2)


@settings(max_examples=60)
@given(st.lists(st.binary(max_size=3000), max_size=30), st.integers(10, 2000))
def test_what_is_shown_begins_and_ends_as_the_output_does(chunks: list[bytes], limit: int) -> None:
    chunks = [chunk.replace(b"\x1b", b"").replace(b"\r", b"").replace(b"\b", b"") for chunk in chunks]
    data = b"".join(chunks)
    capture = Capture(limit)
    for chunk in chunks:
        capture(chunk)
    shown, text = capture.shown(), module.plain(module.decode(data))
    assert len(shown.head) + len(shown.tail) <= limit
    assert text.startswith(shown.head)
    assert text.endswith(shown.tail)
    assert shown.is_cut or shown.head == text
    assert capture.total_lines == data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


def test_the_lines_shown_and_left_out_are_all_there_are() -> None:
    capture = Capture(1000)
    for number in range(200_000):
        capture(f"{number}\n".encode())
    shown = capture.shown()
    assert shown.head.startswith("0\n1\n")
    assert shown.tail.endswith("199999\n")
    assert shown.head.count("\n") + shown.left_out_lines + shown.tail.count("\n") == 200_000


def test_one_endless_line_is_cut_too() -> None:
    capture = Capture(1000)
    capture(b"x" * 1_000_000)
    shown = capture.shown()
    assert (len(shown.head), len(shown.tail), shown.is_cut) == (500, 500, True)


def test_memory_stays_flat_in_a_flood() -> None:
    import tracemalloc

    capture, chunk = Capture(30_000), b"y\n" * 32_768
    tracemalloc.start()
    for _ in range(2000):
        capture(chunk)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert capture.total_bytes == 2000 * 65_536
    assert peak < 2_000_000


def test_news_are_what_came_since_and_the_end_of_a_flood() -> None:
    capture = Capture(30_000)
    assert capture.news() == ""
    capture(b"one \x1b[3")
    assert capture.news() == "one "
    capture("1mtwo é".encode()[:-1])
    assert capture.news() == "two "
    capture("é".encode()[1:] + b"x" * 1_000_000 + b"end")
    news = capture.news(10)
    assert news == "\n[… 999,994 bytes not shown …]\nxxxxxxxend"
    assert capture.news() == ""


def test_a_file_takes_everything_from_the_first_byte(tmp_path: Path) -> None:
    whole = WholeOutput(tmp_path / "new" / "out.txt", unmasked)
    capture = Capture(10, whole)
    for number in range(20):
        capture(f"\x1b[1m{number}\x1b[0m\r\n".encode())
    whole.close(keep=True)
    assert whole.path.read_text() == "".join(f"{number}\n" for number in range(20))


@pytest.mark.parametrize("keep", [True, False])
def test_a_file_is_kept_only_when_it_is_wanted(keep: bool, tmp_path: Path) -> None:
    whole = WholeOutput(tmp_path / "out.txt", unmasked)
    Capture(1, whole)(b"long")
    whole.close(keep=keep)
    assert whole.path.exists() == keep


def test_a_file_of_that_name_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("mine")
    whole = WholeOutput(tmp_path / "out.txt", unmasked)
    Capture(1, whole)(b"long")
    whole.close(keep=True)
    assert whole.problem == os.strerror(17)
    assert (tmp_path / "out.txt").read_text() == "mine"


def test_what_the_mask_holds_back_comes_at_the_end(tmp_path: Path) -> None:
    held: list[str] = []

    def mask(text: str | None) -> str:
        if text is None:
            return "".join(held).upper()
        held.append(text)
        return ""

    whole = WholeOutput(tmp_path / "out.txt", mask)
    whole.write(b"ab")
    whole.write(b"cd")
    whole.close(keep=True)
    assert whole.path.read_text() == "ABCD"
