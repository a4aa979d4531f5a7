"""From a choice to a model."""

import json
from pathlib import Path

import anyio
import pytest

from tah_jupyter.core.errors import ConfigError
from tah_jupyter.core.messages import ModelRequest, TextPart, UserMessage
from tah_jupyter.models.choose import Missing, ModelSpec, choose
from tah_jupyter.models.open import error_of_missing, open_direct, open_script
from tests.support.provider import finish, serving, stream, text
from tests.support.streams import drain

pytestmark = pytest.mark.anyio
REQUEST = ModelRequest("s", (UserMessage("go"),), ())


async def test_a_direct_choice_asks_its_server_with_the_key_of_the_moment() -> None:
    environ = {"LLM_KEY": "first-key-0001"}
    async with serving(stream(text("a"), finish())) as server:
        spec = ModelSpec("direct", "big", "config", "m", server.base_url, "LLM_KEY", 9000, {"x-team": "t"})
        model = open_direct(spec, environ)
        assert (model.name, model.context_window, model.host in server.base_url) == ("big", 9000, True)
        with anyio.fail_after(5):
            await drain(model.stream(REQUEST))
            environ["LLM_KEY"] = "second-key-002"
            await drain(model.stream(REQUEST))
        await model.aclose()
    assert ["first-key" in server.heads[0], "second-key" in server.heads[1]] == [True, True]
    assert "x-team: t" in server.heads[0]


async def test_a_choice_without_a_key_sends_none() -> None:
    async with serving(stream(text("a"), finish())) as server:
        model = open_direct(ModelSpec("direct", "big", "config", "m", server.base_url), {})
        got, error = await drain(model.stream(REQUEST))
        await model.aclose()
    assert (got[0], error) == (TextPart("a"), None)
    assert "authorization" not in server.heads[0].lower()


async def test_a_script_is_opened_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    await anyio.Path(file).write_text(json.dumps([{"says": "hi"}]))
    model = await open_script(ModelSpec("scripted", f"scripted:{file}", "--model", str(file)))
    got, _ = await drain(model.stream(REQUEST))
    assert got[0] == TextPart("hi")
    with pytest.raises(ConfigError, match="gone"):
        await open_script(ModelSpec("scripted", "scripted:gone", "--model", str(tmp_path / "gone")))


def test_what_is_missing_becomes_one_error_with_a_next_step() -> None:
    none, unknown = choose(), choose("nobody")
    assert isinstance(none, Missing)
    assert isinstance(unknown, Missing)
    assert error_of_missing(none).kind == "key_missing"
    assert error_of_missing(none).next_step == none.next_step
    assert error_of_missing(unknown).kind == "model_unknown"
