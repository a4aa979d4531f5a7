"""MODEL cases that a route alone can show; what the executor and the loop make of them is tested there."""

import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeAlias

import anyio
import pytest

from tah_jupyter.core.errors import ModelError, ToolError
from tah_jupyter.core.messages import CallFinished, Finish, ModelEvent, ModelRequest, TextPart, UserMessage
from tah_jupyter.toolkit.arguments import parse_arguments
from tests.support.provider import (
    HEAD,
    Reply,
    chunk,
    events,
    finish,
    fragment,
    json_reply,
    serving,
    stream,
    text,
    usage,
)
from tests.support.routes import OF_LITELLM, ROUTES, Route, at_once, direct, litellm
from tests.support.streams import drain

pytestmark = pytest.mark.anyio

KEY = "sk-test-0123456789-abcdefgh-x7Q2"


Asked: TypeAlias = Callable[..., Awaitable[tuple[list[ModelEvent], ModelError | None, int]]]


FORMS = [
    pytest.param(direct, True, id="direct"),
    pytest.param(direct, False, id="in one piece"),
    pytest.param(litellm, True, id="litellm", marks=OF_LITELLM),
]
"""The routes, and whether the answer is streamed; an answer in one piece is read by the direct route alone."""


@pytest.fixture(params=ROUTES)
def asked(request: pytest.FixtureRequest) -> Asked:
    """Asks a provider that gives ``replies``, over each route: what came, the error, the number of requests."""
    return partial(_asked, request.param)


async def _asked(route: Route, *replies: Reply, **more: Any) -> tuple[list[ModelEvent], ModelError | None, int]:
    async with serving(*replies) as server:
        model = await route(server.base_url, sleep=at_once, **more)
        with anyio.fail_after(10):
            got, error = await drain(model.stream(ModelRequest("s", (UserMessage("go"),), ())))
        await model.aclose()
    return got, error, len(server.bodies)


def calls_of(got: list[ModelEvent]) -> list[CallFinished]:
    return [event for event in got if isinstance(event, CallFinished)]


def text_of(got: list[ModelEvent]) -> str:
    return "".join(event.text for event in got if isinstance(event, TextPart))


@pytest.mark.case("MODEL-03")
@pytest.mark.parametrize("reason", ["tool_calls", "stop", "function_call"])
@pytest.mark.parametrize(
    "raw", ['{"path": "f", "content": "line1', '{"path": ', '{"a": "b"', '{"a": [1, 2}', '{"a": 1}}']
)
async def test_arguments_cut_under_a_good_flag_arrive_unmended_and_are_refused(
    asked: Asked, raw: str, reason: str
) -> None:
    pieces = [fragment(raw[:6], call_id="a", name="write"), fragment(raw[6:])]
    got, error, _ = await asked(stream(*pieces, finish(reason), usage(10, 4096)))
    (call,) = calls_of(got)
    assert (call.raw, error) == (raw, None)
    with pytest.raises(ToolError, match="was not run"):
        parse_arguments(call.raw)


@pytest.mark.case("MODEL-06")
@pytest.mark.parametrize("ids", [("edit:22", "edit:22"), ("", ""), (None, None), ("a", ""), (None, "b")])
@pytest.mark.parametrize("indexed", [True, False])
@pytest.mark.parametrize(("route", "streamed"), FORMS)
async def test_calls_with_doubled_empty_or_no_ids_stay_apart(
    route: Route, ids: tuple[Any, Any], indexed: bool, streamed: bool
) -> None:
    entries = []
    for number, call_id in enumerate(ids):
        entry = {"id": call_id, "type": "function", "function": {"name": "edit", "arguments": f'{{"n": {number}}}'}}
        entries.append({**entry, "index": number} if indexed else entry)
    if streamed:
        reply = stream(*(chunk({"tool_calls": [entry]}) for entry in entries), finish("tool_calls"))
    else:
        reply = json_reply({"choices": [{"message": {"tool_calls": entries}, "finish_reason": "tool_calls"}]})
    got, error, _ = await _asked(route, reply)
    assert error is None
    assert [(call.index, json.loads(call.raw)["n"]) for call in calls_of(got)] == [(0, 0), (1, 1)]
    assert got[-1] == Finish("calls")


@pytest.mark.case("MODEL-06")
@pytest.mark.case("MODEL-10")
@pytest.mark.parametrize(("call_id", "arguments"), [(7, "{}"), ("a", [1]), ("a", 3)])
async def test_a_call_whose_parts_are_of_a_strange_type_is_said_or_refused_and_never_lost(
    asked: Asked, call_id: Any, arguments: Any
) -> None:
    entry = {"index": 0, "id": call_id, "type": "function", "function": {"name": "edit", "arguments": arguments}}
    got, error, _ = await asked(stream(chunk({"tool_calls": [entry]}), finish("tool_calls")))
    if error is None:  # the direct route reads them as they are
        assert [call.raw for call in calls_of(got)] == [arguments if arguments == "{}" else json.dumps(arguments)]
    else:  # litellm drops them
        assert (error.kind, calls_of(got)) == ("protocol", [])
        assert "announced a call of a tool" in error.message


@pytest.mark.case("MODEL-10")
async def test_an_answer_in_one_piece_is_whole_or_an_error(asked: Asked) -> None:
    got, error, _ = await asked(json_reply({"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}))
    if error is None:  # the direct route reads it
        assert (text_of(got), got[-1]) == ("a", Finish("stop"))
    else:  # litellm reads streams alone
        assert (error.kind, text_of(got)) == ("cut", "")


@pytest.mark.case("MODEL-07")
@pytest.mark.parametrize(
    "reply",
    [
        json_reply({"choices": []}),
        json_reply({"choices": [{"message": None}]}),
        json_reply({"choices": None}),
        json_reply({"usage": {"prompt_tokens": 3, "completion_tokens": 0}}),
        json_reply({}),
        json_reply(None),
        stream({"choices": []}),
        stream(chunk(None)),
        stream({"choices": [{"index": 0, "message": None}]}),
        stream(usage()),
        stream(),
    ],
)
async def test_an_answer_without_a_message_is_a_clear_error_after_few_tries(asked: Asked, reply: Reply) -> None:
    got, error, requests = await asked(reply)
    assert text_of(got) == ""
    assert error is not None
    assert error.kind in ("cut", "protocol")
    assert error.next_step
    assert requests == 4


@pytest.mark.case("MODEL-07")
@pytest.mark.parametrize("extra", [{"choices": []}, {"choices": None}, chunk(None), usage(), {"object": "ping"}])
@pytest.mark.parametrize("place", [0, 1, 2, 3])
async def test_an_empty_chunk_anywhere_in_a_good_answer_changes_nothing(asked: Asked, extra: Any, place: int) -> None:
    payloads = [text("a"), text("b"), finish()]
    payloads.insert(place, extra)
    got, error, requests = await asked(stream(*payloads))
    assert (text_of(got), got[-1], error, requests) == ("ab", Finish("stop"), None, 1)


@pytest.mark.case("MODEL-10")
@pytest.mark.parametrize(
    ("arguments", "meaning"),
    [
        ("", {}),
        (None, {}),
        ("null", {}),
        ({}, {}),
        ({"path": "x"}, {"path": "x"}),
        ('{"path": "x"}', {"path": "x"}),
        ('"{\\"path\\": \\"x\\"}"', {"path": "x"}),
        ('"\\"{}\\""', None),
        ('"text"', None),
        ('{"x": NaN}', None),
        ('{"x": Infinity}', None),
        ('{"x": -Infinity}', None),
    ],
)
@pytest.mark.parametrize(("route", "streamed"), FORMS)
async def test_arguments_of_any_form_arrive_as_they_are(
    route: Route, arguments: Any, meaning: Any, streamed: bool
) -> None:
    if streamed:
        reply = stream(fragment(arguments, call_id="a", name="read"), finish("tool_calls"))
    else:
        entry = {"id": "a", "function": {"name": "read", "arguments": arguments}}
        reply = json_reply({"choices": [{"message": {"tool_calls": [entry]}, "finish_reason": "tool_calls"}]})
    got, error, _ = await _asked(route, reply)
    (call,) = calls_of(got)
    assert error is None
    assert not call.truncated
    if meaning is None:
        with pytest.raises(ToolError):
            parse_arguments(call.raw)
    else:
        assert parse_arguments(call.raw) == meaning


@pytest.mark.case("MODEL-11")
@pytest.mark.parametrize("deltas", [1, 2, 5])
@pytest.mark.parametrize("done", [True, False])
async def test_a_stream_without_a_terminal_event_is_incomplete_and_its_text_is_kept(
    asked: Asked, deltas: int, done: bool
) -> None:
    got, error, requests = await asked(stream(*[text("x")] * deltas, done=done))
    assert (text_of(got), requests) == ("x" * deltas, 1)
    assert error is not None
    assert (error.kind, error.retryable) == ("cut", True)
    assert "before it was complete" in error.message
    assert not any(isinstance(event, Finish) for event in got)


@pytest.mark.case("MODEL-11")
async def test_a_call_that_the_end_of_the_stream_cut_is_marked(asked: Asked) -> None:
    whole, cut = fragment('{"a": 1}', call_id="a", name="edit"), fragment('{"a":', index=1, call_id="b", name="edit")
    got, error, _ = await asked(stream(text("x"), whole, cut, done=False))
    assert [(call.provider_id, call.truncated) for call in calls_of(got)] == [("a", False), ("b", True)]
    assert error is not None
    assert error.kind == "cut"


@pytest.mark.case("MODEL-11")
async def test_a_stream_that_ended_before_anything_was_shown_is_tried_again_a_few_times(asked: Asked) -> None:
    _, error, requests = await asked([HEAD, b""])
    assert requests == 4
    assert error is not None
    got, error, requests = await asked([HEAD, b""], stream(text("a"), finish()))
    assert (text_of(got), error, requests) == ("a", None, 2)


@pytest.mark.case("MODEL-12")
@pytest.mark.parametrize("reason", ["stop", "tool_calls", "length"])
async def test_a_finish_reason_beside_content_loses_and_doubles_nothing(asked: Asked, reason: str) -> None:
    last = chunk(
        {"content": " end", "tool_calls": [{"index": 0, "function": {"name": "x", "arguments": "{}"}}]}, reason
    )
    got, error, requests = await asked([HEAD, events(text("start"), last, usage())])
    assert (text_of(got), error, requests) == ("start end", None, 1)
    assert [call.raw for call in calls_of(got)] == ["{}"]
    assert got[-1] == Finish("length" if reason == "length" else "calls")


@pytest.mark.case("LOG-11")
@pytest.mark.parametrize("code", [401, 404])
@pytest.mark.parametrize("given", [KEY, f"{KEY}\n", f"{KEY}\r\n", f"\t{KEY} "])
async def test_a_provider_that_echoes_the_key_puts_it_into_no_error(
    asked: Asked, code: int, given: str, capsys: pytest.CaptureFixture[str]
) -> None:
    body = json.dumps({"error": {"message": f"Bad key {KEY} at https://api.example/v1?key={KEY}"}}).encode()
    head = b"HTTP/1.1 %d X\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % (code, len(body))
    _, error, _ = await asked([head + body], api_key=lambda: given, key_env="TEST_API_KEY")
    assert error is not None
    out, err = capsys.readouterr()
    assert all(KEY not in words for words in (str(error), repr(error.args), error.raw, error.next_step, out, err))
    assert error.__cause__ is None
