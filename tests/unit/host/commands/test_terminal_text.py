"""Output of programs as plain text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tah_jupyter.host.commands.terminal_text import PlainStream, decode, plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b[2K\x1b[1Gdone", "done"),
        ("\x1b]0;title\x07x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "xlink"),
        ("\x1bP1$r0m\x1b\\x\x1b(By\x1b7z", "xyz"),
        ("\x9b31mc1\x9d0;t\x9cz", "c1z"),
        ("10 %\r50 %\r100 %\nnext", "100 %\nnext"),
        ("line\r\nline\r\n", "line\nline\n"),
        ("wait\r", "wait"),
        ("N\bNA\bA", "NA"),
        ("a\n\bb", "a\nb"),
        ("nul\0bell\a", "nulbell"),
        ("unfinished \x1b[3", "unfinished 3"),
        ("日本 é 🙂", "日本 é 🙂"),
    ],
)
def test_what_a_terminal_would_leave_standing(text: str, expected: str) -> None:
    assert plain(text) == expected


def test_bytes_that_are_not_utf8_are_written_out() -> None:
    assert decode(b"caf\xe9 \xff") == "caf\\xe9 \\xff"


@pytest.mark.parametrize("cut", range(1, 4))
def test_a_character_cut_in_two_is_dropped_at_the_cut(cut: int) -> None:
    data = "🙂".encode()
    assert decode(b"ab" + data[:cut], ends=False) == "ab"
    assert decode(data[cut:] + b"ab", begins=False) == "ab"


@given(st.text(max_size=60), st.lists(st.integers(0, 80), max_size=4))
def test_a_stream_in_pieces_is_the_text_with_each_return_a_new_line(text: str, cuts: list[int]) -> None:
    data = text.encode("utf-8", "surrogatepass")
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    stream = PlainStream()
    pieces = [stream.feed(data[first:last]) for first, last in pairwise(places)]
    whole = "".join(pieces) + stream.feed(b"", final=True)
    if "\b" not in text:  # a backspace reaches back over no piece
        assert whole == plain(decode(data).replace("\r\n", "\n").replace("\r", "\n"))


@pytest.mark.parametrize("unit", ["\x90", "\x1b]", "\x9b1", "\x1bPa", "a\b", "\r", "\x1b"])
def test_hostile_output_costs_linear_time(unit: str) -> None:
    plain(unit * 200_000)  # a quadratic reading would pass the time limit of the test
    plain("a" * 200_000 + "\b" * 200_000)


@given(st.text(alphabet="a\x1b[]P0;\x07\\\x9b\x9d\x9c\r\n\b\0", max_size=40))
def test_no_control_character_is_left(text: str) -> None:
    assert not {char for char in plain(text) if ord(char) < 32 or 127 <= ord(char) < 160} - {"\n", "\t"}
