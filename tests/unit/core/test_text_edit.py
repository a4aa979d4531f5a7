"""Passages are found whatever the line ends are, and only what differs is replaced."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tah_jupyter.core.text_edit import MAX_COUNTED, Passages, Replacement, apply


def test_only_the_difference_is_replaced() -> None:
    passages = Passages("x\r\none two three\r\n", "one two three\n", "one 2 three\n")
    assert passages.replace_first() == [Replacement(7, 10, "2")]


def test_equal_but_for_line_ends_is_the_same() -> None:
    assert Passages("a\nb", "a\r\nb", "a\nb").same
    assert not Passages("a\nb", "a\r\nb", "a\nB").same
    assert Passages("a\rb", "a\rb", "a\nb").same


def test_the_lines_of_occurrences_are_numbered() -> None:
    assert Passages("x\r\ny\r\nx\nx x", "x", "z").lines() == [1, 3, 4, 4]


def test_counting_ends_somewhere() -> None:
    assert len(Passages("a" * 10_000, "a", "b").starts) == MAX_COUNTED
    assert len(Passages("a\r\n" * 10_000, "a\n", "b").starts) == MAX_COUNTED


@pytest.mark.parametrize(
    ("text", "old", "new", "result"),
    [
        ("aXbXc", "X", "", "abc"),
        ("aXbXc", "X", "XX", "aXXbXXc"),
        ("a\r\nb\nc\r\n", "\n", ";", "a;b;c;"),
        ("a\r\nb\nc", "b", "b\nb", "a\r\nb\r\nb\nc"),
        ("aaaa", "aaa", "b", "ba"),
    ],
)
def test_every_occurrence_is_replaced_from_the_left(text: str, old: str, new: str, result: str) -> None:
    assert apply(text, Passages(text, old, new).replace_all()) == result


def texts(*pieces: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(pieces), max_size=14).map("".join)


@settings(max_examples=300, deadline=None)
@given(texts("a", "b", "\n", "\r\n"), texts("a", "b", "\n", "\r\n"), texts("a", "\n", "\r\n"), texts("a", "X", "\n"))
def test_what_stands_beside_the_passage_stays(before: str, after: str, old: str, new: str) -> None:
    text = f"{before}<{old}>{after}"
    passages = Passages(text, f"<{old}>", f"<{new}>")
    result = apply(text, passages.replace_first())
    assert result.startswith(before + "<")
    assert result.endswith(">" + after)
    assert result[len(before) + 1 : len(result) - len(after) - 1].replace("\r\n", "\n") == new


@settings(max_examples=200, deadline=None)
@given(texts("a", "\n", "\r\n", "\r"), texts("a", "\n", "\r\n", "\r").filter(bool))
def test_replacements_lie_in_the_text_in_order(text: str, old: str) -> None:
    at = 0
    for start, end, _ in Passages(text, old, "X").replace_all():
        assert at <= start <= end <= len(text)
        assert "\r\n" not in (text[max(0, start - 1) : start + 1], text[max(0, end - 1) : end + 1])
        at = end
