"""What is known of a model; what is not known stays unknown."""

import sys

import pytest

from tah_jupyter.core.calls import Usage
from tah_jupyter.models import prices
from tah_jupyter.models.prices import Facts, facts_named, facts_of

PRICES = {
    "input_cost_per_token": 1.0,
    "output_cost_per_token": 10.0,
    "cache_read_input_token_cost": 0.5,
    "input_cost_per_token_above_200k_tokens": 2.0,
    "output_cost_per_token_above_200k_tokens": 20.0,
}


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (Usage(), 0.0),
        (Usage(100, 0, 10), 200.0),
        (Usage(100, 40, 10), 60 + 20 + 100),
        (Usage(300_000, 0, 1), 600_020.0),
        (Usage(200_000, 0, 0), 200_000.0),
    ],
)
def test_tokens_are_priced_by_kind_and_size_of_the_request(usage: Usage, cost: float) -> None:
    assert Facts(prices=PRICES).cost_usd(usage) == pytest.approx(cost)


def test_tokens_put_into_the_cache_have_their_own_price() -> None:
    priced = Facts(prices={**PRICES, "cache_creation_input_token_cost": 1.25})
    assert priced.cost_usd(Usage(100, 40, 0, 1, 20)) == pytest.approx(40 + 40 * 0.5 + 20 * 1.25)
    assert Facts(prices=PRICES).cost_usd(Usage(100, 40, 0, 1, 20)) == pytest.approx(60 + 20)


@pytest.mark.parametrize(
    "name", ["anthropic/claude-sonnet-5-5", "gemini/gemini-3.8-flash", "bedrock/amazon.nova-pro-v1:0", "azure/gpt-5.1"]
)
def test_a_model_is_found_by_the_name_that_litellm_has_for_it(name: str) -> None:
    facts = facts_named(name)
    assert facts.context_window is not None
    assert facts.cost_usd(Usage(1000, 0, 1000, 1))
    assert facts_named(name, "https://gateway.example/v1") == Facts(), "whoever is in between may charge something else"
    assert facts_named(name, "http://127.0.0.1:8000/v1").cost_usd(Usage(1000, 0, 1000, 1)) == 0.0


def test_a_name_that_the_table_does_not_know_has_no_price() -> None:
    assert facts_named("anthropic/claude-99") == facts_named("nobody/x") == facts_named("x") == Facts()


def test_cached_tokens_cost_the_full_price_where_no_other_is_known() -> None:
    plain = {"input_cost_per_token": 1.0, "output_cost_per_token": 1.0}
    assert Facts(prices=plain).cost_usd(Usage(10, 4, 0)) == 10.0


def test_a_model_of_the_table_is_found_without_importing_litellm() -> None:
    before = "litellm" in sys.modules
    facts = facts_of("https://api.openai.com/v1", "gpt-4o")
    assert (facts.context_window, facts.vision) == (128_000, True)
    cost = facts.cost_usd(Usage(1_000_000 // 10, 0, 1000))
    assert cost is not None
    assert 0 < cost < 10
    assert ("litellm" in sys.modules) == before


@pytest.mark.parametrize(
    ("base_url", "model"),
    [
        ("https://api.openai.com/v1", "no-such-model"),
        ("https://llm.example/v1", "gpt-4o"),
        ("http://192.168.0.7:8000/v1", "qwen3"),
        ("https://api.groq.com/openai/v1", "gpt-4o"),
        ("not a url", "gpt-4o"),
    ],
)
def test_what_is_not_known_has_no_price(base_url: str, model: str) -> None:
    facts = facts_of(base_url, model)
    assert facts.cost_usd(Usage(1, 0, 1)) is None
    assert facts.context_window is None


@pytest.mark.parametrize("host", ["127.0.0.1:11434", "localhost", "[::1]:8080"])
def test_a_server_on_this_machine_is_free(host: str) -> None:
    assert facts_of(f"http://{host}/v1", "qwen3").cost_usd(Usage(1_000_000, 0, 1_000_000)) == 0.0


@pytest.mark.parametrize("content", [None, "{broken", "[]"])
def test_without_a_readable_table_every_price_is_unknown(
    content: str | None, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path_factory.mktemp("site") / "litellm"
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    if content is not None:
        (package / "model_prices_and_context_window_backup.json").write_text(content)
    monkeypatch.setattr(sys, "path", [str(package.parent)])
    monkeypatch.delitem(sys.modules, "litellm", raising=False)
    assert facts_of("https://api.openai.com/v1", "gpt-4o") == prices.Facts()


def test_without_litellm_every_price_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delitem(sys.modules, "litellm", raising=False)
    assert facts_of("https://api.openai.com/v1", "gpt-4o") == Facts()
