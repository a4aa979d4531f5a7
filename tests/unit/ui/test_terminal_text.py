"""Text in columns: whole words, nothing lost, the same however it arrives."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tah_jupyter.ui.terminal_text import Prose, columns, folded, joined, shortened, wrapped
from tah_jupyter.ui.visible import visible

CHINESE = "三月偏低，因为有十二行按日月书写的数据被当成月日读取，落入了其他月份。"
MARKDOWN = f"""# Why it is low

March is low because **12 rows** written day/month are read as month/day by `pd.to_datetime`.

- a first point that is long enough to need a second row, and then some more words
1. a numbered one that is long enough to need a second row, and then some more words
> a quotation that is long enough to need a second row, and then some more words

```python
df["date"] = pd.to_datetime(df["date"], dayfirst=True)  # a line that stays as it is

    indented
```

| a | table | that | stays | as | it | is | however | wide | it | is |


{CHINESE}
{"x" * 150} end
"""


def told(text: str, width: int) -> list[str]:
    return [line.text for line in Prose().feed(text, width, ends=True)]


@given(st.lists(st.integers(1, 40)), st.sampled_from([20, 40, 79]))
@settings(deadline=None, max_examples=60)
def test_prose_is_the_same_however_it_arrives(pieces: list[int], width: int) -> None:
    prose, at, rows = Prose(), 0, []
    for piece in pieces:
        at += piece
        rows += [line.text for line in prose.feed(MARKDOWN[:at], width, ends=False)]
        assert columns(prose.open) <= width
    rows += [line.text for line in prose.feed(MARKDOWN, width, ends=True)]
    assert rows == told(MARKDOWN, width)


@given(st.text(st.sampled_from("ab -*>1.`~|#审，\t\n\u202e\u200b"), max_size=80), st.integers(6, 30))
@settings(deadline=None, max_examples=200)
def test_no_character_is_lost_and_none_stays_hidden(text: str, width: int) -> None:
    rows = told(text, width)
    shown = "".join("".join(rows).replace(">", "").split())
    whole = "".join(visible(text, prose=True).text.replace(">", "").split())
    assert shown == whole
    assert all(visible(row, prose=True).hidden == () for row in rows)


def test_rows_end_between_words_and_hang_below_their_marks() -> None:
    rows = told(MARKDOWN, 40)
    assert "- a first point that is long enough to" in rows
    assert "  need a second row, and then some more" in rows
    assert "1. a numbered one that is long enough to" in rows
    assert "   need a second row, and then some more" in rows
    assert "> need a second row, and then some more" in rows


def test_code_and_tables_are_not_broken() -> None:
    rows = told(MARKDOWN, 20)
    assert 'df["date"] = pd.to_datetime(df["date"], dayfirst=True)  # a line that stays as it is' in rows
    assert "    indented" in rows
    assert any(row.startswith("| a | table") and row.endswith("it | is |") for row in rows)


def test_blank_rows_stand_between_parts_and_nowhere_else() -> None:
    assert told("\n\n# Why\n\n\n\nbecause\n\n```\n\n\nx\n```\n\n\n", 79) == [
        *("# Why", "", "because", "", "```", "", "x", "```"),
    ]


def test_chinese_breaks_between_characters_and_never_before_a_comma() -> None:
    rows = told(CHINESE, 11)
    assert all(columns(row) <= 11 for row in rows)
    assert len(rows) > 5
    assert not any(row.startswith(("，", "。")) for row in rows)


def test_a_pause_settles_the_open_row_and_the_rest_goes_on_below() -> None:
    prose = Prose()
    assert prose.feed("some words and", 40, ends=False) == []
    assert prose.open == "some words"
    assert [line.text for line in prose.feed("some words and", 40, ends=True)] == ["some words and"]
    assert [line.text for line in prose.feed("some words and more", 40, ends=True)] == ["more"]


def test_a_text_that_does_not_begin_as_before_is_told_anew() -> None:
    prose = Prose()
    prose.feed("the key is abc\n", 40, ends=False)
    assert [line.text for line in prose.feed("the key is [hidden]\nend", 40, ends=True)] == [
        "the key is [hidden]",
        "end",
    ]


@pytest.mark.parametrize("text", ["a" * 90, "审批" * 30, "x = 1    # two   spaces", "e\u0301" * 60])
def test_folding_keeps_every_character(text: str) -> None:
    rows = folded(text, 20, hang="    ")
    assert rows[0] + "".join(row.removeprefix("    ") for row in rows[1:]) == text
    assert all(columns(row) <= 20 for row in rows)


def test_shortening_and_joining_fit_the_columns() -> None:
    assert shortened("审批审批", 5) == "审批…"
    assert shortened("short", 5) == "short"
    assert joined(["y allow once", "n deny", "? more"], " | ", 21, hang="  ") == ["y allow once | n deny", "  ? more"]
    assert wrapped("", 10) == [""]
