"""%config Tah and Jupyter's config files: which of the two a value came from decides what it outweighs."""

from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config as Files

from tah_jupyter.jupyter.settings import Settings
from tah_jupyter.jupyter.status import mode_words, model_advice, model_words
from tah_jupyter.runtime.config import Config, Mode, Permissions, load


def shell(**values: object) -> InteractiveShell:
    return InteractiveShell(config=Files({"Tah": values, "HistoryManager": {"enabled": False}}))


def test_a_value_of_a_config_file_is_the_weakest_source(tmp_path: Path, home: Path) -> None:
    settings = Settings(shell(model="scripted:a.json", max_turns=7))
    assert settings.from_files == {"model": "scripted:a.json", "budget.maxTurns": 7}
    assert settings.from_session == {}
    config = load(tmp_path, jupyter=settings.from_files, session=settings.from_session)
    assert (config.model, config.provenance["model"]) == ("scripted:a.json", "Jupyter config")


def test_a_value_given_in_the_kernel_is_the_strongest() -> None:
    settings = Settings(shell(model="scripted:a.json"))
    settings.model, settings.mode = "scripted:b.json", "plan"
    assert settings.from_files == {"model": "scripted:a.json"}
    assert settings.from_session == {"model": "scripted:b.json", "permissions.mode": "plan"}


def test_percent_config_finds_it_by_name() -> None:
    ip = shell()
    settings = Settings(ip)
    ip.configurables.append(settings)
    ip.run_line_magic("config", "Tah.mode = 'plan'")
    assert settings.from_session == {"permissions.mode": "plan"}


def test_the_model_is_said_with_the_variable_of_its_key_and_never_the_key(tmp_path: Path, home: Path) -> None:
    config = load(tmp_path)
    words = model_words(config, {"OPENAI_API_KEY": "sk-secret-value"})
    assert "(OPENAI_API_KEY)" in words
    assert "secret" not in words
    assert model_advice(config, {"OPENAI_API_KEY": "sk-secret-value"}) == ""


def test_without_a_model_it_says_what_to_do(tmp_path: Path, home: Path) -> None:
    config = load(tmp_path)
    assert model_words(config, {}) == "no model chosen; the first %%tah lets you choose"
    assert "OPENAI_API_KEY" in model_advice(config, {})
    assert model_words(load(tmp_path, session={"model": "openai/x"}), {}).startswith("no model: ")
    assert not model_words(config, {"ANTHROPIC_API_KEY": "k"}).endswith("."), "it stands in the middle of a line"


def test_each_mode_has_its_words() -> None:
    modes: tuple[Mode, ...] = ("default", "accept_edits", "plan", "dont_ask", "bypass")
    words = [mode_words(Config(permissions=Permissions(mode))) for mode in modes]
    assert len(set(words)) == 5


def test_broken_settings_are_said_where_the_mode_is(tmp_path: Path, home: Path) -> None:
    (tmp_path / "tah.config.json").write_text("{")
    assert mode_words(load(tmp_path)).endswith("asks before it reads too, until its settings are mended")


@pytest.mark.parametrize(("word", "mode"), [("edits", "accept_edits"), ("ask", "default"), ("plan", "plan")])
def test_a_mode_is_understood_by_the_word_that_people_type(word: str, mode: str) -> None:
    assert Settings(shell(mode=word)).from_files == {"permissions.mode": mode}
    settings = Settings(shell())
    settings.mode = word
    assert settings.from_session == {"permissions.mode": mode}
