"""The route through litellm where it differs from the direct one: Anthropic's own protocol, its clients, usage."""

import json
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
    ModelEvent,
    ModelRequest,
    TextPart,
    ThinkingPart,
    ToolMessage,
    UsagePart,
    UserMessage,
)
from tah_jupyter.models.choose import ModelSpec, choose
from tah_jupyter.models.litellm_library import library
from tah_jupyter.models.litellm_route import ThroughLitellm
from tah_jupyter.models.open import open_remote
from tests.support.provider import HEAD, Provider, Reply, finish, serving, status, stream, text
from tests.support.routes import OF_LITELLM, at_once, litellm
from tests.support.streams import drain

pytestmark = [pytest.mark.anyio, *OF_LITELLM]

KEY = "sk-ant-test-0123456789-abcdefgh-x7Q2"
TOOL = ToolSchema("read", "Reads.", {"type": "object", "properties": {}})
HISTORY = (
    UserMessage("hé"),
    AssistantMessage("Look.", (CallPart("c1", "read", '{"path":"x"}'),)),
    ToolMessage("c1", "data\udce9"),
)


def anthropic(*payloads: dict[str, Any]) -> Reply:
    """A stream as Anthropic's Messages interface sends it."""
    return [HEAD, *(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode() for each in payloads)]


def start(**more: int) -> dict[str, Any]:
    usage = {"input_tokens": 10, "output_tokens": 1, **more}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "c", "content": [], "usage": usage}
    return {"type": "message_start", "message": message}


def block(index: int, **content: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": content}


def delta(index: int, kind: str, **content: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **content}}


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def end(reason: str) -> list[dict[str, Any]]:
    usage = {"output_tokens": 20}
    return [{"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}, {"type": "message_stop"}]


TEXT = [block(0, type="text", text=""), delta(0, "text_delta", text="Look."), stop(0)]


async def answer(server: Provider, *, api_key: str = KEY, **more: Any) -> tuple[list[ModelEvent], ModelError | None]:
    await anyio.to_thread.run_sync(library)
    model = ThroughLitellm(
        "claude",
        model="anthropic/claude-sonnet-5-5",
        base_url=server.base_url.removesuffix("/v1"),
        api_key=lambda: api_key,
        key_env="ANTHROPIC_API_KEY",
        sleep=at_once,
        **more,
    )
    try:
        with anyio.fail_after(20):
            return await drain(model.stream(ModelRequest("be brief", HISTORY, (TOOL,))))
    finally:
        await model.aclose()


async def test_anthropic_gives_thinking_text_calls_usage_and_an_end() -> None:
    reply = anthropic(
        start(cache_read_input_tokens=100, cache_creation_input_tokens=5),
        block(0, type="thinking", thinking="", signature=""),
        delta(0, "thinking_delta", thinking="hm"),
        stop(0),
        block(1, type="text", text=""),
        delta(1, "text_delta", text="Look"),
        delta(1, "text_delta", text="ing"),
        stop(1),
        block(2, type="tool_use", id="t1", name="read", input={}),
        delta(2, "input_json_delta", partial_json='{"path":'),
        delta(2, "input_json_delta", partial_json=' "x"}'),
        stop(2),
        block(3, type="tool_use", id="t2", name="read", input={}),
        stop(3),
        *end("tool_use"),
    )
    async with serving(reply) as server:
        got, error = await answer(server)
    assert error is None
    assert got == [
        ThinkingPart("hm"),
        TextPart("Look"),
        TextPart("ing"),
        CallFinished(0, "read", '{"path": "x"}', "t1"),
        CallFinished(1, "read", "", "t2"),
        UsagePart(Usage(115, 100, 20, 1, 5)),
        Finish("calls"),
    ]


async def test_what_does_not_change_is_marked_for_the_providers_cache() -> None:
    async with serving(anthropic(start(), *TEXT, *end("end_turn"))) as server:
        await answer(server)
    body, head = server.bodies[0], server.heads[0].lower()
    assert head.startswith("post /v1/messages ")
    assert f"x-api-key: {KEY.lower()}" in head
    assert body["system"] == [{"type": "text", "text": "be brief", "cache_control": {"type": "ephemeral"}}]
    result = body["messages"][-1]["content"][0]
    assert (result["tool_use_id"], result["cache_control"]) == ("c1", {"type": "ephemeral"})
    assert "data" in json.dumps(result["content"])
    assert [tool["name"] for tool in body["tools"]] == ["read"]


@pytest.mark.parametrize(
    ("reason", "expected"), [("end_turn", "stop"), ("max_tokens", "length"), ("refusal", "filter")]
)
async def test_endings_are_what_they_mean(reason: str, expected: str) -> None:
    async with serving(anthropic(start(), *TEXT, *end(reason))) as server:
        got, error = await answer(server)
    assert (got[-1], error) == (Finish(expected), None)  # type: ignore[arg-type]


@pytest.mark.parametrize("parts", range(2, 5))
async def test_a_stream_that_ends_before_its_end_is_cut_though_litellm_would_call_it_done(parts: int) -> None:
    async with serving(anthropic(*[start(), *TEXT][:parts])) as server:
        got, error = await answer(server)
    assert error is not None
    assert error.kind == "cut"
    assert not any(isinstance(event, Finish) for event in got)


@pytest.mark.parametrize(
    ("code", "kind", "message", "expected"),
    [
        (401, "authentication_error", "invalid x-api-key", "key_refused"),
        (400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.", "no_credit"),
        (404, "not_found_error", "model: claude-sonnet-5-5", "model_unknown"),
        (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", "context_too_long"),
        (429, "rate_limit_error", "This request would exceed your rate limit", "rate_limit"),
        (529, "overloaded_error", "Overloaded", "overloaded"),
        (500, "api_error", "Internal server error", "server"),
    ],
)
async def test_anthropics_refusals_are_told_as_what_they_are(code: int, kind: str, message: str, expected: str) -> None:
    body = {"type": "error", "error": {"type": kind, "message": f"{message} {KEY}"}}
    async with serving(status(code, body, headers=["retry-after: 0"])) as server:
        _, error = await answer(server)
    assert error is not None
    assert (error.kind, error.status) == (expected, code)
    assert error.next_step
    assert KEY not in f"{error} {error.raw}"


async def test_a_wrong_key_is_told_as_people_know_it(monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}
    async with serving(status(401, body)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.base_url.removesuffix("/v1"))
        spec = choose("anthropic/claude-opus-5", environ={"ANTHROPIC_API_KEY": KEY})
        assert isinstance(spec, ModelSpec)
        model = open_remote(spec._replace(base_url=server.base_url.removesuffix("/v1")), {"ANTHROPIC_API_KEY": KEY})
        await anyio.to_thread.run_sync(library)
        _, error = await drain(model.stream(ModelRequest("s", HISTORY, ())))
        await model.aclose()
    assert error is not None
    assert error.message.endswith("refused the key (401): the one ending x7Q2, from ANTHROPIC_API_KEY.")


async def test_an_overload_in_the_middle_keeps_what_came() -> None:
    trouble = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    async with serving(anthropic(start(), *TEXT, trouble)) as server:
        got, error = await answer(server)
    assert error is not None
    assert (error.kind, got, len(server.bodies)) == ("overloaded", [TextPart("Look.")], 1)


async def test_the_key_of_the_moment_is_sent() -> None:
    keys = iter(["first-key-0123456789", "second-key-123456789"])
    async with serving(stream(text("a"), finish())) as server:
        model = await litellm(server.base_url, api_key=lambda: next(keys), key_env="LLM_KEY")
        for _ in range(2):
            await drain(model.stream(ModelRequest("s", HISTORY, ())))
        await model.aclose()
    assert ["first-key" in server.heads[0], "second-key" in server.heads[1]] == [True, True]


async def test_connections_are_closed_with_the_last_model_that_uses_them() -> None:
    async with serving(stream(text("a"), finish())) as server:
        first, second = await litellm(server.base_url), await litellm(server.base_url)
        for model in (first, second):
            await drain(model.stream(ModelRequest("s", HISTORY, ())))
        await first.aclose()
        got, error = await drain(second.stream(ModelRequest("s", HISTORY, ())))
        assert (got[0], error) == (TextPart("a"), None)
        await second.aclose()
        with anyio.fail_after(5):
            await server.all_closed()
    assert not [key for key in library().in_memory_llm_clients_cache.cache_dict if server.base_url in key]


async def test_the_persons_own_use_on_another_loop_does_not_break_ours() -> None:
    async with serving(anthropic(start(), *TEXT, *end("end_turn"))) as server:

        async def their_own() -> None:
            answer = await library().acompletion(
                model="anthropic/claude-sonnet-5-5",
                api_base=server.base_url.removesuffix("/v1"),
                api_key=KEY,
                messages=[{"role": "user", "content": "x"}],
                stream=True,
            )
            async for _ in answer:
                pass

        await anyio.to_thread.run_sync(library)
        for _ in range(2):
            await anyio.to_thread.run_sync(anyio.run, their_own)
            got, error = await answer(server)
            assert (got[0], error) == (TextPart("Look."), None)


async def test_usage_that_litellm_counted_itself_is_not_told() -> None:
    async with serving(stream(text("a"), finish())) as server:
        model = await litellm(server.base_url)
        got, _ = await drain(model.stream(ModelRequest("s", HISTORY, ())))
        await model.aclose()
    assert got == [TextPart("a"), Finish("stop")]


def test_what_a_model_is_known_to_cost_and_to_hold_comes_from_the_table() -> None:
    model = open_remote(ModelSpec("litellm", "claude", "--model", "anthropic/claude-sonnet-5-5"), {})
    assert (model.host, model.context_window, model.cost_usd(Usage(10, 0, 10, 1))) == ("api.anthropic.com", None, None)
    assert open_remote(ModelSpec("litellm", "x", "--model", "bedrock/x"), {}).host == "bedrock"
