"""The direct route against a real server on loopback: what it asks, what it reads, what it does when things break."""

import gzip
import json
from collections.abc import Sequence
from typing import Any

import anyio
import pytest

from tah_jupyter.core.calls import ToolSchema, Usage
from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.messages import (
    AssistantMessage,
    CallFinished,
    CallPart,
    Finish,
    Message,
    ModelEvent,
    ModelRequest,
    Retrying,
    TextPart,
    ThinkingPart,
    ToolMessage,
    UsagePart,
    UserMessage,
)
from tah_jupyter.models.openai_compatible import OpenAICompatible
from tests.support.provider import (
    HEAD,
    HOLD,
    RESET,
    Provider,
    chunk,
    events,
    finish,
    fragment,
    json_reply,
    serving,
    status,
    stream,
    text,
    usage,
)
from tests.support.streams import drain

pytestmark = pytest.mark.anyio

KEY = "sk-test-0123456789-abcdefgh-x7Q2"


def request(*messages: Message, tools: Sequence[ToolSchema] = ()) -> ModelRequest:
    return ModelRequest("be brief", messages or (UserMessage("go"),), tools)


def route(server: Provider, **more: Any) -> OpenAICompatible:
    more.setdefault("jitter", lambda: 0.0)
    return OpenAICompatible("test", base_url=server.base_url, model="m", **more)


class Naps:
    """Records the waits instead of taking them."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


async def answer(server: Provider, asked: ModelRequest | None = None, **more: Any) -> tuple[Any, ModelError | None]:
    model = route(server, **more)
    try:
        with anyio.fail_after(10):
            return await drain(model.stream(asked or request()))
    finally:
        await model.aclose()


def words(got: list[ModelEvent]) -> str:
    return "".join(event.text for event in got if isinstance(event, TextPart))


def sealed(got: list[ModelEvent]) -> list[CallFinished]:
    return [event for event in got if isinstance(event, CallFinished)]


async def test_a_whole_answer_gives_text_thinking_calls_usage_and_a_terminal_event() -> None:
    reply = stream(
        chunk({"role": "assistant", "content": ""}),
        chunk({"reasoning_content": "hm"}),
        text("Look"),
        text("ing"),
        fragment("", index=0, call_id="a", name="read"),
        fragment('{"path":', index=0),
        fragment(' "x"}', index=0),
        fragment("", index=1, call_id="b", name="list"),
        finish("tool_calls"),
        usage(100, 20, prompt_tokens_details={"cached_tokens": 64}),
    )
    async with serving(reply) as server:
        got, error = await answer(server)
    assert error is None
    assert got == [
        ThinkingPart("hm"),
        TextPart("Looking"),
        CallFinished(0, "read", '{"path": "x"}', "a"),
        CallFinished(1, "list", "", "b"),
        UsagePart(Usage(100, 64, 20, 1)),
        Finish("calls"),
    ]


async def test_the_request_is_what_the_interface_wants() -> None:
    tool = ToolSchema("read", "Reads.", {"type": "object", "properties": {}})
    history = (
        UserMessage("hé"),
        AssistantMessage("", (CallPart("c1", "read", '{"a":1}'),)),
        ToolMessage("c1", "data"),
        AssistantMessage("ok"),
    )
    async with serving(stream(text("x"), finish())) as server:
        await answer(
            server,
            request(*history, tools=(tool,)),
            api_key=lambda: KEY,
            options={"temperature": 0},
            headers={"x-mine": "1"},
        )
    assert server.bodies == [
        {
            "model": "m",
            "temperature": 0,
            "stream": True,
            "stream_options": {"include_usage": True},
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": "read",
                        "description": "Reads.",
                        "parameters": {"type": "object", "properties": {}},
                    },
                }
            ],
            "messages": [
                {"role": "system", "content": "be brief"},
                {"role": "user", "content": "hé"},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"a":1}'}}
                    ],
                },
                {"role": "tool", "tool_call_id": "c1", "content": "data"},
                {"role": "assistant", "content": "ok"},
            ],
        }
    ]
    head = server.heads[0].lower()
    assert head.startswith("post /v1/chat/completions ")
    assert f"authorization: bearer {KEY.lower()}" in head
    assert "accept-encoding: identity" in head
    assert "x-mine: 1" in head


async def test_a_history_that_grows_or_changes_is_sent_as_it_is_each_time() -> None:
    histories: list[list[Message]] = [[UserMessage("a")], [UserMessage("a"), AssistantMessage("x"), UserMessage("b")]]
    histories += [[UserMessage("a"), AssistantMessage("CHANGED")], [UserMessage("other")], [UserMessage("a")]]
    async with serving(stream(text("x"), finish())) as server:
        model = route(server)
        for history in histories:
            _, error = await drain(model.stream(ModelRequest("s", history, ())))
            assert error is None
        await model.aclose()
    contents = [[message["content"] for message in body["messages"]] for body in server.bodies]
    assert contents == [["s", *(message.text for message in history)] for history in histories]
    assert all("tools" not in body for body in server.bodies)


async def test_half_a_surrogate_pair_is_sent_as_a_question_mark() -> None:
    async with serving(stream(text("x"), finish())) as server:
        await answer(server, request(UserMessage("name\udce9.txt")))
    assert server.bodies[0]["messages"][1]["content"] == "name?.txt"


async def test_a_server_that_refuses_the_usage_option_is_asked_without_it_from_then_on() -> None:
    refusal = status(400, {"error": {"message": "Unknown parameter: stream_options"}})
    async with serving(refusal, stream(text("a"), finish())) as server:
        model = route(server)
        first, _ = await drain(model.stream(request()))
        second, _ = await drain(model.stream(request()))
        await model.aclose()
    assert first == second == [TextPart("a"), Finish("stop")]
    assert ["stream_options" in body for body in server.bodies] == [True, False, False]


async def test_connections_are_used_again_when_a_stream_was_read_to_its_end() -> None:
    payload = events(text("a"), finish())
    framed = (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        b"%x\r\n%s\r\n0\r\n\r\n" % (len(payload), payload)
    )
    async with serving([framed]) as server:
        model = route(server)
        for _ in range(3):
            got, error = await drain(model.stream(request()))
            assert (words(got), error) == ("a", None)
        await model.aclose()
    assert server.connections == 1


async def test_an_answer_ends_with_done_though_the_server_keeps_the_connection_open() -> None:
    async with serving([*stream(text("a"), finish()), HOLD]) as server:
        got, error = await answer(server)
        with anyio.fail_after(5):
            await server.all_closed()
    assert (got, error) == ([TextPart("a"), Finish("stop")], None)


async def test_an_answer_that_ended_is_complete_though_the_connection_breaks_before_usage() -> None:
    raw = events(text("a"), finish(), done=False)
    chunked = HEAD.replace(b"connection: close", b"transfer-encoding: chunked\r\nconnection: close")
    for reply in ([HEAD, raw, RESET], [chunked, b"%x\r\n%s\r\n" % (len(raw), raw)], [HEAD, raw.rstrip()]):
        async with serving(reply) as server:
            got, error = await answer(server)
        assert (got, error) == ([TextPart("a"), Finish("stop")], None)


async def test_a_last_event_without_its_blank_line_counts() -> None:
    last = json.dumps(text("b", "stop"))
    async with serving([HEAD, events(text("a"), done=False), f"data: {last}".encode()]) as server:
        got, error = await answer(server)
    assert (words(got), got[-1], error) == ("ab", Finish("stop"), None)


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}},
        {"choices": [{"message": {"content": [{"type": "text", "text": "whole"}]}, "finish_reason": "stop"}]},
    ],
)
async def test_an_answer_that_is_not_streamed_is_read_all_the_same(body: dict[str, Any]) -> None:
    async with serving(json_reply(body)) as server:
        got, error = await answer(server)
    assert (words(got), got[-1], error) == ("whole", Finish("stop"), None)


async def test_calls_of_an_answer_that_is_not_streamed_are_sealed() -> None:
    call = {"id": "z", "type": "function", "function": {"name": "read", "arguments": '{"path": "x"}'}}
    body = {"choices": [{"message": {"content": None, "tool_calls": [call, call]}, "finish_reason": "tool_calls"}]}
    async with serving(json_reply(body)) as server:
        got, error = await answer(server)
    assert error is None
    assert sealed(got)[0] == CallFinished(0, "read", '{"path": "x"}', "z")
    assert got[-1] == Finish("calls")


async def test_a_stream_under_a_wrong_content_type_is_read_all_the_same() -> None:
    async with serving(status(200, events(text("a"), finish()).decode())) as server:
        got, error = await answer(server)
    assert (got, error) == ([TextPart("a"), Finish("stop")], None)


async def test_a_web_page_is_no_answer_and_is_said() -> None:
    async with serving(status(200, "\n<html>Sign in</html>", content_type="text/html")) as server:
        _, error = await answer(server, sleep=Naps())
    assert error is not None
    assert (error.kind, len(server.bodies)) == ("protocol", 1)
    assert "answered with a web page" in error.message
    assert server.base_url in error.next_step


@pytest.mark.parametrize("content_type", ["text/event-stream", "text/plain", "application/problem+json", ""])
async def test_an_error_in_one_piece_is_told_in_the_providers_words_whatever_its_content_type(
    content_type: str,
) -> None:
    body = json.dumps({"error": {"message": "the model is asleep", "code": 400}}, indent=2)
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\nconnection: close\r\n\r\n"
    for start in (b"", b"\xef\xbb\xbf", b"\r\n"):
        async with serving([head.encode(), start + body.encode()]) as server:
            _, error = await answer(server, sleep=Naps())
        assert error is not None
        assert (error.kind, len(server.bodies)) == ("bad_request", 1)
        assert "the model is asleep" in error.message


async def test_a_web_page_that_says_it_is_a_stream_is_a_web_page() -> None:
    async with serving([HEAD, b"<!doctype html>\n<html><title>Sign in</title></html>"]) as server:
        _, error = await answer(server, sleep=Naps())
    assert error is not None
    assert (error.kind, len(server.bodies)) == ("protocol", 1)
    assert "answered with a web page" in error.message


async def test_an_answer_of_one_object_a_line_is_understood() -> None:
    lines = "\n".join(json.dumps(payload) for payload in (text("a"), text("b"), finish()))
    async with serving([HEAD.replace(b"text/event-stream", b"application/x-ndjson"), lines.encode()]) as server:
        got, error = await answer(server)
    assert (words(got), got[-1], error) == ("ab", Finish("stop"), None)


@pytest.mark.parametrize(
    "rest", ["data:   [DONE]\n\n", "data: [done]\n\n", "data: bye\n\n", 'data: {"choices": 3}\n\n']
)
async def test_an_answer_that_ended_is_complete_whatever_follows_it(rest: str) -> None:
    async with serving([HEAD, events(text("a"), finish(), done=False), rest.encode()]) as server:
        got, error = await answer(server)
    assert (words(got), got[-1], error, len(server.bodies)) == ("a", Finish("stop"), None, 1)


async def test_a_compressed_stream_is_understood() -> None:
    body = gzip.compress(events(text("zipped"), finish()))
    head = HEAD.replace(b"connection:", b"content-encoding: gzip\r\nconnection:")
    async with serving([head, body]) as server:
        got, error = await answer(server)
    assert (words(got), error) == ("zipped", None)


@pytest.mark.parametrize("size", [1, 2, 7])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
async def test_any_line_end_and_any_cut_of_the_network_give_the_same_text(size: int, end: str) -> None:
    payload = json.dumps(text("Grüße, 世界 🌍"), ensure_ascii=False)
    middle = payload.index("choices") - 1  # two data lines are joined by a line break, which JSON allows here
    lines = [": hello", f"data: {payload[:middle]}", f"data: {payload[middle:]}", "id: 4", ""]
    lines += [f"data:{json.dumps(finish())}", "", "data: [DONE]", "", ""]
    raw = b"\xef\xbb\xbf" + end.join(lines).encode()
    async with serving([HEAD, *(raw[i : i + size] for i in range(0, len(raw), size))]) as server:
        got, error = await answer(server)
    assert error is None
    assert words(got) == "Grüße, 世界 🌍"


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "filter"),
        ("tool_calls", "stop"),
        ("eos", "stop"),
        ("MAX_TOKENS", "length"),
    ],
)
async def test_finish_reasons_are_read_as_what_they_mean(reason: str, expected: str) -> None:
    async with serving(stream(text("a"), finish(reason))) as server:
        got, error = await answer(server)
    assert (got[-1], error) == (Finish(expected), None)  # type: ignore[arg-type]


async def test_a_refusal_is_shown_and_is_not_a_complete_answer() -> None:
    async with serving(stream(chunk({"refusal": "No."}), finish())) as server:
        got, error = await answer(server)
    assert (got, error) == ([TextPart("No."), Finish("filter")], None)


async def test_an_unknown_finish_reason_is_an_error_that_names_it() -> None:
    async with serving(stream(text("a"), finish("cosmic_ray"))) as server:
        got, error = await answer(server)
    assert words(got) == "a"
    assert error is not None
    assert (error.kind, "cosmic_ray" in str(error)) == ("protocol", True)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_is_kept_apart_from_the_text(field: str) -> None:
    async with serving(stream(chunk({field: "hm"}), text("a"), finish())) as server:
        got, _ = await answer(server)
    assert got == [ThinkingPart("hm"), TextPart("a"), Finish("stop")]


async def test_reasoning_among_the_parts_of_a_content_list_is_found() -> None:
    content = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "a"}]
    async with serving(stream(chunk({"content": content}), finish())) as server:
        got, _ = await answer(server)
    assert got == [ThinkingPart("hm"), TextPart("a"), Finish("stop")]


async def test_a_cancel_while_the_model_is_silent_closes_the_connection() -> None:
    async with serving([*stream(text("a"), done=False), HOLD]) as server:
        model = route(server)
        seen: list[ModelEvent] = []
        with anyio.fail_after(5):
            with anyio.CancelScope() as scope:
                async for event in model.stream(request()):
                    seen.append(event)
                    scope.cancel()
            await server.all_closed()
        await model.aclose()
    assert seen == [TextPart("a")]


async def test_closing_the_stream_closes_the_connection() -> None:
    async with serving([*stream(text("a"), done=False), HOLD]) as server:
        model = route(server)
        events_ = model.stream(request())
        assert await anext(events_) == TextPart("a")
        with anyio.fail_after(5):
            await events_.aclose()
            await server.all_closed()
        await model.aclose()


async def test_text_is_given_as_it_comes_and_not_held_back() -> None:
    go_on = anyio.Event()
    async with serving([*stream(text("first"), done=False), go_on, events(text("second"), finish())]) as server:
        model = route(server)
        with anyio.fail_after(5):
            stream_ = model.stream(request())
            assert await anext(stream_) == TextPart("first")
            go_on.set()
            assert await anext(stream_) == TextPart("second")
            await stream_.aclose()
        await model.aclose()


async def test_a_call_is_given_as_soon_as_it_is_complete_while_the_stream_goes_on() -> None:
    go_on = anyio.Event()
    first, second = fragment('{"a":1}', call_id="1", name="x"), fragment('{"b":2}', index=1, call_id="2", name="y")
    async with serving([*stream(first, done=False), go_on, events(second, finish("tool_calls"))]) as server:
        model = route(server)
        with anyio.fail_after(5):
            stream_ = model.stream(request())
            assert await anext(stream_) == CallFinished(0, "x", '{"a":1}', "1")
            go_on.set()
            assert await anext(stream_) == CallFinished(1, "y", '{"b":2}', "2")
            await stream_.aclose()
        await model.aclose()


async def test_two_streams_of_one_model_do_not_mix() -> None:
    async with serving(stream(text("a"), finish())) as server:
        model = route(server)
        results: list[str] = []

        async def ask(words_: str) -> None:
            got, _ = await drain(model.stream(request(UserMessage(words_))))
            results.append(words(got))

        with anyio.fail_after(5):
            async with anyio.create_task_group() as group:
                for number in range(4):
                    group.start_soon(ask, f"q{number}")
        await model.aclose()
    assert results == ["a"] * 4
    assert sorted(body["messages"][1]["content"] for body in server.bodies) == ["q0", "q1", "q2", "q3"]


MEGABYTE = text("x" * 1024 * 1024)


@pytest.mark.parametrize(
    "reply",
    [
        [HEAD, *[events(MEGABYTE, done=False)] * 65],
        [HEAD.replace(b"text/event-stream", b"application/json"), *[b" " * 1024 * 1024] * 65],
    ],
)
async def test_an_answer_that_does_not_end_is_stopped(reply: Any) -> None:
    async with serving(reply) as server:
        _, error = await answer(server, sleep=Naps())
    assert error is not None
    assert error.kind == "protocol"
    assert "does not end" in error.message
    assert len(server.bodies) == 1


@pytest.mark.parametrize(("words_sent", "missing"), [(50_000, 0), (100, 1000)])
async def test_of_a_long_or_broken_error_the_beginning_is_kept(words_sent: int, missing: int) -> None:
    body = b'{"error": "' + b"why " * words_sent
    head = b"HTTP/1.1 422 X\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % (len(body) + missing)
    async with serving([head.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"), body]) as server:
        _, error = await answer(server)
    assert error is not None
    assert (error.kind, error.status) == ("bad_request", 422)
    assert "why why" in error.message
    assert len(error.raw) <= 4000


async def test_an_answer_that_ended_does_not_wait_for_usage_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tah_jupyter.models.openai_compatible._USAGE_S", 0.05)
    async with serving([*stream(text("a"), finish(), done=False), HOLD]) as server:
        got, error = await answer(server)
    assert (got, error) == ([TextPart("a"), Finish("stop")], None)


async def test_empty_events_and_contents_of_odd_types_are_passed_over() -> None:
    odd = [chunk({"content": 7}), chunk({"content": ["x", {"type": "text"}]}), {"choices": [], "usage": []}]
    async with serving(stream("", " ", *odd, text("a"), finish())) as server:
        got, error = await answer(server)
    assert (got, error) == ([TextPart("a"), Finish("stop")], None)


async def test_a_header_that_cannot_be_sent_is_an_error() -> None:
    async with serving(stream(text("a"), finish())) as server:
        _, error = await answer(server, headers={"x-bad": "a\nb"})
    assert error is not None
    assert error.kind == "bad_request"


async def test_the_form_of_calls_before_tools_is_understood() -> None:
    pieces = [{"name": "read", "arguments": ""}, {"arguments": '{"path":'}, {"arguments": '"x"}'}]
    reply = stream(*(chunk({"function_call": piece}) for piece in pieces), finish("function_call"))
    async with serving(reply) as server:
        got, error = await answer(server)
    assert (got, error) == ([CallFinished(0, "read", '{"path":"x"}'), Finish("calls")], None)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"prompt_tokens": 0, "completion_tokens": 0}, None),
        ({"prompt_tokens": None, "completion_tokens": 4}, Usage(0, 0, 4, 1)),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 8}, Usage(9, 8, 1, 1)),
        ({"prompt_tokens": 9, "completion_tokens": -1, "prompt_tokens_details": None}, Usage(9, 0, 0, 1)),
        ("many", None),
    ],
)
async def test_usage_is_what_the_provider_says_or_nothing(told: Any, expected: Usage | None) -> None:
    async with serving(stream(text("a"), finish(), {"choices": [], "usage": told})) as server:
        got, _ = await answer(server)
    assert [event.usage for event in got if isinstance(event, UsagePart)] == ([expected] if expected else [])


# Retries


@pytest.mark.parametrize("code", [408, 409, 429, 500, 502, 503, 504, 529])
async def test_a_passing_failure_is_tried_again_three_times_and_said_each_time(code: int) -> None:
    naps = Naps()
    async with serving(status(code, {"error": {"message": "busy"}})) as server:
        got, error = await answer(server, sleep=naps)
    assert [type(event) for event in got] == [Retrying] * 3
    assert [(event.attempt, event.wait_s) for event in got] == [(1, 0.5), (2, 1.0), (3, 2.0)]
    assert naps.taken == [0.5, 1.0, 2.0]
    assert len(server.bodies) == 4
    assert error is not None
    assert (error.status, error.retryable) == (code, True)


async def test_a_retry_that_succeeds_gives_the_answer() -> None:
    naps = Naps()
    async with serving(status(429, "{}", headers=["retry-after: 7"]), stream(text("a"), finish())) as server:
        got, error = await answer(server, sleep=naps)
    assert (naps.taken, words(got), error) == ([7.0], "a", None)
    assert isinstance(got[0], Retrying)
    assert "429" in got[0].cause


async def test_a_pause_longer_than_a_minute_is_left_to_the_person() -> None:
    async with serving(status(429, "{}", headers=["retry-after: 3600"])) as server:
        got, error = await answer(server, sleep=Naps())
    assert (got, len(server.bodies)) == ([], 1)
    assert error is not None
    assert (error.kind, error.retry_after_s) == ("rate_limit", 3600.0)


@pytest.mark.parametrize("reply", [[RESET], [b""], stream(text(""), done=False)])
async def test_a_connection_that_breaks_before_anything_was_shown_is_tried_again(reply: Any) -> None:
    async with serving(reply, stream(text("a"), finish())) as server:
        got, error = await answer(server, sleep=Naps())
    assert (words(got), error, len(server.bodies)) == ("a", None, 2)


async def test_nothing_is_tried_again_once_something_was_shown() -> None:
    naps = Naps()
    async with serving(stream(text("par"), done=False)) as server:
        got, error = await answer(server, sleep=naps)
    assert (words(got), naps.taken, len(server.bodies)) == ("par", [], 1)
    assert error is not None
    assert error.kind == "cut"


@pytest.mark.parametrize("code", [400, 401, 402, 403, 404, 413, 422])
async def test_a_lasting_failure_is_not_tried_again(code: int) -> None:
    async with serving(status(code, {"error": {"message": "no"}})) as server:
        got, error = await answer(server, sleep=Naps())
    assert (got, len(server.bodies)) == ([], 1)
    assert error is not None
    assert not error.retryable
