"""Looking at the servers of this machine: what they say, what they do not, and how long that may take."""

import time
from typing import Any

import pytest

from tah_jupyter.models.local_servers import addresses, loaded_window, look, ollama_at
from tah_jupyter.models.offers import LocalModel, offers_of
from tests.support.json_service import HANG, Ollama, listing, serve_json

pytestmark = pytest.mark.anyio

QWEN, GEMMA = "qwen3:8b", "gemma3:4b"
MODELS = {QWEN: ["completion", "tools", "thinking"], GEMMA: ["completion", "vision"], "nomic-embed": ["embedding"]}
PATIENT_S = 20.0  # what is looked at here is what is said, not how fast


async def test_ollama_says_which_models_can_use_tools_and_how_large_a_loaded_window_is() -> None:
    ollama = Ollama(MODELS)
    ollama.loaded.append(QWEN)
    async with serve_json(ollama.routes) as service:
        found = await look({"ollama": service.url}, limit_s=PATIENT_S)
    assert found == (LocalModel("ollama", QWEN, True, 4096), LocalModel("ollama", GEMMA, False, None))
    assert [model.is_small for model in found] == [True, False]
    assert found[0].name == "ollama/qwen3:8b"


async def test_a_look_uses_nothing() -> None:
    async with serve_json(Ollama(MODELS).routes) as service:
        await look({"ollama": service.url}, limit_s=PATIENT_S)
    assert {asked.path for asked in service.asked} == {"/api/tags", "/api/ps", "/api/show"}


async def test_the_other_servers_are_read_by_their_list_of_models() -> None:
    studio_models, llama_models = listing("qwen/qwen3-8b", "text-embedding-nomic"), listing("smollm2.gguf")
    async with serve_json({"/v1/models": studio_models}) as studio, serve_json({"/v1/models": llama_models}) as llama:
        found = await look({"lmstudio": studio.url, "llamacpp": llama.url}, limit_s=PATIENT_S)
    assert found == (LocalModel("lmstudio", "qwen/qwen3-8b"), LocalModel("llamacpp", "smollm2.gguf"))


async def test_a_look_ends_in_time_and_keeps_what_came_until_then() -> None:
    """The look waits for its limit, since one question is never answered; it must not wait for the answer."""
    ollama = Ollama({QWEN: ["completion", "tools"]})
    routes = {**ollama.routes, "/api/show": lambda _: HANG}
    async with serve_json(routes) as slow, serve_json({"/v1/models": lambda _: HANG}) as silent:
        began = time.monotonic()
        found = await look({"ollama": slow.url, "llamacpp": silent.url}, limit_s=2.0)
        assert time.monotonic() - began < 15
    assert found == (LocalModel("ollama", QWEN, None, None),)


async def test_where_nothing_answers_there_is_nothing() -> None:
    assert await look({"ollama": "http://127.0.0.1:1", "lmstudio": "http://127.0.0.1:1"}) == ()


@pytest.mark.parametrize(
    "answer",
    [
        {"models": "x"}, {"models": [{"name": 7}, None, {"model": " "}]}, [], None, "text", {"data": {"id": 1}},
        (500, {"models": [{"name": "x"}], "data": [{"id": "x"}]}),
        b"HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n{\"data\"",
        b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n\xff\xfe{",
        b"\x00\x01 not http\r\n\r\n",
    ],
)  # fmt: skip
async def test_whatever_else_answers_on_the_port_is_no_model(answer: Any) -> None:
    routes = dict.fromkeys(("/api/tags", "/api/ps", "/api/show", "/v1/models"), lambda _: answer)
    async with serve_json(routes) as service:
        assert await look({"ollama": service.url, "llamacpp": service.url}, limit_s=PATIENT_S) == ()


async def test_a_name_that_no_person_could_read_is_none() -> None:
    names = ["x" * 50_000, "", "\x1b[31mred"]
    tags = {"models": [{"name": name} for name in names]}
    async with (
        serve_json({"/api/tags": lambda _: tags}) as ollama,
        serve_json({"/v1/models": listing(*names)}) as studio,
    ):
        found = await look({"ollama": ollama.url, "lmstudio": studio.url}, limit_s=PATIENT_S)
    assert [model.label for model in found] == ["\x1b[31mred"] * 2


async def test_an_answer_without_end_is_cut() -> None:
    flood = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n" + b'["' + b"x" * 3_000_000
    async with serve_json({"/v1/models": lambda _: flood}) as service:
        assert await look({"lmstudio": service.url}, limit_s=PATIENT_S) == ()


async def test_an_empty_request_loads_a_model_and_its_window_is_read() -> None:
    ollama = Ollama(MODELS, window=8192)
    async with serve_json(ollama.routes) as service:
        assert await loaded_window(service.url, QWEN) == 8192
        assert [asked.body for asked in service.asked if asked.path == "/api/generate"] == [
            {"model": QWEN, "stream": False}
        ]
        assert await loaded_window(service.url, QWEN) == 8192
    assert ollama.loaded == [QWEN], "a loaded model is not loaded again"


async def test_a_name_without_a_tag_is_its_latest() -> None:
    ollama = Ollama({"qwen3:latest": ["completion"]})
    ollama.loaded.append("qwen3:latest")
    async with serve_json(ollama.routes) as service:
        assert await loaded_window(service.url, "qwen3") == 4096


@pytest.mark.parametrize("version", ["no context_length", "another server", "nothing there", "no such model"])
async def test_a_window_that_is_not_told_is_not_known(version: str) -> None:
    ollama = Ollama(MODELS)
    routes = dict(ollama.routes)
    if version == "no context_length":
        routes["/api/ps"] = lambda _: {"models": [{"name": QWEN, "model": QWEN}]}
    if version == "another server":
        routes = {"/v1/models": listing(QWEN)}
    async with serve_json(routes) as service:
        url = "http://127.0.0.1:1" if version == "nothing there" else service.url
        assert await loaded_window(url, "gone" if version == "no such model" else QWEN) is None


def test_each_server_is_looked_for_at_its_own_port_and_ollama_where_its_variable_says() -> None:
    ports = {"lmstudio": "http://localhost:1234", "llamacpp": "http://localhost:8080"}
    assert addresses({}) == {"ollama": "http://localhost:11434", **ports}
    assert addresses({"OLLAMA_HOST": "gpu-box:9000"}) == {"ollama": "http://gpu-box:9000", **ports}


@pytest.mark.parametrize(
    ("base_url", "environ", "url"),
    [
        ("http://localhost:11434/v1", {}, "http://localhost:11434"),
        ("http://127.0.0.1:11434/v1/", {}, "http://127.0.0.1:11434"),
        ("http://gpu-box:9000/v1", {"OLLAMA_HOST": "gpu-box:9000"}, "http://gpu-box:9000"),
        ("http://localhost:8080/v1", {}, ""),
        ("https://api.openai.com/v1", {}, ""),
        ("http://x:y/v1", {}, ""),
    ],
)
def test_an_endpoint_is_known_to_be_ollama(base_url: str, environ: dict[str, str], url: str) -> None:
    assert ollama_at(base_url, environ) == url


def test_the_model_that_can_act_for_certain_is_named_first() -> None:
    answers, unsure, acts = (
        LocalModel("ollama", "a", False),
        LocalModel("lmstudio", "b"),
        LocalModel("ollama", "c", True),
    )
    offers = offers_of({}, {}, (answers, unsure, acts))
    assert offers.fit == (acts, unsure)
    assert offers.names == ("ollama/a", "lmstudio/b", "ollama/c")
