"""Choosing a model with a person: the cards, what each answer leads to, and where nobody is."""

import json
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio.to_thread
import keyring
import pytest

from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.questions import Question, Reply
from tah_jupyter.host.secrets.keys import Keys
from tah_jupyter.jupyter.choosing import Chooser
from tah_jupyter.jupyter.local_fit import KnownModels
from tah_jupyter.models.choose import Missing, choose
from tah_jupyter.models.providers import PROVIDERS
from tah_jupyter.runtime.config import Config, Endpoint
from tah_jupyter.ui.words import Words
from tests.support.json_service import JsonService, Ollama, listing, serve_json
from tests.support.keyrings import MemoryKeyring

pytestmark = pytest.mark.anyio

KEY = "sk-ant-api03-Qx81mZr7vLp40TtWx7Q2"
UNTIL_RESTART = "until the kernel restarts"
MODELS = {"qwen3:8b": ["completion", "tools"], "gemma3:4b": ["completion"]}
NOWHERE = "http://127.0.0.1:1"


class Person:
    """Answers each question by the label of a choice; when no answers are left, nobody is there."""

    def __init__(self, *answers: str, typing: tuple[str | None, ...] = (), remember: bool = False) -> None:
        self.asked: list[Question] = []
        self.prompts: list[str] = []
        self.told: list[str] = []
        self._answers = list(answers)
        self._typing = list(typing)
        self._remember = remember

    async def ask(self, question: Question) -> Reply | None:
        self.asked.append(question)
        if not self._answers:
            return None
        answer = self._answers.pop(0)
        choice = next(choice for choice in question.choices if choice.label == answer)
        assert question.offers(choice.key)
        return Reply(choice.key, self._remember and bool(question.remember))

    async def secret(self, prompt: str) -> str | None:
        self.prompts.append(prompt)
        return self._typing.pop(0)

    @property
    def labels(self) -> list[str]:
        """The choices of the last question."""
        return [choice.label for choice in self.asked[-1].choices]


Make = Callable[..., Any]


@pytest.fixture
def memory() -> Iterator[MemoryKeyring]:
    before, backend = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(before)


@pytest.fixture
def make(home: Path, memory: MemoryKeyring) -> Make:
    """A chooser of a new kernel, its keys, and its config."""

    async def made(person: Person, model: str = "", known: KnownModels | None = None, **given: Any) -> Chooser:
        environ = {"HOME": str(home), "OLLAMA_HOST": NOWHERE, **given.pop("environ", {})}
        config = Config(model=model or None, **given)
        keys = await anyio.to_thread.run_sync(Keys, environ)
        chooser = Chooser(
            Words(), keys, config, person.ask, person.secret, person.told.append, known or KnownModels(), look_s=5.0
        )
        chooser.keys = keys  # type: ignore[attr-defined]  # for what a test looks at
        return chooser

    return made


@asynccontextmanager
async def ollama_of(able: Mapping[str, list[str]], window: int = 32_768) -> AsyncIterator[JsonService]:
    async with serve_json(Ollama(able, window=window).routes) as service:
        yield service


@pytest.fixture
async def anthropic(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[JsonService]:
    """Anthropic on loopback: takes one key."""

    def answer(asked: Any) -> Any:
        if asked.headers["x-api-key"] == KEY:
            return {"data": [{"id": "claude-sonnet-5-5"}]}
        return 401, {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}

    async with serve_json({"/v1/models": answer}) as service:
        monkeypatch.setitem(PROVIDERS, "anthropic", PROVIDERS["anthropic"]._replace(base_url=service.url))
        yield service


def missing(config: Config, environ: Mapping[str, str]) -> Missing:
    found = choose(config_models=config.models, environ=environ, config_model=config.model or "")
    assert isinstance(found, Missing)
    return found


# The model card


async def test_the_card_shows_what_is_here_and_what_each_can_do(make: Make) -> None:
    ollama = Ollama(MODELS, window=4096)
    ollama.loaded.append("qwen3:8b")
    person = Person("Cancel")
    async with serve_json(ollama.routes) as service:
        chooser = await make(person, environ={"OLLAMA_HOST": service.url})
        assert await chooser.ready() is None
    card = person.asked[0]
    assert card.title == "Choose a model · your request is kept and runs when you choose"
    shown = [(choice.group, choice.label, choice.about) for choice in card.choices]
    assert shown[:2] == [
        ("On this machine", "qwen3:8b", "Ollama · can use tools · loaded, window 4,096: small"),
        ("On this machine", "gemma3:4b", "Ollama · cannot use tools: can answer, not act"),
    ]
    assert shown[-6:] == [
        ("With a key", "Anthropic", "no key found"),
        ("With a key", "OpenAI", "no key found"),
        ("With a key", "OpenRouter", "no key found"),
        ("With a key", "Other…", ""),
        ("No model", "Scripted demo on a sample folder. It will not answer your request", ""),
        ("", "Cancel", ""),
    ]
    assert (card.layout, card.confirm, card.remember, card.remembers) == (
        "list", "Use", "Remember for all my notebooks", True,
    )  # fmt: skip
    assert len({choice.key for choice in card.choices}) == len(card.choices)


async def test_a_local_model_is_taken_by_its_name_and_remembered_for_all_notebooks(make: Make, home: Path) -> None:
    person = Person("qwen3:8b", remember=True)
    async with ollama_of(MODELS) as service:
        chooser = await make(person, environ={"OLLAMA_HOST": service.url})
        assert await chooser.ready() == "ollama/qwen3:8b"
    assert json.loads((home / ".config/tah/config.json").read_text()) == {"model": "ollama/qwen3:8b"}
    assert "Remembered in ~/.config/tah/config.json" in person.told


async def test_what_is_not_to_be_remembered_is_written_nowhere(make: Make, home: Path) -> None:
    async with ollama_of(MODELS) as service:
        chooser = await make(Person("qwen3:8b"), environ={"OLLAMA_HOST": service.url})
        assert await chooser.ready() == "ollama/qwen3:8b"
    assert not (home / ".config").exists()


async def test_the_demo_is_chosen_by_name_and_never_remembered(make: Make, home: Path) -> None:
    person = Person("Scripted demo on a sample folder. It will not answer your request", remember=True)
    assert await (await make(person)).ready() == "demo"
    assert not (home / ".config").exists()
    assert person.told == ["The demo is not remembered; the next kernel asks again."]


async def test_a_config_that_cannot_be_written_is_said_and_the_choice_stands(make: Make, home: Path) -> None:
    (home / ".config").write_text("in the way")
    person = Person("qwen3:8b", remember=True)
    async with ollama_of(MODELS) as service:
        chooser = await make(person, environ={"OLLAMA_HOST": service.url})
        assert await chooser.ready() == "ollama/qwen3:8b"
    assert any("~/.config/tah/config.json was not changed" in line for line in person.told)


async def test_two_keys_bring_the_card_with_both_ready(make: Make) -> None:
    person = Person("OpenAI")
    chooser = await make(person, environ={"OPENAI_API_KEY": "k1-value-aaaa", "GROQ_API_KEY": "k2-value-bbbb"})
    assert await chooser.ready() == "openai"
    ready = [(choice.label, choice.about) for choice in person.asked[0].choices if choice.about.startswith("key: ")]
    assert ready == [("OpenAI", "key: OPENAI_API_KEY"), ("Groq", "key: GROQ_API_KEY")]
    assert "several keys are set" in person.asked[0].about[0]


async def test_models_of_the_config_are_offered_with_their_host(make: Make) -> None:
    models = {
        "mine": Endpoint("mine", "https://llm.example/v1", "m"),
        "paid": Endpoint("paid", "https://x", "m", "NO_KEY"),
    }
    person = Person("mine")
    assert await (await make(person, models=models)).ready() == "mine"
    assert [(c.label, c.about) for c in person.asked[0].choices if c.group == "From your config"] == [
        ("mine", "llm.example")
    ]


async def test_the_other_services_stand_on_a_second_card_that_leads_back(make: Make) -> None:
    person = Person("Other…", "Back", "Other…", "Groq", "Cancel", typing=("",))
    assert await (await make(person)).ready() is None
    assert person.asked[1].about == ("A server of your own: name it under models in ~/.config/tah/config.json.",)
    assert "Groq" in [choice.label for choice in person.asked[1].choices]
    assert "Anthropic" not in [choice.label for choice in person.asked[1].choices]
    assert "No key was entered." in person.asked[-1].about


async def test_a_settled_model_is_not_asked_about(make: Make) -> None:
    person = Person()
    chooser = await make(person, environ={"OPENAI_API_KEY": "k1-value-aaaa"})
    assert await chooser.ready() == ""
    assert person.asked == []


async def test_names_of_models_cannot_hide_characters_or_break_the_card(make: Make) -> None:
    person = Person("Cancel")
    async with ollama_of({"evil\u202e\ngnp:8b": ["completion", "tools"]}) as service:
        await (await make(person, environ={"OLLAMA_HOST": service.url})).ready()
    label = person.asked[0].choices[0].label
    assert "\u202e" not in label
    assert "\n" not in label


# Where nobody can answer


async def test_where_nobody_can_answer_one_error_names_variable_and_config_key(make: Make) -> None:
    with pytest.raises(ModelError) as caught:
        await (await make(Person())).ready()
    assert "ANTHROPIC_API_KEY" in str(caught.value)
    assert "~/.config/tah/config.json" in str(caught.value)
    assert caught.value.kind == "key_missing"


# Keys


async def test_a_key_that_is_not_in_this_kernel_is_entered_checked_and_kept(
    make: Make, anthropic: JsonService, memory: MemoryKeyring
) -> None:
    person = Person("Enter key", typing=(f" {KEY}\n",))
    chooser = await make(person, model="anthropic")
    assert await chooser.ready() == "anthropic"
    card = person.asked[0]
    assert card.title == "No ANTHROPIC_API_KEY in this kernel"
    assert card.about == ("A key set after Jupyter started, or in another shell, is not seen here.",)
    assert person.labels == ["Enter key", "Choose a model", "Cancel"]
    assert person.told == ["Key works · kept in the system keyring"]
    assert list(memory.entries.values()) == [KEY]
    assert [asked.path for asked in anthropic.asked] == ["/v1/models?limit=1000"]
    assert KEY not in repr((person.asked, person.told, person.prompts))


async def test_without_a_keyring_the_key_lasts_until_the_kernel_restarts(make: Make, anthropic: JsonService) -> None:
    from keyring.backends import fail

    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]
    person = Person("Enter key", typing=(KEY,))
    assert await (await make(person, model="anthropic")).ready() == "anthropic"
    assert len(person.told) == 1
    assert person.told[0].startswith(f"Key works · {UNTIL_RESTART}")


async def test_a_refused_key_brings_the_card_back_with_its_end_and_the_request_still_kept(
    make: Make, anthropic: JsonService, memory: MemoryKeyring
) -> None:
    wrong = f"{KEY[:-4]}9999"
    person = Person("Anthropic", "Anthropic", typing=(wrong, KEY))
    assert await (await make(person)).ready() == "anthropic"
    refused = "Anthropic refused the key (401): the one ending 9999, from ANTHROPIC_API_KEY"
    assert any(
        refused in line or "refused the key (401): the one ending 9999" in line for line in person.asked[1].about
    )
    assert list(memory.entries.values()) == [KEY]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "No key was entered."),
        ("two words", "That is no key: a key is one word of plain letters, digits and signs. Copy it again, alone."),
        (None, "This front end cannot ask for a password. Set ANTHROPIC_API_KEY before Jupyter starts, "
               "or run %tah key in a terminal or notebook that can."),
    ],
)  # fmt: skip
async def test_what_is_no_key_is_said_and_asked_again(typed: str | None, said: str, make: Make) -> None:
    person = Person("Enter key", "Cancel", typing=(typed,))
    assert await (await make(person, model="anthropic")).ready() is None
    assert said in person.asked[1].about


async def test_a_key_that_cannot_be_checked_is_kept_and_that_is_said(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PROVIDERS, "anthropic", PROVIDERS["anthropic"]._replace(base_url=NOWHERE))
    person = Person("Enter key", typing=(KEY,))
    assert await (await make(person, model="anthropic")).ready() == "anthropic"
    assert person.told[0].startswith("Key not checked: ")
    assert person.told[0].endswith(" · kept in the system keyring")


async def test_instead_of_a_key_another_model_can_be_chosen(make: Make) -> None:
    demo = "Scripted demo on a sample folder. It will not answer your request"
    assert (
        await (await make(Person("Choose a model", "Cancel", "Choose a model", demo), model="anthropic")).ready()
        == "demo"
    )


async def test_the_key_of_an_endpoint_of_the_config_is_tried_there(make: Make, memory: MemoryKeyring) -> None:
    async with serve_json({"/v1/models": listing("m")}) as service:
        models = {"mine": Endpoint("mine", f"{service.url}/v1", "m", "MY_KEY")}
        person = Person("Enter key", typing=(KEY,))
        assert await (await make(person, model="mine", models=models)).ready() == "mine"
    assert service.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert [name for _, name in memory.entries] == ["MY_KEY"]


async def test_a_key_of_the_keyring_is_read_before_anything_is_asked(make: Make, home: Path, anthropic: Any) -> None:
    await (await make(Person("Enter key", typing=(KEY,)), model="anthropic")).ready()
    person = Person()
    chooser = await make(person)
    assert await chooser.ready() == ""
    assert chooser.keys["ANTHROPIC_API_KEY"] == KEY
    assert person.asked == []


# A local model that does not fit


async def test_a_window_that_is_too_small_is_asked_about_before_anything_is_sent(make: Make) -> None:
    person = Person("Use anyway")
    known = KnownModels()
    async with ollama_of(MODELS, window=4096) as service:
        environ = {"OLLAMA_HOST": service.url}
        assert await (await make(person, "ollama/qwen3:8b", known, environ=environ)).ready() == ""
        assert await (await make(person, "ollama/qwen3:8b", known, environ=environ)).ready() == "", (
            "asked once a kernel"
        )
    assert [card.title for card in person.asked] == [
        "Ollama gives this model 4,096 tokens; tah needs 16,000 or the model forgets your request."
    ]
    assert "OLLAMA_CONTEXT_LENGTH=32768 ollama serve" in person.asked[0].about
    assert person.labels == ["Look again", "Use anyway", "Choose a model", "Cancel"]
    assert person.told == ["Loading qwen3:8b; the first answer from a local model can take a minute"]
    assert not [asked for asked in service.asked if (asked.body or {}).get("prompt") or "chat" in asked.path]


async def test_a_larger_window_is_seen_when_looked_for_again(make: Make) -> None:
    ollama = Ollama(MODELS, window=4096)
    person = Person("Look again")
    asked_first = person.ask

    async def ask(question: Question) -> Reply | None:
        ollama.window = 32_768  # the person restarts it meanwhile
        return await asked_first(question)

    person.ask = ask  # type: ignore[method-assign]
    async with serve_json(ollama.routes) as service:
        assert await (await make(person, "ollama/qwen3:8b", environ={"OLLAMA_HOST": service.url})).ready() == ""
    assert len(person.asked) == 1


async def test_a_small_window_can_lead_to_another_model_or_to_none(make: Make) -> None:
    demo = "Scripted demo on a sample folder. It will not answer your request"
    async with ollama_of(MODELS, window=4096) as service:
        environ = {"OLLAMA_HOST": service.url}
        another = await make(Person("Choose a model", demo), "ollama/qwen3:8b", environ=environ)
        assert await another.ready() == "demo"
        none = await make(Person("Cancel"), "ollama/qwen3:8b", environ=environ)
        assert await none.ready() is None


async def test_where_nobody_can_answer_a_small_window_is_said(make: Make) -> None:
    person = Person()
    async with ollama_of(MODELS, window=4096) as service:
        assert await (await make(person, "ollama/qwen3:8b", environ={"OLLAMA_HOST": service.url})).ready() == ""
    assert person.told[-1].startswith("Ollama gives this model 4,096 tokens; tah needs 16,000")


async def test_a_model_without_tools_is_taken_to_answer_and_one_that_fits_is_named(make: Make) -> None:
    person = Person("gemma3:4b")
    async with ollama_of(MODELS) as service:
        chooser = await make(person, environ={"OLLAMA_HOST": service.url})
        assert await chooser.ready() == "ollama/gemma3:4b"
        assert chooser.only_answers("ollama/gemma3:4b")
        assert not chooser.only_answers("ollama/qwen3:8b")
    said = "gemma3:4b cannot use tools: it can answer, not act. One that can: %tah model ollama/qwen3:8b"
    assert [line for line in person.told if "tools" in line] == [said]


async def test_a_remembered_model_without_tools_is_said_to_be_one_once_in_a_kernel(make: Make) -> None:
    known, person = KnownModels(), Person()
    async with ollama_of({"gemma3:4b": ["completion"]}) as service:
        for _ in range(2):
            chooser = await make(person, "ollama/gemma3:4b", known, environ={"OLLAMA_HOST": service.url})
            assert await chooser.ready() == ""
    said = "gemma3:4b cannot use tools: it can answer, not act. One that can: ollama pull qwen3:8b"
    assert [line for line in person.told if "tools" in line] == [said]


async def test_where_no_local_model_can_act_the_card_names_one_that_could(make: Make) -> None:
    person = Person("Cancel")
    async with ollama_of({"gemma3:4b": ["completion"]}) as service:
        await (await make(person, environ={"OLLAMA_HOST": service.url})).ready()
    assert "No model here can use tools. One that can: ollama pull qwen3:8b" in person.asked[0].about


async def test_on_a_hub_it_is_said_that_ollama_on_a_laptop_cannot_be_reached(make: Make) -> None:
    person = Person("Cancel")
    environ = {"OLLAMA_HOST": "localhost:1", "JUPYTERHUB_API_URL": "http://hub"}
    await (await make(person, environ=environ)).ready()
    said = (
        f"Nothing answers on localhost:1 of {socket.gethostname()}, where your kernel runs. "
        "Ollama on your laptop is not reachable from there."
    )
    # another local server may run on this machine; then there are local lines, and nothing needs to be explained
    local = [choice for choice in person.asked[0].choices if choice.group == "On this machine"]
    assert local or said in person.asked[0].about


# A model that fails inside a run


def failed(kind: Any, message: str = "It failed.", *, retryable: bool = False, step: str = "Do this.") -> ModelError:
    return ModelError(message, kind=kind, next_step=step, retryable=retryable, raw='{"error": "raw"}')


@pytest.mark.parametrize(
    ("kind", "retryable", "labels"),
    [
        ("key_missing", False, ["Enter key", "Choose a model", "Retry", "End"]),
        ("key_refused", False, ["Enter another key", "Choose a model", "Retry", "End"]),
        ("no_credit", False, ["Choose a model", "Retry", "End"]),
        ("rate_limit", True, ["Retry", "Choose a model", "End"]),
        ("overloaded", True, ["Retry", "Choose a model", "End"]),
        ("timeout", True, ["Retry", "Choose a model", "End"]),
        ("connection", True, ["Retry", "Choose a model", "End"]),
        ("context_too_long", False, ["Choose a model", "End"]),
    ],
)
async def test_each_failure_has_the_ways_on_that_fit_it(
    kind: str, retryable: bool, labels: list[str], make: Make
) -> None:
    person = Person("End")
    chooser = await make(person, "anthropic", environ={"ANTHROPIC_API_KEY": KEY})
    assert await chooser.rescue(failed(kind, retryable=retryable), "claude-sonnet-5-5", untouched=True) is None
    assert person.labels == labels
    assert person.asked[0].choices[-1].key == "cancel"
    assert person.asked[0].about[0] == "Your files are as they were."
    assert person.asked[0].detail == '{"error": "raw"}'
    assert person.asked[0].layout == "buttons"


async def test_a_refused_key_is_replaced_and_the_run_goes_on(make: Make, anthropic: JsonService) -> None:
    cause = "Anthropic refused the key (401): the one ending x7Q9, from ANTHROPIC_API_KEY"
    person = Person("Enter another key", typing=(KEY,))
    chooser = await make(person, "anthropic", environ={"ANTHROPIC_API_KEY": "sk-old"})
    assert await chooser.rescue(failed("key_refused", f"{cause}."), "claude-sonnet-5-5", untouched=False) == ""
    assert person.asked[0].title == cause
    assert person.asked[0].about == ()
    assert chooser.keys["ANTHROPIC_API_KEY"] == KEY
    assert person.told == [
        "Key works · until the kernel restarts; then ANTHROPIC_API_KEY of the environment counts again"
    ]


async def test_a_key_that_vanished_is_entered_though_no_model_can_be_settled_without_it(
    make: Make, anthropic: JsonService
) -> None:
    error = failed("key_missing", "There is no ANTHROPIC_API_KEY in this kernel, and Anthropic needs a key.")
    person = Person("Enter key", typing=(KEY,))
    chooser = await make(person)
    assert await chooser.rescue(error, "claude-sonnet-5-5", untouched=True) == ""
    assert chooser.keys["ANTHROPIC_API_KEY"] == KEY


async def test_a_model_that_is_gone_is_replaced_by_one_that_the_account_lists(make: Make) -> None:
    async with serve_json({"/v1/models": listing("claude-haiku-5", "claude-sonnet-5-5", "omni-mod")}) as service:
        environ = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": service.url}
        person = Person("claude-sonnet-5-5")
        chooser = await make(person, "anthropic/claude-sonnet-4", environ=environ)
        name = await chooser.rescue(failed("model_unknown"), "claude-sonnet-4", untouched=True)
    assert name == "anthropic/claude-sonnet-5-5"
    card = person.asked[0]
    assert [choice.label for choice in card.choices][:2] == ["claude-sonnet-5-5", "claude-haiku-5"]
    assert card.choices[0].group == "What your account lists"
    assert (card.layout, card.confirm) == ("list", "Go on")


async def test_another_model_can_be_chosen_for_the_run_that_failed(make: Make) -> None:
    models = {"mine": Endpoint("mine", NOWHERE, "m")}
    person = Person("Choose a model", "Cancel", "Choose a model", "mine")
    chooser = await make(person, "anthropic", environ={"ANTHROPIC_API_KEY": KEY}, models=models)
    assert await chooser.rescue(failed("no_credit"), "claude-sonnet-5-5", untouched=True) == "mine"


async def test_only_what_can_go_on_with_a_run_is_offered_to_it(make: Make) -> None:
    person = Person("Choose a model", "Cancel", "End")
    async with ollama_of(MODELS) as service:
        environ = {"ANTHROPIC_API_KEY": KEY, "OLLAMA_HOST": service.url}
        chooser = await make(person, "anthropic", environ=environ)
        assert await chooser.rescue(failed("no_credit"), "claude-sonnet-5-5", untouched=True) is None
    card = person.asked[1]
    assert card.offers("use:ollama/qwen3:8b")
    assert not card.offers("use:ollama/gemma3:4b"), "it has no tools, and the run needs them"
    assert not card.offers("use:demo"), "it works on a folder of its own"


async def test_the_key_of_a_service_that_was_moved_elsewhere_is_no_choice_that_leads_nowhere(make: Make) -> None:
    moved = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://me:s3cr3t@127.0.0.1:1/v1"}
    person = Person("Cancel")
    assert await (await make(person, environ=moved)).ready() is None
    card = person.asked[0]
    assert not card.offers("use:openai")
    assert card.about[0] == "OPENAI_BASE_URL points to http://127.0.0.1:1/v1, and no model there is named."
    assert card.about[1].startswith("Name it: --model openai/NAME")


async def test_the_same_request_can_be_sent_once_more(make: Make) -> None:
    chooser = await make(Person("Retry"), "anthropic", environ={"ANTHROPIC_API_KEY": KEY})
    assert await chooser.rescue(failed("timeout", retryable=True), "claude-sonnet-5-5", untouched=True) == ""


async def test_where_nobody_can_answer_a_failure_ends_the_run(make: Make) -> None:
    chooser = await make(Person(), "anthropic", environ={"ANTHROPIC_API_KEY": KEY})
    assert await chooser.rescue(failed("rate_limit", retryable=True), "claude-sonnet-5-5", untouched=True) is None
