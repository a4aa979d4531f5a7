"""What a provider can do wrong, one fault each: the right kind of error with a next step, and the next request is valid
and answered, over both routes.
"""

import json
from typing import Any

import anyio
import pytest

from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.messages import (
    AssistantMessage,
    CallFinished,
    CallPart,
    Finish,
    Message,
    ModelEvent,
    ModelRequest,
    TextPart,
    ToolMessage,
    UsagePart,
    UserMessage,
)
from tests.support.provider import (
    HEAD,
    HOLD,
    PINGS,
    RESET,
    Provider,
    Reply,
    chunk,
    events,
    finish,
    fragment,
    serving,
    status,
    stream,
    text,
    usage,
)
from tests.support.routes import ROUTES, Route, RouteModel, at_once
from tests.support.streams import drain

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:coroutine 'OpenAIChatCompletion.async_streaming' was never awaited"),
]

KEY = "sk-test-0123456789-abcdefgh-x7Q2"
GOOD = stream(text("good"), finish(), usage())
CALL = fragment('{"path": "f"}', call_id="a", name="edit")


def refused(number: int, message: str, **more: str) -> Reply:
    return status(number, {"error": {"message": f"{message} (key {KEY})", **more}})


REFUSALS: dict[str, tuple[Reply, str]] = {
    "400": (refused(400, "no such field"), "bad_request"),
    "400 context": (refused(400, "maximum context length is 4096", code="context_length_exceeded"), "context_too_long"),
    "400 filter": (refused(400, "blocked", code="content_filter"), "content_filter"),
    "400 key": (refused(400, "API key not valid. Please pass a valid API key."), "key_refused"),
    "400 credit": (refused(400, "Your credit balance is too low to access the API."), "no_credit"),
    "401": (refused(401, "Incorrect API key provided", code="invalid_api_key"), "key_refused"),
    "402": (refused(402, "Insufficient Balance"), "no_credit"),
    "403": (refused(403, "forbidden"), "key_refused"),
    "404 model": (refused(404, "The model `m-1` does not exist", code="model_not_found"), "model_unknown"),
    "404 page": (status(404, "404 page not found"), "bad_request"),
    "408": (status(408, ""), "timeout"),
    "409": (refused(409, "conflict"), "server"),
    "413": (status(413, ""), "context_too_long"),
    "422": (refused(422, "cannot be processed"), "bad_request"),
    "429": (refused(429, "Rate limit reached"), "rate_limit"),
    "429 quota": (refused(429, "You exceeded your current quota", code="insufficient_quota"), "no_credit"),
    "429 quota that comes back": (refused(429, "You exceeded your current quota. Please retry in 23s."), "rate_limit"),
    "500": (refused(500, "boom"), "server"),
    "502": (status(502, "<b>Bad gateway</b>", content_type="text/html"), "server"),
    "503": (refused(503, "loading model"), "overloaded"),
    "504": (status(504, "", content_type="text/html"), "server"),
    "529": (refused(529, "Overloaded"), "overloaded"),
    "reset": ([RESET], "connection"),
    "closed": ([b""], "connection"),
}

BROKEN: dict[str, tuple[Reply, tuple[str, ...]]] = {
    "bad JSON": (stream(text("a"), "{nope", finish()), ("protocol",)),
    "no JSON at all": (stream("nope"), ("protocol",)),
    "not UTF-8": ([HEAD, events(text("a"), done=False), b"data: \xff\xfe\n\n"], ("protocol",)),
    "a web page": (status(200, "<html><title>Sign in</title></html>", content_type="text/html"), ("protocol", "cut")),
    "a web page that says it is a stream": ([HEAD, b"<!doctype html><title>Sign in</title>"], ("protocol", "cut")),
    "an empty body": ([HEAD], ("cut",)),
    "nothing but the end": (stream(), ("cut",)),
    "empty choices alone": (stream({"choices": []}), ("cut",)),
    "a null delta alone": (stream(chunk(None)), ("cut",)),
    "keep-alives without end": ([HEAD, PINGS], ("timeout",)),
    "silence": ([HEAD, HOLD], ("timeout",)),
    "silence after text": ([HEAD, events(text("a"), done=False), HOLD], ("cut",)),
    "an end without a reason": (stream(text("a")), ("cut",)),
    "cut after text": (stream(text("a"), done=False), ("cut",)),
    "reset after text": ([HEAD, events(text("a"), done=False), RESET], ("cut",)),
    "overloaded in the middle": (stream(text("a"), {"error": {"message": "Overloaded", "code": 529}}), ("overloaded",)),
    "an unknown reason": (stream(text("a"), finish("cosmic_ray")), ("protocol",)),
    "error as the reason": (stream(text("a"), finish("error")), ("protocol",)),
    "a call that goes on after its end": (stream(CALL, fragment(', "b": 1}'), finish("tool_calls")), ("protocol",)),
}


async def asked(model: RouteModel, *messages: Message) -> tuple[list[ModelEvent], ModelError | None]:
    with anyio.fail_after(30):
        return await drain(model.stream(ModelRequest("s", [UserMessage("go"), *messages], ())))


def words(got: list[ModelEvent]) -> str:
    return "".join(event.text for event in got if isinstance(event, TextPart))


async def goes_on(server: Provider, model: RouteModel, got: list[ModelEvent]) -> None:
    """What was sealed is answered, and the next request carries exactly that."""
    calls = [event for event in got if isinstance(event, CallFinished) and not event.truncated]
    parts = tuple(CallPart(f"ours-{call.index}", call.tool, call.raw or "{}") for call in calls)
    history = [AssistantMessage(words(got), parts), *(ToolMessage(part.call_id, "ok") for part in parts)]
    server.answer_with(GOOD)
    again, error = await asked(model, *history, UserMessage("go on"))
    assert (words(again), again[-1], error) == ("good", Finish("stop"), None)
    sent = server.bodies[-1]["messages"]
    answered = [message["tool_call_id"] for message in sent if message["role"] == "tool"]
    assert answered == [call["id"] for message in sent for call in message.get("tool_calls") or ()]
    assert json.dumps(sent)


@pytest.mark.parametrize("fault", REFUSALS)
@pytest.mark.parametrize("route", ROUTES)
async def test_a_refusal_says_its_cause_and_what_to_do_and_holds_no_key(
    route: Route, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    reply, kind = REFUSALS[fault]
    async with serving(reply) as server:
        model = await route(server.base_url, sleep=at_once, api_key=lambda: KEY, key_env="TEST_API_KEY")
        got, error = await asked(model)
        assert error is not None
        assert (error.kind, words(got)) == (kind, "")
        assert error.next_step
        if fault[:3].isdecimal():
            assert (error.status, f"({fault[:3]})" in error.message) == (int(fault[:3]), True)
        if kind == "key_refused":
            assert "the one ending x7Q2, from TEST_API_KEY" in error.message
        assert all(KEY not in told for told in (str(error), error.raw, *capsys.readouterr()))
        assert len(server.bodies) == (4 if error.retryable else 1)
        await goes_on(server, model, got)
        await model.aclose()


@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.parametrize("route", ROUTES)
async def test_a_broken_answer_is_an_error_of_its_kind_and_what_came_is_kept(route: Route, fault: str) -> None:
    reply, kinds = BROKEN[fault]
    async with serving(reply) as server:
        model = await route(server.base_url, sleep=at_once, idle_s=0.3)
        got, error = await asked(model)
        assert error is not None
        assert error.kind in kinds
        assert error.next_step
        assert not any(isinstance(event, Finish) for event in got)
        assert words(got) in ("", "a")
        model_again = await route(server.base_url, sleep=at_once)  # it has time to answer, on a slow machine too
        await goes_on(server, model_again, got)
        await model.aclose()
        await model_again.aclose()


GOOD_ALL_THE_SAME: dict[str, tuple[Reply, list[ModelEvent]]] = {
    "index always 0": (
        stream(
            fragment('{"n": 0}', call_id="a", name="edit"),
            fragment('{"n": 1}', call_id="b", name="edit"),
            finish("tool_calls"),
        ),
        [CallFinished(0, "edit", '{"n": 0}', "a"), CallFinished(1, "edit", '{"n": 1}', "b"), Finish("calls")],
    ),
    "doubled ids": (
        stream(
            fragment('{"n": 0}', call_id="a", name="edit"),
            fragment('{"n": 1}', index=1, call_id="a", name="edit"),
            finish("tool_calls"),
        ),
        [CallFinished(0, "edit", '{"n": 0}', "a"), CallFinished(1, "edit", '{"n": 1}', "a"), Finish("calls")],
    ),
    "no usage": (stream(text("a"), finish()), [TextPart("a"), Finish("stop")]),
    "empty choices in between": (stream(text("a"), {"choices": []}, finish()), [TextPart("a"), Finish("stop")]),
    "half a pair in each chunk": (stream(text("a\ud83d"), text("\ude00"), finish()), [TextPart("a😀"), Finish("stop")]),
    "half a pair alone": (stream(text("a\ud83d"), text("b"), finish()), [TextPart("a\ufffdb"), Finish("stop")]),
    "half a pair at the end": (stream(text("a\ud83d"), finish()), [TextPart("a\ufffd"), Finish("stop")]),
    "half a pair in the arguments": (
        stream(fragment('{"a": "\ud83d', call_id="a", name="x"), fragment('\ude00"}'), finish("tool_calls")),
        [CallFinished(0, "x", '{"a": "😀"}', "a"), Finish("calls")],
    ),
    "NaN beside the text": (
        stream(chunk({"content": "a"}, created=float("nan")), finish()),
        [TextPart("a"), Finish("stop")],
    ),
    "NaN in the arguments": (
        stream(fragment('{"a": NaN}', call_id="a", name="x"), finish("tool_calls")),
        [CallFinished(0, "x", '{"a": NaN}', "a"), Finish("calls")],
    ),
    "a huge delta": (stream(text("x" * 2_000_000), finish()), [TextPart("x" * 2_000_000), Finish("stop")]),
    "an end twice": (stream(text("a"), finish(), finish()), [TextPart("a"), Finish("stop")]),
    "usage": (
        stream(text("a"), finish(), usage(100, 20, prompt_tokens_details={"cached_tokens": 64})),
        [TextPart("a"), "usage", Finish("stop")],  # type: ignore[list-item]
    ),
}


def joined(got: list[ModelEvent]) -> list[Any]:
    """``got`` with neighbouring texts in one, as how they are cut says nothing, and usage as a word."""
    parts: list[Any] = []
    for event in got:
        if isinstance(event, TextPart) and parts and isinstance(parts[-1], TextPart):
            parts[-1] = TextPart(parts[-1].text + event.text)
        else:
            parts.append("usage" if isinstance(event, UsagePart) else event)
    return parts


@pytest.mark.parametrize("oddity", GOOD_ALL_THE_SAME)
@pytest.mark.parametrize("route", ROUTES)
async def test_an_odd_but_whole_answer_is_read_the_same_over_both_routes(route: Route, oddity: str) -> None:
    reply, expected = GOOD_ALL_THE_SAME[oddity]
    async with serving(reply) as server:
        model = await route(server.base_url, sleep=at_once)
        got, error = await asked(model)
        assert (joined(got), error, len(server.bodies)) == (expected, None, 1)
        await goes_on(server, model, got)
        await model.aclose()


RAW_CALL = events(fragment("", call_id="c1", name="edit"), fragment('{"path": "ö.py"}'), finish("tool_calls"))


@pytest.mark.parametrize("route", ROUTES)
async def test_a_call_cut_at_any_byte_is_marked_or_whole_and_never_half(route: Route) -> None:
    end = RAW_CALL.index(b"[DONE]")
    reason = RAW_CALL.index(b'"tool_calls"}', RAW_CALL.index(b"finish_reason", RAW_CALL.index(b"path")))
    async with serving(GOOD) as server:
        model = await route(server.base_url, sleep=at_once)
        for cut in range(1, end, 1 if route.__name__ == "direct" else 3):
            server.answer_with([HEAD, RAW_CALL[:cut]])
            got, error = await asked(model)
            calls = [event for event in got if isinstance(event, CallFinished)]
            assert all(call.truncated or call.raw == '{"path": "ö.py"}' for call in calls), cut
            if error is None:
                assert (cut > reason, got[-1]) == (True, Finish("calls")), cut
            else:
                assert error.kind in ("cut", "protocol"), cut
        await goes_on(server, model, got)
        await model.aclose()
