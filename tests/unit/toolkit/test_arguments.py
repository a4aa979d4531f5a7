"""What a model may write for arguments, and what is never guessed (MODEL-10 runs through the loop in tests/cases)."""

import pytest

from tah_jupyter import ToolError
from tah_jupyter.toolkit.arguments import MAX_DEPTH, parse_arguments


@pytest.mark.parametrize(
    ("raw", "value"),
    [("", {}), ("  \n", {}), ("null", {}), ("{}", {}),
     ('{"a": [1, null]}', {"a": [1, None]}), ('"{\\"a\\": 1}"', {"a": 1}),
     ('""', {}), ('{"a": "\\ud83d\\ude00"}', {"a": "😀"})],
)  # fmt: skip
def test_text_that_stands_for_an_object_is_that_object(raw: str, value: dict[str, object]) -> None:
    assert parse_arguments(raw) == value


@pytest.mark.parametrize("depth", [100, 101, 400, 900, 5_000, 100_000])
def test_arguments_nested_too_deep_are_refused_before_anyone_walks_them(depth: int) -> None:
    deep = '{"a": ' + "[" * (depth - 1) + "]" * (depth - 1) + "}"
    if depth <= MAX_DEPTH:
        assert "a" in parse_arguments(deep)
        return
    with pytest.raises(ToolError, match=r"nested more than 100 deep|recursion") as caught:
        parse_arguments(deep)
    assert caught.value.code == "InvalidArguments"


@pytest.mark.parametrize(
    "raw",
    ['{"a": 1', '{"a": NaN}', '{"a": Infinity}', "[1]", "3", "true", '"text"', "{'a': 1}", '{"a": 1}}', '{"a": 1,}',
     '{"a": "\\ud83d"}', '"\\"{}\\""', "[" * 5000, '```json\n{"a": 1}\n```'],
)  # fmt: skip
def test_anything_else_is_refused_and_says_what_to_do(raw: str) -> None:
    with pytest.raises(ToolError, match="as one JSON object") as caught:
        parse_arguments(raw)
    assert caught.value.code == "InvalidArguments"


def test_the_end_of_bad_arguments_is_told_from_the_start_of_a_word() -> None:
    with pytest.raises(ToolError, match='"b": "the end'):
        parse_arguments('{"a": "' + "x" * 100 + '", "b": "the end')
    key = "k0123456789" * 30
    with pytest.raises(ToolError) as caught:
        parse_arguments('{"a": "' + key[:200])
    assert key[150:160] not in str(caught.value)
