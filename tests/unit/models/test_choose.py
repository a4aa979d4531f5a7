"""One rule for the model: the first that exists wins, two keys settle nothing, nothing is put in place of another."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tah_jupyter.models.choose import Missing, ModelSpec, choose
from tah_jupyter.models.litellm_names import BY_NAME_ALONE
from tah_jupyter.models.local_addresses import ollama_url
from tah_jupyter.models.prices import facts_named, facts_of
from tah_jupyter.models.providers import PROVIDERS, provider_of_host, providers
from tah_jupyter.runtime.config import Endpoint, load
from tah_jupyter.runtime.config_sources import OWN_FILE

LOCAL = Endpoint("local", "http://127.0.0.1:8080/v1", "qwen3", "", 32_000, {"x-team": "hidden"})
PAID = Endpoint("paid", "https://llm.example/v1", "big", "LLM_KEY")
MODELS = {"local": LOCAL, "paid": PAID}
OPENAI = {"OPENAI_API_KEY": "k"}


def settled(**given: Any) -> ModelSpec:
    chosen = choose(**given)
    assert isinstance(chosen, ModelSpec), chosen
    return chosen


def missing(**given: Any) -> Missing:
    chosen = choose(**given)
    assert isinstance(chosen, Missing), chosen
    return chosen


@pytest.mark.parametrize(
    ("given", "name", "source"),
    [
        ({"explicit": "demo", "session_model": "local", "config_model": "paid"}, "demo", "--model"),
        ({"explicit": " ", "session_model": "local", "config_model": "demo"}, "local", "session"),
        ({"config_model": "local"}, "local", "config"),
        ({}, PROVIDERS["openai"].default_model, "OPENAI_API_KEY"),
    ],
)
def test_the_first_that_exists_wins(given: dict[str, str], name: str, source: str) -> None:
    spec = settled(**given, config_models=MODELS, environ=OPENAI)
    assert (spec.name, spec.source) == (name, source)


def test_an_entry_of_the_config_brings_all_it_says() -> None:
    spec = settled(explicit="local", config_models=MODELS)
    assert spec == ModelSpec("direct", "local", "--model", "qwen3", LOCAL.base_url, "", 32_000, {"x-team": "hidden"})
    assert "hidden" not in repr(spec)
    assert settled(explicit="paid", config_models=MODELS, environ={"LLM_KEY": "k"}).key_env == "LLM_KEY"


def test_a_name_of_the_config_hides_a_provider_of_the_same_name() -> None:
    own = Endpoint("openai", "http://127.0.0.1:1/v1", "mine")
    assert settled(explicit="openai", config_models={"openai": own}, environ=OPENAI).model == "mine"


def test_a_script_keeps_its_path_whatever_is_in_it() -> None:
    spec = settled(explicit="scripted:a/b:c.json", environ=OPENAI)
    assert (spec.route, spec.name, spec.model) == ("scripted", "scripted:a/b:c.json", "a/b:c.json")


@pytest.mark.parametrize("name", ["scripted:", "scripted: "])
def test_a_script_without_a_file_is_no_model(name: str) -> None:
    assert missing(explicit=name).next_step == "Write scripted:FILE."


def test_the_advice_leads_to_a_file_that_counts(tmp_path: Path, home: Path) -> None:
    entry = '{"models": {"local": {"baseUrl": "http://127.0.0.1:11434/v1"}}, "model": "local"}'
    (tmp_path / "tah.config.json").write_text(entry)
    assert load(tmp_path).models == {}, "a folder's own file names no model"
    own = home / OWN_FILE.removeprefix("~/")
    own.parent.mkdir(parents=True)
    own.write_text(entry)
    config = load(tmp_path)
    assert settled(config_models=config.models, config_model=config.model or "").name == "local"


@pytest.mark.parametrize("name", [provider.name for provider in providers() if provider.default_model])
def test_exactly_one_key_settles_its_provider_and_default(name: str) -> None:
    provider = PROVIDERS[name]
    for variable in (provider.key_env, *provider.other_key_envs):
        spec = settled(environ={variable: " k ", "PATH": "/bin", "MISTRAL_API_KEY_FILE": "x"})
        model = provider.default_model
        asked = model if provider.route == "direct" else f"{name}/{model}"
        assert spec == ModelSpec(provider.route, model, variable, asked, provider.base_url, variable)


@pytest.mark.parametrize(
    ("explicit", "model"),
    [
        ("openrouter/z-ai/glm-5", "z-ai/glm-5"),
        ("openrouter", "openrouter/auto"),
        ("groq/openai/gpt-oss-20b", "openai/gpt-oss-20b"),
    ],
)
def test_a_provider_and_a_model_are_named_together(explicit: str, model: str) -> None:
    spec = settled(explicit=explicit, environ={"OPENROUTER_API_KEY": "k", "GROQ_API_KEY": "k"})
    assert spec.model == model


def test_a_bare_name_goes_to_the_only_provider_with_a_key() -> None:
    assert settled(explicit="gpt-x", environ=OPENAI).base_url == PROVIDERS["openai"].base_url
    told = missing(explicit="gpt-x", environ={**OPENAI, "GROQ_API_KEY": "k"}, config_models=MODELS)
    assert told.reason == "unknown"
    assert told.ready == ("local", "paid", "openai/gpt-x", "groq/gpt-x")
    assert "openai/gpt-x" in told.next_step
    told = missing(explicit="gpt-x")
    assert (told.reason, told.ready) == ("unknown", ())
    assert "PROVIDER/gpt-x" in told.next_step
    assert '"models" in ~/.config/tah/config.json' in told.next_step


def test_an_address_of_ones_own_is_used_for_openai() -> None:
    environ = {"OPENAI_BASE_URL": "http://127.0.0.1:1234/v1"}
    spec = settled(explicit="openai/qwen", environ=environ)
    assert (spec.base_url, spec.key_env, spec.model) == ("http://127.0.0.1:1234/v1", "", "qwen")
    assert settled(explicit="qwen", environ={**environ, **OPENAI}).key_env == "OPENAI_API_KEY"
    usual = settled(environ={**OPENAI, "OPENAI_BASE_URL": "https://api.openai.com/v1/"})
    assert usual.model == PROVIDERS["openai"].default_model
    told = missing(environ=environ)
    assert told.reason == "unknown"
    assert "--model openai/NAME" in told.next_step


def test_two_keys_settle_nothing_and_are_named() -> None:
    told = missing(environ={**OPENAI, "GROQ_API_KEY": "k"}, config_models=MODELS)
    assert told.reason == "several"
    assert "OPENAI_API_KEY, GROQ_API_KEY" in told.message
    assert told.ready == ("local", "paid", "openai", "groq")
    assert '"model" in ~/.config/tah/config.json' in told.next_step
    told = missing(environ={**OPENAI, "ANTHROPIC_API_KEY": "k"})
    assert told.reason == "several"
    assert "ANTHROPIC_API_KEY" in told.message


def test_no_key_names_the_variables_and_the_config_key() -> None:
    told = missing(environ={"OPENAI_API_KEY": "  "})
    assert told.reason == "none"
    assert all(provider.key_env in told.next_step for provider in providers())
    assert '"models" in ~/.config/tah/config.json' in told.next_step
    assert "%tah demo" in told.next_step
    assert "local, paid" in missing(config_models=MODELS).next_step


@pytest.mark.parametrize(
    ("name", "environ", "expected"),
    [
        ("anthropic", {"ANTHROPIC_API_KEY": "k"}, ("litellm", "claude-sonnet-5-5", "anthropic/claude-sonnet-5-5")),
        (
            "anthropic/claude-opus-5",
            {"ANTHROPIC_API_KEY": "k"},
            ("litellm", "claude-opus-5", "anthropic/claude-opus-5"),
        ),
        (
            "google/gemini-3.5-flash",
            {"GOOGLE_API_KEY": "k"},
            ("litellm", "gemini-3.5-flash", "gemini/gemini-3.5-flash"),
        ),
        ("bedrock/us.anthropic.x-v1:0", {}, ("litellm", "us.anthropic.x-v1:0", "bedrock/us.anthropic.x-v1:0")),
        ("together_ai/zai-org/GLM-5.3", {"TOGETHER_API_KEY": "k"}, ("direct", "zai-org/GLM-5.3", "zai-org/GLM-5.3")),
    ],
)
def test_what_speaks_a_protocol_of_its_own_goes_through_litellm(
    name: str, environ: dict[str, str], expected: tuple[str, str, str]
) -> None:
    spec = settled(explicit=name, environ=environ)
    assert (spec.route, spec.name, spec.model) == expected


def test_an_account_with_names_of_its_own_has_no_default() -> None:
    key = {"AZURE_API_KEY": "k"}
    told = missing(environ=key)
    assert "there is no AZURE_API_BASE here" in told.message
    told = missing(environ={**key, "AZURE_API_BASE": "https://mine.openai.azure.com"})
    assert told.reason == "unknown"
    assert "--model azure/NAME" in told.next_step
    spec = settled(explicit="azure/mine", environ={**key, "AZURE_API_BASE": "https://mine.openai.azure.com"})
    assert (spec.model, spec.base_url, spec.key_env) == ("azure/mine", "https://mine.openai.azure.com", "AZURE_API_KEY")


@pytest.mark.parametrize(
    ("name", "environ", "expected"),
    [
        ("ollama/qwen3:8b", {}, ("qwen3:8b", "qwen3:8b", "http://localhost:11434/v1")),
        ("ollama/hf.co/a/b", {"OLLAMA_HOST": "gpu-1:1"}, ("hf.co/a/b", "hf.co/a/b", "http://gpu-1:1/v1")),
        ("lmstudio/openai/gpt-oss", OPENAI, ("openai/gpt-oss", "openai/gpt-oss", "http://localhost:1234/v1")),
        ("llamacpp", {}, ("llamacpp", "default", "http://localhost:8080/v1")),
        ("llamacpp/qwen", {}, ("qwen", "qwen", "http://localhost:8080/v1")),
    ],
)
def test_a_server_of_this_machine_is_named_without_a_key(
    name: str, environ: dict[str, str], expected: tuple[str, str, str]
) -> None:
    spec = settled(explicit=name, environ=environ)
    assert (spec.route, spec.name, spec.model, spec.base_url, spec.key_env) == ("direct", *expected, "")


def test_a_server_with_several_models_wants_one_named() -> None:
    told = missing(explicit="ollama")
    assert told.reason == "unknown"
    assert told.next_step == "Write ollama/MODEL; %tah model lists what is there."


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("", "http://localhost:11434"),
        ("0.0.0.0", "http://localhost:11434"),
        ("0.0.0.0:99", "http://localhost:99"),
        (":99", "http://localhost:99"),
        ("[::]:99", "http://localhost:99"),
        ("[::1]", "http://[::1]:11434"),
        ("gpu-1", "http://gpu-1:11434"),
        ("http://gpu-1", "http://gpu-1:80"),
        ("https://gpu-1/ollama/", "https://gpu-1:443/ollama"),
        (' "gpu-1:5" ', "http://gpu-1:5"),
        ("gpu-1:no", "http://localhost:11434"),
    ],
)
def test_the_address_of_ollama_is_read_as_ollama_reads_it(given: str, url: str) -> None:
    assert ollama_url({"OLLAMA_HOST": given}) == url


@pytest.mark.parametrize(
    ("entry", "model", "base_url", "key_env"),
    [
        ({"model": "anthropic/claude-opus-5"}, "anthropic/claude-opus-5", "", "ANTHROPIC_API_KEY"),
        ({"model": "any_new_one/x"}, "any_new_one/x", "", ""),
        ({"baseUrl": "http://gpu-1/v1", "model": "org/m"}, "openai/org/m", "http://gpu-1/v1", ""),
        ({"baseUrl": "http://gpu-1/v1", "model": "anthropic/m"}, "anthropic/m", "http://gpu-1/v1", "ANTHROPIC_API_KEY"),
    ],
)
def test_an_entry_of_the_config_may_go_through_litellm(
    entry: dict[str, str], model: str, base_url: str, key_env: str
) -> None:
    config = load(None, session={"models.mine": {"route": "litellm", **entry}}, environ={})
    spec = settled(explicit="mine", config_models=config.models, environ={"ANTHROPIC_API_KEY": "k"})
    assert (spec.route, spec.name, spec.model, spec.base_url, spec.key_env) == (
        "litellm", "mine", model, base_url, key_env
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "variable"),
    [
        ({"explicit": "groq/llama", "environ": OPENAI}, "GROQ_API_KEY"),
        ({"config_model": "paid", "config_models": MODELS, "environ": OPENAI}, "LLM_KEY"),
    ],
)
def test_a_missing_key_is_never_answered_by_another_model(given: dict[str, Any], variable: str) -> None:
    told = missing(**given)
    assert told.reason == "key_missing"
    assert f"no {variable} in this kernel" in told.message


def test_choosing_imports_nothing_heavy() -> None:
    code = "import sys, tah_jupyter.models.choose; print([m for m in sys.argv[1:] if m in sys.modules])"
    heavy = ["httpx", "pydantic", "litellm", "openai", "anyio", "asyncio"]
    done = subprocess.run([sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", sorted(set(PROVIDERS) - {"openrouter", "azure"}))
def test_each_default_model_is_in_the_price_table_and_can_call_tools(name: str) -> None:
    provider = PROVIDERS[name]
    facts = facts_of(provider.base_url, provider.default_model)
    assert facts == facts_named(f"{name}/{provider.default_model}")
    assert facts.prices is not None
    assert facts.calls_tools
    assert facts.context_window is not None
    assert facts.context_window >= 100_000


def test_the_names_are_litellms_and_none_is_ours() -> None:
    code = "import litellm; print(*(getattr(name, 'value', name) for name in litellm.provider_list))"
    environ = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ)
    through_litellm = {provider.name for provider in providers() if provider.route == "litellm"}
    assert BY_NAME_ALONE | through_litellm <= set(done.stdout.split())
    assert not BY_NAME_ALONE & set(PROVIDERS)


def test_a_host_belongs_to_its_provider_alone() -> None:
    assert provider_of_host("API.openai.com") == PROVIDERS["openai"]
    assert provider_of_host("api.openai.com.evil.example") is None
    assert msgspec.json.encode(provider_of_host("")) == b"null"
