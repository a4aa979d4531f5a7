"""Lines are counted alike everywhere, and a cut text keeps as much of both ends as there is room for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tah_jupyter.core.lines import lines_of, whole_lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\nb\n", ["a", "b"]),
        ("a\r\nb", ["a", "b"]),
        ("a\rb\r", ["a", "b"]),
        ("a\rb\nc", ["a\rb", "c"]),
        ("a\x0bb\x0cc\x1cd\x1de\x1ef\x85g\u2028h\u2029i\n", ["a\x0bb\x0cc\x1cd\x1de\x1ef\x85g\u2028h\u2029i"]),
        ("\n\n", ["", ""]),
    ],
)
def test_only_line_ends_end_lines(text: str, lines: list[str]) -> None:
    assert lines_of(text) == lines


@given(st.text("a\n", max_size=80), st.text("a\n", max_size=80))
def test_a_cut_falls_between_lines_and_loses_a_quarter_at_most(head: str, tail: str) -> None:
    kept_head, kept_tail = whole_lines(head, tail)
    assert head.startswith(kept_head)
    assert tail.endswith(kept_tail)
    assert len(kept_head) >= 0.75 * len(head)
    assert len(kept_tail) >= 0.75 * len(tail)
    assert kept_head in (head, head[: head.rfind("\n") + 1])
