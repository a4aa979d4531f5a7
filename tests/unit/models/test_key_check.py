"""The free check of a key, against services on loopback that answer as each one's API reference says."""

from typing import Any

import pytest

from tah_jupyter.models.choose import ModelSpec
from tah_jupyter.models.key_check import Listed, check_endpoint_key, check_key, listed_models
from tah_jupyter.models.providers import PROVIDERS
from tests.support.json_service import HANG, Asked, listing, serve_json

pytestmark = pytest.mark.anyio

KEY = "sk-ant-api03-Qx81mZr7vLp40TtWx7Q2"
REFUSALS = {
    "anthropic": (
        "/v1/models",
        (401, {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}),
    ),
    "openai": ("/models", (401, {"error": {"message": f"Incorrect API key: {KEY}.", "code": "invalid_api_key"}})),
    "openrouter": ("/key", (401, {"error": {"message": "No auth credentials found", "code": 401}})),
    "gemini": (
        "/v1beta/models",
        (400, {"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.",
                         "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}}),
    ),
    "cohere": ("/v1/models", (401, {"message": "invalid api token"})),
}  # fmt: skip


def at(name: str, url: str) -> Any:
    return PROVIDERS[name]._replace(base_url=url)


async def test_anthropic_is_asked_with_its_own_headers() -> None:
    async with serve_json({"/v1/models": listing("claude-sonnet-5-5", "claude-haiku-5")}) as service:
        checked = await check_key(PROVIDERS["anthropic"], KEY, {"ANTHROPIC_BASE_URL": f"{service.url}/v1"})
    assert (checked.outcome, checked.models) == ("works", ("claude-sonnet-5-5", "claude-haiku-5"))
    headers = service.asked[0].headers
    assert (headers["x-api-key"], headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert "authorization" not in headers


async def test_google_is_asked_with_its_own_header_and_names_are_read_as_people_write_them() -> None:
    answer = {"models": [{"name": "models/gemini-3.8-flash"}, {"name": "models/gemini-3.8-pro"}]}
    async with serve_json({"/v1beta/models": lambda _: answer}) as service:
        checked = await check_key(at("gemini", service.url), KEY, {})
    assert checked.models == ("gemini-3.8-flash", "gemini-3.8-pro")
    assert service.asked[0].headers["x-goog-api-key"] == KEY


@pytest.mark.parametrize("name", ["openai", "groq", "deepseek"])
async def test_services_of_openais_protocol_get_a_bearer(name: str) -> None:
    async with serve_json({"/models": listing("m-1")}) as service:
        assert (await check_key(at(name, service.url), KEY, {})).models == ("m-1",)
    assert service.asked[0].headers["authorization"] == f"Bearer {KEY}"


async def test_openrouters_open_list_proves_nothing_so_the_key_itself_is_asked_about() -> None:
    routes = {"/models": listing("anyone/sees-this"), "/key": lambda _: {"data": {"label": "sk-or-…", "usage": 0}}}
    async with serve_json(routes) as service:
        assert (await check_key(at("openrouter", service.url), KEY, {})).outcome == "works"
    assert [asked.path for asked in service.asked] == ["/key"]


@pytest.mark.parametrize("name", REFUSALS)
async def test_a_refused_key_is_named_by_its_end_and_never_shown(name: str) -> None:
    path, answer = REFUSALS[name]
    async with serve_json({path: lambda _: answer}) as service:
        checked = await check_key(at(name, service.url), KEY, {})
    assert checked.outcome == "refused"
    assert f"refused the key ({answer[0]}): the one ending x7Q2, from {PROVIDERS[name].key_env}" in checked.cause
    assert KEY not in repr(checked)


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        ((500, {"error": "down"}), "failed (500)"),
        ((429, {"error": {"message": "slow down"}}), "limits the rate"),
        ((404, {}), "(404)"),
        ("a page", "no list of models"),
        (b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 12\r\n\r\n<h1>Log in</", "no list of models"),
        (b"\x00\r\n\r\n", "broke before it answered"),
        (HANG, "did not answer in time"),
    ],
)
async def test_what_cannot_be_checked_is_not_called_wrong(answer: Any, cause: str) -> None:
    async with serve_json({"/models": lambda _: answer}) as service:
        checked = await check_endpoint_key(service.url, "MY_KEY", KEY, limit_s=1.0 if answer is HANG else 20.0)
    assert checked.outcome == "unchecked"
    assert cause in checked.cause
    assert KEY not in repr(checked)


async def test_nothing_there_is_said_with_its_cause() -> None:
    checked = await check_endpoint_key("http://127.0.0.1:1/v1", "MY_KEY", KEY)
    assert checked.outcome == "unchecked"
    assert "127.0.0.1:1" in checked.cause


async def test_a_key_is_not_carried_along_to_where_a_service_points() -> None:
    async with serve_json({"/models": listing("m")}) as thief:
        away = f"HTTP/1.1 302 X\r\nlocation: {thief.url}/models\r\ncontent-length: 0\r\n\r\n".encode()
        async with serve_json({"/models": lambda _: away}) as service:
            assert (await check_endpoint_key(service.url, "MY_KEY", KEY)).outcome == "unchecked"
    assert thief.asked == []


async def test_the_models_of_an_account_are_listed_for_whoever_looks_for_another() -> None:
    def for_key(asked: Asked) -> Any:
        return {"data": [{"id": "m-1"}, {"id": "m-2"}]} if asked.headers["authorization"] == "Bearer k3y" else (401, {})

    async with serve_json({"/models": for_key}) as service:
        spec = ModelSpec("direct", "gone", "config", "gone", service.url, "MY_KEY")
        assert await listed_models(spec, {"MY_KEY": " k3y "}) == Listed("", ("m-1", "m-2"))
        assert await listed_models(spec, {"MY_KEY": "other"}) == Listed("")


async def test_the_models_of_a_service_behind_litellm_are_listed_too() -> None:
    async with serve_json({"/v1/models": listing("claude-haiku-5")}) as service:
        environ = {"ANTHROPIC_BASE_URL": service.url, "ANTHROPIC_API_KEY": KEY}
        spec = ModelSpec("litellm", "claude-gone", "config", "anthropic/claude-gone", "", "ANTHROPIC_API_KEY")
        assert await listed_models(spec, environ) == Listed("anthropic", ("claude-haiku-5",))


async def test_the_models_of_a_local_server_are_named_by_it() -> None:
    async with serve_json({"/v1/models": listing("qwen3:8b")}) as service:
        spec = ModelSpec("direct", "gone", "config", "gone", f"{service.url}/v1")
        assert await listed_models(spec, {"OLLAMA_HOST": service.url}) == Listed("ollama", ("qwen3:8b",))
