"""Faults injected into real streams: none becomes a complete answer, none hangs, none leaves a connection open."""

import json
import os
import random
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from tah_jupyter.core.messages import CallFinished, Finish, ModelRequest, TextPart, UserMessage
from tah_jupyter.models.chat.retry import MAX_RETRIES
from tests.support.provider import (
    HEAD,
    HOLD,
    RESET,
    Provider,
    Reply,
    chunk,
    events,
    finish,
    fragment,
    serving,
    text,
    usage,
)
from tests.support.routes import ROUTES, Route, at_once
from tests.support.streams import drain

pytestmark = [
    pytest.mark.anyio,
    # litellm, cancelled between making this coroutine and awaiting it; it is collected later, in any test of this file.
    pytest.mark.filterwarnings("ignore:coroutine 'OpenAIChatCompletion.async_streaming' was never awaited"),
]

SEED = 20260501
TIMES = 80 if os.environ.get("FAULTS") == "long" else 5
REQUEST = ModelRequest("s", (UserMessage("go"),), ())
CHUNKED = HEAD.replace(b"connection: close", b"transfer-encoding: chunked")


def good_answer(rng: random.Random) -> tuple[list[Any], str]:
    """Payloads of a good answer, without its end, and its text."""
    said = [f"w{rng.randrange(100)} " for _ in range(rng.randrange(1, 5))]
    payloads = [chunk({"role": "assistant", "content": ""}), *map(text, said)]
    for index in range(rng.randrange(0, 3)):
        payloads.append(fragment("", index=index, call_id=f"c{index}", name="edit"))
        arguments = json.dumps({"path": "f", "content": f"line {{1}}\n{rng.randrange(100)}"})
        payloads += [fragment(arguments[i : i + 9], index=index) for i in range(0, len(arguments), 9)]
    return payloads, "".join(said)


def cut_between_events(payloads: list[Any], rng: random.Random) -> Reply:
    return [HEAD, events(*payloads[: rng.randrange(1, len(payloads) + 1)], done=False)]


def cut_inside_an_event(payloads: list[Any], rng: random.Random) -> Reply:
    raw = events(*payloads, done=False)
    return [HEAD, raw[: rng.randrange(1, len(raw) - 2)]]


def reset_in_the_middle(payloads: list[Any], rng: random.Random) -> Reply:
    return [HEAD, events(*payloads[: rng.randrange(1, len(payloads) + 1)], done=False), RESET]


def no_last_chunk_frame(payloads: list[Any], rng: random.Random) -> Reply:
    raw = events(*payloads, done=False)
    return [CHUNKED, b"%x\r\n%s\r\n" % (len(raw), raw)]


def cut_inside_a_chunk_frame(payloads: list[Any], rng: random.Random) -> Reply:
    raw = events(*payloads, done=False)
    return [CHUNKED, b"%x\r\n%s" % (len(raw) + 999, raw)]


def done_without_a_reason(payloads: list[Any], rng: random.Random) -> Reply:
    return [HEAD, events(*payloads, done=True)]


def silence(payloads: list[Any], rng: random.Random) -> Reply:
    return [HEAD, events(*payloads[: rng.randrange(0, len(payloads))], done=False), HOLD]


def malformed_json(payloads: list[Any], rng: random.Random) -> Reply:
    where = rng.randrange(0, len(payloads) + 1)
    return [
        HEAD,
        events(*payloads[:where], rng.choice(["{", "nope", '{"choices": 5}', "[]", "\x00"]), *payloads[where:]),
    ]


def not_utf8(payloads: list[Any], rng: random.Random) -> Reply:
    raw = events(*payloads, text("?????"), finish())
    return [HEAD, raw.replace(b"?????", b"\xff\xfe\xfd\xc3(")]


def error_object(payloads: list[Any], rng: random.Random) -> Reply:
    where = rng.randrange(0, len(payloads) + 1)
    return [HEAD, events(*payloads[:where], {"error": {"message": "upstream failed", "code": 502}})]


def bare_error(payloads: list[Any], rng: random.Random) -> Reply:
    return [HEAD, events(*payloads, done=False), b'{"error": {"message": "upstream failed"}}\n']


def error_as_the_reason(payloads: list[Any], rng: random.Random) -> Reply:
    return [HEAD, events(*payloads, finish(rng.choice(["error", "abort", "insufficient_system_resource"])))]


def usage_instead_of_an_end(payloads: list[Any], rng: random.Random) -> Reply:
    return [HEAD, events(*payloads, usage())]


def only_empty_choices(payloads: list[Any], rng: random.Random) -> Reply:
    return [HEAD, events(*[{"choices": []}] * rng.randrange(1, 9))]


def null_deltas(payloads: list[Any], rng: random.Random) -> Reply:
    return [HEAD, events(*payloads, chunk(None), {"choices": [{"message": None}]}, {"choices": None})]


def empty_body(payloads: list[Any], rng: random.Random) -> Reply:
    return [HEAD]


def login_page(payloads: list[Any], rng: random.Random) -> Reply:
    return [HEAD.replace(b"text/event-stream", b"text/html"), b"<html><title>Sign in</title>"]


def arguments_go_on(payloads: list[Any], rng: random.Random) -> Reply:
    whole = [fragment('{"path": "f"}', call_id="a", name="edit"), fragment(', "more": 1}'), finish("tool_calls")]
    return [HEAD, events(text("w1"), *whole)]


FAULTS: list[Callable[[list[Any], random.Random], Reply]] = [
    cut_between_events,
    cut_inside_an_event,
    reset_in_the_middle,
    no_last_chunk_frame,
    cut_inside_a_chunk_frame,
    done_without_a_reason,
    silence,
    malformed_json,
    not_utf8,
    error_object,
    bare_error,
    error_as_the_reason,
    usage_instead_of_an_end,
    only_empty_choices,
    null_deltas,
    empty_body,
    login_page,
    arguments_go_on,
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
@pytest.mark.parametrize("seed", range(SEED, SEED + TIMES))
@pytest.mark.parametrize("route", ROUTES)
async def test_a_broken_stream_is_never_taken_for_a_complete_answer(
    route: Route, fault: Callable[[list[Any], random.Random], Reply], seed: int
) -> None:
    rng = random.Random(f"{seed}{fault.__name__}")
    payloads, said = good_answer(rng)
    async with serving(fault(payloads, rng)) as server:
        model = await route(server.base_url, idle_s=0.1, sleep=at_once)
        with anyio.fail_after(40):  # measured: 1.4 s at most, with six processes a core beside it
            got, error = await drain(model.stream(REQUEST))
            await server.all_closed()
        await model.aclose()
    assert error is not None
    assert not any(isinstance(event, Finish) for event in got)
    shown = "".join(event.text for event in got if isinstance(event, TextPart))
    assert said.startswith(shown) or fault is arguments_go_on
    _whole_calls_only(got)
    _bounded(server, got)


def _whole_calls_only(got: list[Any]) -> None:
    calls = [event for event in got if isinstance(event, CallFinished)]
    assert [call.index for call in calls] == list(range(len(calls)))
    assert all(call.truncated or call.raw.endswith("}") for call in calls)


def _bounded(server: Provider, got: list[Any]) -> None:
    assert 1 <= len(server.bodies) <= MAX_RETRIES + 1
    shown = [isinstance(event, (TextPart, CallFinished)) for event in got]
    assert shown == sorted(shown)  # nothing is tried again once something was shown
