"""Sealing calls: early where nothing can change them any more, late where something could, always in order."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.messages import CallFinished
from tah_jupyter.models.chat.chunks import Fragment, Function
from tah_jupyter.models.chat.fragments import CallAssembler


def piece(arguments: Any = None, *, index: Any = 0, id: Any = None, name: Any = None) -> Fragment:
    return Fragment(index, id, Function(name, arguments))


def collect(*pieces: Fragment, whole: bool = True) -> list[CallFinished]:
    calls = CallAssembler()
    sealed = [call for fragment in pieces for call in calls.add([fragment])]
    return [*sealed, *calls.finish(whole=whole)]


def test_a_call_is_sealed_with_the_fragment_that_completes_it() -> None:
    calls = CallAssembler()
    assert calls.add([piece("", id="a", name="read")]) == []
    assert calls.add([piece('{"path": {"x": "}')]) == []
    assert calls.add([piece('"}')]) == []
    assert calls.add([piece("}")]) == [CallFinished(0, "read", '{"path": {"x": "}"}}', "a")]
    assert calls.finish(whole=True) == []


def test_braces_and_quotes_inside_strings_do_not_seal() -> None:
    calls = CallAssembler()
    text = json.dumps({"code": 'f"{x}" \\" {}}', "n": {"m": "\\"}})
    sealed = [call for letter in text for call in calls.add([piece(letter, name="run")])]
    assert [call.raw for call in sealed] == [text]


def test_a_call_without_arguments_waits_for_the_end_because_they_may_come_after_the_next_call_began() -> None:
    calls = CallAssembler()
    assert calls.add([piece("", name="a"), piece("", index=1, name="b")]) == []
    assert calls.add([piece('{"x":1}', index=1)]) == []
    assert [call.raw for call in calls.finish(whole=True)] == ["", '{"x":1}']
    calls = CallAssembler()
    assert calls.add([piece("", name="a"), piece('{"x":1}', index=1, name="b")]) == []
    assert [call.raw for call in calls.add([piece('{"y":2}', index=0)])] == ['{"y":2}', '{"x":1}']


def test_an_empty_object_waits_because_the_arguments_may_still_follow() -> None:
    assert collect(piece("{}", name="a"))[0] == CallFinished(0, "a", "{}")
    (call,) = collect(piece("{}", id="1", name="a"), piece('{"path": "x"}', id="1"))
    assert call.raw == '{}{"path": "x"}'
    calls = CallAssembler()
    calls.add([piece("{}", name="a")])
    assert [call.raw for call in calls.add([piece("", index=1, name="b")])] == ["{}"]


def test_calls_come_in_order_though_a_later_one_is_complete_first() -> None:
    calls = CallAssembler()
    calls.add([piece('{"a"', name="x"), piece('{"b":1}', index=1, name="y")])
    assert [(call.index, call.tool) for call in calls.add([piece(":1}", index=0)])] == [(0, "x"), (1, "y")]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        # a new id under the same index
        ([piece('{"a":1}', id="1", name="x"), piece('{"b":1}', id="2", name="y")], [("x", "1"), ("y", "2")]),
        # the same ids under two indexes
        ([piece('{"a":1}', id="e", name="x"), piece('{"b":1}', index=1, id="e", name="y")], [("x", "e"), ("y", "e")]),
        # no index at all, ids only in the first fragment of a call
        (
            [piece('{"a"', index=None, id="1", name="x"), piece(":1}", index=None), piece("{}", index=None, id="2")],
            [("x", "1"), ("", "2")],
        ),
        # neither index nor ids
        ([piece('{"a":1}', index=None, name="x"), piece('{"a":1}', index=None, name="x")], [("x", ""), ("x", "")]),
        ([piece("", index=None, name="x"), piece("", index=None, name="y")], [("x", ""), ("y", "")]),
        # index 0 for all, empty ids
        ([piece('{"a":1}', id="", name="x"), piece('{"b":1}', id="", name="x")], [("x", ""), ("x", "")]),
        # the name and the id repeated in every fragment
        ([piece('{"a"', id="1", name="x"), piece(":1}", id="1", name="x")], [("x", "1")]),
        # the name in two pieces, the id late
        ([piece("", name="read_"), piece("", name="file"), piece("{}", id="9")], [("read_file", "9")]),
        # the whole call said again at the end
        ([piece('{"a":1}', id="1", name="x"), piece('{"a":1}', id="1", name="x"), piece(" ")], [("x", "1")]),
        # indexes of odd types
        (
            [piece('{"a":1}', index="0", id="1", name="x"), piece("{}", index=True, id="2", name=7)],
            [("x", "1"), ("", "2")],
        ),
    ],
)
def test_servers_that_number_calls_in_their_own_way(pieces: list[Fragment], expected: list[tuple[str, str]]) -> None:
    got = collect(*pieces)
    assert [(call.tool, call.provider_id) for call in got] == expected
    assert [call.index for call in got] == list(range(len(expected)))


@pytest.mark.parametrize(
    ("arguments", "raw"),
    [
        (None, ""),
        ("", ""),
        ({"a": 1}, '{"a":1}'),
        ([1], "[1]"),
        ("null", "null"),
        ('"{}"', '"{}"'),
        ('{"a": NaN}', '{"a": NaN}'),
    ],
)
def test_arguments_of_any_type_become_their_text(arguments: Any, raw: str) -> None:
    assert collect(piece(arguments, name="x")) == [CallFinished(0, "x", raw)]


def test_text_after_a_call_that_was_given_away_is_an_error() -> None:
    calls = CallAssembler()
    assert len(calls.add([piece('{"a":1}', id="1", name="x")])) == 1
    with pytest.raises(ModelError, match="went on with the arguments of x after they were complete"):
        calls.add([piece(',"b":2}', id="1")])


@pytest.mark.parametrize("text", ['{"path": "f', "", "{}", '{"a": 1', '{"a" 1}'])
def test_what_a_cut_left_open_is_truncated(text: str) -> None:
    assert collect(piece(text, name="x"), whole=False) == [CallFinished(0, "x", text, "", True)]


def test_complete_calls_before_the_cut_are_not_truncated() -> None:
    got = collect(
        *(piece(text, index=index, name="x") for index, text in enumerate(['{"q":1}', "{}", "", '{"a'])), whole=False
    )
    assert [call.truncated for call in got] == [False, False, True, True]


def test_a_fragment_without_a_function_only_opens_a_call() -> None:
    assert collect(Fragment(0, "a"), piece("{}", name="x")) == [CallFinished(0, "x", "{}", "a")]


values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=6) | st.sampled_from(['"}', "{", "\\", '\\"}']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=3), values, min_size=1, max_size=3)


@settings(max_examples=150, deadline=None)
@given(st.lists(objects, min_size=1, max_size=4), st.data())
def test_any_cutting_of_any_calls_gives_them_back_each_with_its_last_fragment(
    arguments: list[dict[str, Any]], data: st.DataObject
) -> None:
    calls = CallAssembler()
    for index, value in enumerate(arguments):
        text = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
        cuts = sorted(data.draw(st.sets(st.integers(1, len(text) - 1), max_size=5)))
        parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        got = [
            calls.add([piece(part, index=index, name="t" if not number else None)]) for number, part in enumerate(parts)
        ]
        assert [len(sealed) for sealed in got] == [0] * (len(parts) - 1) + [1]
        assert (got[-1][0].index, json.loads(got[-1][0].raw)) == (index, value)
    assert calls.finish(whole=True) == []
