"""JSON with line numbers: the same values as json.loads for what JSON is, and a line for every mistake."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tah_jupyter.runtime.located_json import JsonError, parse

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, 0, 2]), st.booleans())
def test_reads_what_json_writes(value: object, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert parse(text).value == value


@given(st.text(alphabet='{}[]",:\\ \n0-.eE1tru fals n\t\x01u/#', max_size=30))
def test_accepts_nothing_that_json_refuses(text: str) -> None:
    try:
        found = parse(text).value
    except JsonError:
        return
    assert found == json.loads(text)


def test_tells_the_line_of_each_key_and_entry() -> None:
    located = parse('{\n  "a": 1,\n  "b": {"c": [\n1,\n2]}, "d":\n3}')
    assert located.lines == {
        ("a",): 2,
        ("b",): 3,
        ("b", "c"): 3,
        ("b", "c", 0): 4,
        ("b", "c", 1): 5,
        ("d",): 5,
    }


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('{\n"a": 1,\n}', 3, "no comma after the last entry"),
        ("[1,\n]", 2, "no comma after the last entry"),
        ('{"a": 1}\nx', 2, "more after the end"),
        ('{\n// why\n"a": 1}', 2, "JSON has no comments"),
        ('{"a": 1 /* why */}', 1, "JSON has no comments"),
        ("# why", 1, "JSON has no comments"),
        ("", 1, "the file ends where a value should come"),
        ('{"a": ', 1, "the file ends"),
        ('{"a" 1}', 1, '":" after the key "a"'),
        ('{"a": 1 "b": 2}', 1, '"," or "}"'),
        ("[1 2]", 1, '"," or "]"'),
        ("{a: 1}", 1, "a key in double quotes"),
        ("{'a': 1}", 1, "a key in double quotes"),
        ('{"a": "x\ny"}', 1, "not closed on its line"),
        ('{"a": "\\x41"}', 1, "an escape that JSON does not have"),
        ('{"a": NaN}', 1, "a value should come"),
        ('{"a": 01}', 1, "a value should come"),
        ('{"a": 1e999}', 1, "a number is too large"),
        ('{"a": ' + "9" * 5000 + "}", 1, "a value should come"),
        ('{"a": "\\ud800"}', 1, "half of a surrogate pair"),
        ("[" * 100_000, 1, "nested more than 40 deep"),
        ('{"deny": [],\n"deny": []}', 2, 'the key "deny" is given twice'),
    ],
)
def test_names_the_line_and_the_mistake(text: str, line: int, words: str) -> None:
    with pytest.raises(JsonError) as caught:
        parse(text)
    assert caught.value.line == line
    assert words in caught.value.message


def test_a_mistake_quotes_nothing_of_the_values() -> None:
    with pytest.raises(JsonError) as caught:
        parse('{"apiKeyEnv": sk-very-secret}')
    assert "secret" not in str(caught.value)
