"""Each refusal and each broken connection says what was wrong and what to do next, and never holds the key."""

import logging
import socket
import traceback
from typing import Any

import anyio
import httpx
import pytest

from tah_jupyter.core.errors import ConfigError, ModelError
from tah_jupyter.core.messages import ModelRequest, UserMessage
from tah_jupyter.models.openai_compatible import OpenAICompatible
from tests.support.provider import HEAD, HOLD, PINGS, RESET, UNTRUSTED, Reply, events, serving, status, stream, text
from tests.support.streams import drain

pytestmark = pytest.mark.anyio

KEY = "sk-test-0123456789-abcdefgh-x7Q2"
REQUEST = ModelRequest("s", (UserMessage("go"),), ())


async def no_wait(seconds: float) -> None:
    """Retries come at once."""


async def failure(base_url: str, **more: Any) -> ModelError:
    more.setdefault("api_key", lambda: KEY)
    model = OpenAICompatible("test", base_url=base_url, model="m-1", key_env="TEST_API_KEY", sleep=no_wait, **more)
    with anyio.fail_after(10):
        _, error = await drain(model.stream(REQUEST))
    await model.aclose()
    assert error is not None
    return error


async def refusal(reply: Reply, **more: Any) -> ModelError:
    async with serving(reply) as server:
        return await failure(server.base_url, **more)


@pytest.mark.parametrize(
    ("code", "body", "kind"),
    [
        (401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}, "key_refused"),
        (403, {"error": {"message": "forbidden"}}, "key_refused"),
        (400, {"error": {"message": "Invalid API key"}}, "key_refused"),
        (402, {"error": {"message": "Insufficient Balance"}}, "no_credit"),
        (429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}, "no_credit"),
        (429, {"error": {"message": "Rate limit reached"}}, "rate_limit"),
        (429, "slow down", "rate_limit"),
        (404, {"error": {"message": "The model `m-1` does not exist", "code": "model_not_found"}}, "model_unknown"),
        (404, {"error": {"message": 'model "m-1" not found, try pulling it first'}}, "model_unknown"),
        (400, {"error": {"message": "m-1 is not a valid model ID"}}, "model_unknown"),
        (404, "404 page not found", "bad_request"),
        (400, {"error": {"code": "context_length_exceeded", "message": "too long"}}, "context_too_long"),
        (400, {"object": "error", "message": "This model's maximum context length is 4096 tokens"}, "context_too_long"),
        (400, {"error": {"message": "the request exceeds the available context size"}}, "context_too_long"),
        (413, "", "context_too_long"),
        (400, {"error": {"code": "content_filter", "message": "flagged"}}, "content_filter"),
        (403, {"error": {"message": "Your input was flagged by moderation"}}, "content_filter"),
        (400, {"detail": [{"loc": ["body"], "msg": "bad"}]}, "bad_request"),
        (400, [{"error": {"message": "list"}}], "bad_request"),
        (422, {"error": "a string"}, "bad_request"),
        (408, "", "timeout"),
        (409, "", "server"),
        (500, "<html><title>Oops</title><body>x</body></html>", "server"),
        (502, "<b>Bad gateway</b>", "server"),
        (503, {"error": {"message": "loading model"}}, "overloaded"),
        (529, {"error": {"type": "overloaded_error"}}, "overloaded"),
        (302, "", "bad_request"),
    ],
)
async def test_a_refusal_is_sorted_by_its_words_and_its_status(code: int, body: Any, kind: str) -> None:
    error = await refusal(status(code, body, headers=["location: http://elsewhere/"]))
    assert (error.kind, error.status) == (kind, code)
    assert error.next_step
    assert str(code) in error.message


async def test_the_words_of_the_provider_are_kept_short_in_the_message_and_whole_beside_it() -> None:
    long = "because " * 100
    error = await refusal(status(422, {"error": {"message": long}}))
    assert "because because" in error.message
    assert len(error.message) < 400
    assert long.strip() in error.raw


@pytest.mark.parametrize(
    ("payload", "kind"),
    [
        ({"error": {"message": "Overloaded", "code": 529}}, "overloaded"),
        ({"error": {"message": "Provider returned error", "code": 502}}, "server"),
        ({"error": {"message": "Rate limit", "code": "rate_limit_exceeded"}}, "rate_limit"),
        ({"error": "context window exceeded"}, "context_too_long"),
        ({"error": {"message": "boom"}}, "server"),
    ],
)
async def test_an_error_inside_a_stream_is_one(payload: Any, kind: str) -> None:
    error = await refusal(stream(text("a"), payload))
    assert error.kind == kind


async def test_an_event_named_error_is_an_error_whatever_it_holds() -> None:
    error = await refusal([HEAD, b'event: error\ndata: {"message": "overloaded"}\n\n'])
    assert error.kind == "overloaded"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (status(200, "<html><title>Log in</title></html>", content_type="text/html"), "protocol"),
        (status(200, {"choices": []}), "cut"),
        (status(200, {"detail": "nothing here"}), "cut"),
        (status(200, ""), "cut"),
        (stream("{broken"), "protocol"),
        (stream('["no", "object"]'), "protocol"),
    ],
)
async def test_an_answer_that_is_none_is_an_error(reply: Reply, kind: str) -> None:
    assert (await refusal(reply)).kind == kind


# The key


async def test_a_refused_key_is_named_by_its_end_and_its_variable() -> None:
    error = await refusal(status(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}))
    assert "the one ending x7Q2, from TEST_API_KEY" in error.message
    assert "White space" not in error.message


async def test_white_space_around_a_key_is_left_out_and_said() -> None:
    async with serving(status(401, {})) as server:
        error = await failure(server.base_url, api_key=lambda: f" {KEY}\n")
    assert f"authorization: bearer {KEY}\r" in server.heads[0].replace("Bearer", "bearer").replace(
        "Authorization", "authorization"
    )
    assert "White space around it was left out." in error.message


async def test_a_short_key_is_not_shown_by_its_end() -> None:
    error = await refusal(status(401, {}), api_key=lambda: "tiny-key")
    assert "one of 8 characters" in error.message
    assert "-key," not in error.message


@pytest.mark.parametrize("key", ["sk-abc\ndef-0123456789", "sk-“quoted”-0123456789"])
async def test_a_key_that_cannot_be_sent_is_refused_here(key: str) -> None:
    error = await failure("http://127.0.0.1:9/v1", api_key=lambda: key)
    assert error.kind == "key_refused"
    told = [str(error), *traceback.TracebackException.from_exception(error, capture_locals=True).format()]
    assert not any(key in words or repr(key) in words for words in told)


@pytest.mark.parametrize("key", [None, "", "  "])
async def test_a_missing_key_is_said_before_anything_is_sent(key: str | None) -> None:
    async with serving(stream()) as server:
        error = await failure(server.base_url, api_key=lambda: key)
    assert (error.kind, server.bodies) == ("key_missing", [])
    assert "no TEST_API_KEY in this kernel" in error.message


async def test_a_server_that_wants_a_key_where_none_is_configured_says_where_to_name_it() -> None:
    error = await refusal(status(401, {}), api_key=None)
    assert error.kind == "key_refused"
    assert "wants a key, and none was sent" in error.message
    assert "apiKeyEnv" in error.next_step


@pytest.mark.parametrize("given", [KEY, f"{KEY}\n"])
@pytest.mark.parametrize(
    "reply",
    [
        status(401, {"error": {"message": f"Incorrect API key provided: {KEY}. Find yours elsewhere."}}),
        status(404, f"no route for /v1?key={KEY}"),
        status(400, {"error": {"message": "x" * 290 + KEY}}),
        status(500, {"error": {"message": KEY.replace("-", "%2D")}}),
        status(302, "", headers=[f"location: http://other/?k={KEY}"]),
        stream({"error": {"message": f"Bearer {KEY}"}}),
        stream("{" + KEY),
        stream(text(""), done=False),
        [RESET],
        status(200, f"<html>{KEY}", content_type="text/html"),
    ],
)
async def test_no_word_of_an_error_holds_the_key(
    reply: Reply, given: str, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.INFO)
    async with serving(reply) as server:
        error = await failure(server.base_url, api_key=lambda: given)
    told = [str(error), repr(error), error.raw, error.next_step, "".join(traceback.format_exception(error))]
    told += traceback.TracebackException.from_exception(error, capture_locals=True).format()
    told += [caplog.text, *capsys.readouterr()]
    for secret in (KEY, KEY[:12]):
        assert all(secret not in words for words in told)


# The connection


async def test_a_server_that_is_not_there_is_said_with_its_address() -> None:
    async with serving(stream()) as server:
        gone = server.base_url
    error = await failure(gone)
    assert error.kind == "connection"
    assert error.retryable
    assert "Nothing answers on 127.0.0.1:" in error.message
    assert "Start the server there" in error.next_step
    assert f" of {socket.gethostname()}, where your kernel runs. A server on your laptop is not" in error.message


async def test_a_local_server_is_named_by_its_usual_port(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*args: Any, **more: Any) -> httpx.Response:
        raise httpx.ConnectError("All connection attempts failed")

    monkeypatch.setattr(httpx.AsyncClient, "send", refuse)
    error = await failure("http://localhost:11434/v1", api_key=None)
    assert error.message == (
        f"Nothing answers on localhost:11434 of {socket.gethostname()}, where your kernel runs. "
        "Ollama on your laptop is not reachable from there."
    )
    assert "(ollama serve)" in error.next_step


async def test_a_name_that_does_not_exist_is_said() -> None:
    error = await failure("http://no-such-host.invalid/v1")
    assert error.kind == "connection"
    assert "no-such-host.invalid cannot be found" in error.message


async def test_a_proxy_that_does_not_answer_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(stream()) as server:
        gone = server.base_url.removesuffix("/v1")
    monkeypatch.setenv("HTTP_PROXY", gone.replace("://", "://me:secret@"))
    error = await failure("http://provider.invalid/v1")
    assert error.kind == "connection"
    assert "set by HTTP_PROXY" in error.message
    assert "NO_PROXY" in error.next_step
    assert "secret" not in str(error)


async def test_a_server_on_this_machine_is_reached_past_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with serving(status(401, {})) as server:
        error = await failure(server.base_url)
    assert error.status == 401


async def test_a_silent_server_times_out() -> None:
    error = await refusal([HOLD], idle_s=0.1)
    assert (error.kind, error.retryable) == ("timeout", True)


async def test_a_server_that_goes_silent_in_the_middle_is_cut() -> None:
    error = await refusal([HEAD, events(text("a"), done=False), HOLD], idle_s=0.1)
    assert error.kind == "cut"
    assert "stopped coming" in error.message


async def test_keep_alives_alone_do_not_keep_an_answer_alive() -> None:
    error = await refusal([HEAD, PINGS], idle_s=0.1)
    assert error.kind == "timeout"
    assert "sent nothing" in error.message


@pytest.mark.parametrize(
    "address", ["ftp://127.0.0.1/v1", "127.0.0.1:8080/v1", "http://", "http://a:99999/", "http://[::"]
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match="is no http or https address") as caught:
        OpenAICompatible("t", base_url=address, model="m")
    assert "baseUrl" in caught.value.next_step


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("HTTPS_PROXY", "nonsense://me:secret@p:1", "set by HTTPS_PROXY, cannot be used"),
        ("SSL_CERT_FILE", "/no/such/file.pem", "certificates of this machine cannot be read"),
    ],
)
async def test_a_setting_of_the_environment_that_cannot_be_used_is_named(
    variable: str, value: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    error = await failure("https://provider.invalid/v1")
    assert words in error.message
    assert variable in f"{error.message}{error.next_step}"
    assert "secret" not in str(error)


async def test_a_certificate_that_is_not_trusted_is_said() -> None:
    async with serving(stream(), certificate=UNTRUSTED) as server:
        error = await failure(server.base_url)
    assert (error.kind, error.retryable, server.bodies) == ("connection", False, [])
    assert "certificate of 127.0.0.1:" in error.message
    assert "SSL_CERT_FILE" in error.next_step
