"""The diff shows every change, and what lines cannot show as notes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tah_jupyter.core.diff import diff_texts
from tah_jupyter.core.lines import line_ends
from tah_jupyter.core.views import Diff


def shown(diff: Diff) -> list[str]:
    return [f"{line.kind}{line.old},{line.new} {line.text}" for hunk in diff.hunks for line in hunk.lines]


def test_a_change_comes_with_three_lines_around_it() -> None:
    old = "".join(f"{n}\n" for n in range(1, 11))
    diff = diff_texts("f", old, old.replace("5\n", "five\nfive and a half\n"))
    assert shown(diff) == [
        " 2,2 2", " 3,3 3", " 4,4 4", "-5,0 5", "+0,5 five", "+0,6 five and a half", " 6,7 6", " 7,8 7", " 8,9 8",
    ]  # fmt: skip
    assert (diff.added, diff.removed, diff.action, diff.notes) == (2, 1, "modified", ())


def test_near_changes_share_a_hunk_and_far_ones_do_not() -> None:
    old = "".join(f"{n}\n" for n in range(1, 31))
    near = diff_texts("f", old, old.replace("5\n", "x\n", 1).replace("12\n", "y\n"))
    assert len(near.hunks) == 1
    far = diff_texts("f", old, old.replace("5\n", "x\n", 1).replace("13\n", "y\n"))
    assert [len(hunk.lines) for hunk in far.hunks] == [8, 8]


def test_new_and_deleted_files() -> None:
    made = diff_texts("f", None, "a\nb\n")
    assert (made.action, shown(made), made.added) == ("created", ["+0,1 a", "+0,2 b"], 2)
    gone = diff_texts("f", "a\nb\n", None)
    assert (gone.action, shown(gone), gone.removed) == ("deleted", ["-1,0 a", "-2,0 b"], 2)
    assert diff_texts("f", None, "").hunks == ()


@pytest.mark.parametrize(
    ("old", "new", "notes"),
    [
        ("a\r\nb\r\n", "a\r\nc\r\n", ("CRLF line ends",)),
        ("a\r\nb\r\n", "a\nb\n", ("line ends change from CRLF to LF",)),
        ("a\nb\n", "a\r\nb\n", ("line ends change from LF to mixed",)),
        ("a\rb\r", "a\rc\r", ("CR line ends",)),
        ("a\nb", "a\nc", ("no newline at the end of the file",)),
        ("a\nb", "a\nb\n", ("adds the missing newline at the end of the file",)),
        ("a\nb\n", "a\nb", ("takes away the newline at the end of the file",)),
        (None, "a", ("no newline at the end of the file",)),
        ("a", None, ()),
        ("", "a", ("no newline at the end of the file",)),
        ("a\n", "b\n", ()),
    ],
)
def test_what_lines_cannot_show_is_a_note(old: str | None, new: str | None, notes: tuple[str, ...]) -> None:
    assert diff_texts("f", old, new).notes == notes
    assert diff_texts("f", old, new, notes=["first"]).notes == ("first", *notes)


def test_a_line_that_differs_in_its_end_alone_is_shown() -> None:
    assert shown(diff_texts("f", "a\r\nb\n", "a\nb\n")) == ["-1,0 a", "+0,1 a", " 2,2 b"]
    assert shown(diff_texts("f", "a", "a\n")) == ["-1,0 a", "+0,1 a"]


@pytest.mark.parametrize(
    ("text", "ends"), [("", ""), ("a", ""), ("a\n", "LF"), ("a\r\n", "CRLF"), ("a\r", "CR"), ("a\r\nb\n", "mixed")]
)
def test_line_ends_are_named(text: str, ends: str) -> None:
    assert line_ends(text) == ends


TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "dd\n"]), max_size=14).map("".join)


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS, st.integers(0, 3))
def test_counts_and_line_numbers_are_true(old: str, new: str, context: int) -> None:
    diff = diff_texts("f", old, new, context=context)
    old_lines, new_lines = old.split("\n"), new.split("\n")
    lines = [line for hunk in diff.hunks for line in hunk.lines]
    assert diff.added == sum(line.kind == "+" for line in lines)
    assert diff.removed == sum(line.kind == "-" for line in lines)
    assert diff.added - diff.removed == len(new_lines) - len(old_lines)
    for line in lines:
        assert line.kind == "+" or old_lines[line.old - 1].removesuffix("\r") == line.text
        assert line.kind == "-" or new_lines[line.new - 1].removesuffix("\r") == line.text
    assert (old == new) == (not diff.hunks)
