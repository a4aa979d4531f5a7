"""The first five minutes of somebody whose only model runs in Ollama (experience, A2), by the README alone."""

import socket
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.walks.churn import ANSWER, FIXED
from tests.walks.conftest import NO_OLLAMA, Begin
from tests.walks.ollama import Ollama, ollama
from tests.walks.readme import readme
from tests.walks.walk import LIMIT_MS

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(600)]

TITLE = "Choose a model · your request is kept and runs when you choose"
WINDOW = "Ollama gives this model 4,096 tokens; tah needs 16,000 or the model forgets your request."
LARGER = "OLLAMA_CONTEXT_LENGTH=32768 ollama serve"
LOADING = "Loading qwen3:8b; the first answer from a local model can take a minute"
NO_TOOLS = "gemma3:4b cannot use tools: it can answer, not act."


@pytest.fixture
def service() -> Iterator[Ollama]:
    with ollama() as server:
        yield server


def test_a_local_model_is_chosen_given_a_window_and_does_the_work(
    walk: Begin, service: Ollama, record_testsuite_property: Callable[[str, object], None]
) -> None:
    newcomer = walk(OLLAMA_HOST=service.address)
    loaded = newcomer.open(readme().ask, "%reload_ext tah_jupyter")
    assert loaded[0] == (
        "tah 0.1 · no model chosen; the first %%tah lets you choose · folder ~/churn (git)"
        " · asks before it changes anything"
    )
    newcomer.begin(1)
    newcomer.notebook.wait_question(TITLE)
    card = newcomer.notebook.card
    assert card.locator(".tah-choice-group").all_inner_texts() == ["On this machine", "With a key", "No model"]
    told = newcomer.read(card)
    assert "Ollama · can use tools" in told
    assert "Ollama · cannot use tools: can answer, not act" in told
    service.may_answer.clear()
    newcomer.choose("qwen3:8b, Ollama · can use tools")
    newcomer.sees(LOADING)
    service.may_answer.set()

    window = newcomer.card(WINDOW)
    assert LARGER in window
    service.restart(window=32_768)
    newcomer.notebook.press_choice("Look again")
    newcomer.card("Edit src/load.py")
    newcomer.sees("qwen3:8b → this machine")
    newcomer.notebook.answer("Edit src/load.py", "Allow once")
    newcomer.card("Run python -B -m unittest -q")
    newcomer.notebook.answer("Run python", "Allow once")
    record = newcomer.done(1)
    record_testsuite_property("seconds with Ollama", round(newcomer.seconds(), 1))
    assert record.splitlines()[0].startswith("tah · run 1 · ✓ Done · 1 file changed")
    assert f"{ANSWER} The tests pass." in record
    assert "local, no charge" in record
    assert "qwen3:8b → this machine" in record
    assert "Sent to" not in record
    assert (newcomer.folder / "src" / "load.py").read_text() == FIXED
    assert [record["prompt"] for record in newcomer.records("run.started")] == [readme().request]
    assert "qwen3:8b" in newcomer.run(2), "remembered for all notebooks"
    newcomer.check_end(changed=["src/load.py"])


def test_a_model_without_tools_answers_and_one_that_fits_is_named(walk: Begin, service: Ollama) -> None:
    service.models.window = 32_768
    service.says = lambda turn, results: [{"says": "A shop's rows, and their totals."}]
    newcomer = walk(OLLAMA_HOST=service.address)
    newcomer.open("%%tah\nWhat is in this folder?", "%tah model ollama/qwen3:8b")
    newcomer.begin(1)
    newcomer.notebook.wait_question(TITLE)
    service.may_answer.clear()
    newcomer.choose("gemma3:4b, Ollama · cannot use tools: can answer, not act", remember=False)
    newcomer.sees(f"{NO_TOOLS} One that can: %tah model ollama/qwen3:8b")
    service.may_answer.set()
    record = newcomer.done(1)
    assert "A shop's rows, and their totals." in record
    assert "local, no charge" in record
    assert record.count(NO_TOOLS) == 1
    assert [body.get("tools") for body in service.bodies] == [None], "Ollama refuses a request that offers it tools"
    assert newcomer.run(2) == "qwen3:8b"
    newcomer.check_end()


def test_where_nothing_answers_the_card_says_on_which_machine(walk: Begin) -> None:
    newcomer = walk(JUPYTERHUB_API_URL="http://127.0.0.1:9/hub/api")
    newcomer.open("%%tah\nWhat is in this folder?", "6 * 7")
    newcomer.begin(1)
    newcomer.notebook.wait_question(TITLE)
    assert (
        f"Nothing answers on {NO_OLLAMA['OLLAMA_HOST']} of {socket.gethostname()}, where your kernel runs. "
        "Ollama on your laptop is not reachable from there."
    ) in newcomer.read(newcomer.notebook.card)
    newcomer.notebook.press_choice("Cancel")
    expect(newcomer.notebook.output(1)).to_contain_text("■ Stopped by you", timeout=LIMIT_MS)
    assert newcomer.run(2).endswith("42"), "the kernel is as it was"
    assert newcomer.records("run.started") == []
    newcomer.check_end()
