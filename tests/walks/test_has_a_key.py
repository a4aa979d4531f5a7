"""The first five minutes of somebody with an Anthropic key (experience, A1), by the README alone."""

import json
import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.walks.anthropic import KEY, MODEL, Anthropic, anthropic
from tests.walks.churn import ANSWER, FIXED
from tests.walks.conftest import Begin
from tests.walks.readme import readme
from tests.walks.walk import LIMIT_MS

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(600)]

TRY_IT = (
    "New cell: %%tah on the first line, your request below. "
    "Try: What is in this folder, and what would you check first?"
)
NO_KEY = "No ANTHROPIC_API_KEY in this kernel"
ELSEWHERE = "A key set after Jupyter started, or in another shell, is not seen here."
KEPT = "until the kernel restarts"
IN_A_CELL = "This cell holds a key and would be saved with the notebook. Use %tah key."


@pytest.fixture
def service() -> Iterator[Anthropic]:
    with anthropic() as server:
        yield server


def test_a_key_in_the_environment_is_all_it_takes(
    walk: Begin, service: Anthropic, record_testsuite_property: Callable[[str, object], None]
) -> None:
    newcomer = walk(ANTHROPIC_API_KEY=KEY, **service.environ)
    loaded = newcomer.open(readme().ask, "%reload_ext tah_jupyter", f"import os\nos.environ['MY_API_KEY'] = '{KEY}'")
    assert loaded == [
        f"tah 0.1 · {MODEL} (ANTHROPIC_API_KEY) · folder ~/churn (git) · asks before it changes anything",
        TRY_IT,
    ]

    service.may_answer.clear()
    newcomer.begin(1)
    newcomer.sees("◐ Working")
    newcomer.sees_like(r"Sending \d\.\d k tokens to api\.anthropic\.com")
    newcomer.sees(f"{MODEL} → api.anthropic.com")
    service.may_answer.set()

    edit = newcomer.card("Edit src/load.py")
    assert edit.startswith("Approval · Edit src/load.py +1 −1")
    assert "Asks because: in mode Ask every edit asks" in edit
    newcomer.sees("Plan 2/4")
    newcomer.sees("Looked at 4 things")
    assert newcomer.page.title().startswith("◆ Approve? · march")
    newcomer.notebook.answer("Edit src/load.py", "Allow once")
    newcomer.card("Run python -B -m unittest -q")
    newcomer.sees_like(r"✓ Edit src/load\.py\s*\+1 −1 · allowed once by you")
    newcomer.notebook.answer("Run python", "Allow once")
    record = newcomer.done(1)
    record_testsuite_property("seconds with a key", round(newcomer.seconds(), 1))

    head = record.splitlines()[0]
    assert re.fullmatch(r"tah · run 1 · ✓ Done · 1 file changed · \d+ steps · [\d.]+ s · \$0\.\d+", head), head
    assert f"{ANSWER} The tests pass." in record
    assert "src/load.py +1 −1 · allowed once by you" in record
    assert re.search(r"Sent to api\.anthropic\.com: [\d.]+ k tokens in 4 requests", record), record
    assert re.search(rf"{MODEL} → api\.anthropic\.com · 4 turns · .* · \$0\.\d+", record), record
    assert (newcomer.folder / "src" / "load.py").read_text() == FIXED
    assert "march" in newcomer.page.title()
    assert "◆" not in newcomer.page.title()

    assert TRY_IT not in newcomer.run(2), "said until one run has finished, then never again"
    assert newcomer.run(3) == IN_A_CELL
    assert [record["prompt"] for record in newcomer.records("run.started")] == [readme().request]
    saved = json.dumps(newcomer.notebook.save()["cells"][1])
    assert "widget" not in saved
    assert KEY not in saved
    newcomer.check_end(changed=["src/load.py"])


def test_a_key_that_is_in_a_terminal_only_is_typed_and_the_request_runs(
    walk: Begin, service: Anthropic, record_testsuite_property: Callable[[str, object], None]
) -> None:
    service.says = lambda turn, results: [{"says": "A shop's rows, and their totals."}]
    newcomer = walk(**service.environ)
    loaded = newcomer.open("%%tah --model anthropic\nWhat is in this folder?", "%tah")
    assert loaded == [
        "tah 0.1 · no model chosen; the first %%tah lets you choose · folder ~/churn (git)"
        " · asks before it changes anything",
        TRY_IT,
    ]
    newcomer.begin(1)
    card = newcomer.card(NO_KEY)
    assert ELSEWHERE in card
    newcomer.notebook.press_choice("Enter key")
    assert newcomer.type_key("sk-ant-api03-not-the-key-9f3b7c51d2-wR0n") == (
        "Key for Anthropic (ANTHROPIC_API_KEY), not shown as you type:"
    )
    expect(newcomer.notebook.card).to_contain_text(
        "Anthropic refused the key (401): the one ending wR0n, from ANTHROPIC_API_KEY", timeout=LIMIT_MS
    )
    newcomer.notebook.press_choice("Enter key")
    service.may_answer.clear()
    newcomer.type_key(KEY)
    newcomer.sees(f"Key works · {KEPT}")
    service.may_answer.set()
    record = newcomer.done(1)
    record_testsuite_property("seconds with a key to type", round(newcomer.seconds(), 1))
    assert "A shop's rows, and their totals." in record
    assert "✓ Done" in record
    assert f"Key works · {KEPT}" in record
    assert f"{MODEL} (ANTHROPIC_API_KEY, typed here)" in newcomer.run(2)
    assert [record["prompt"] for record in newcomer.records("run.started")] == ["What is in this folder?"]
    assert KEY not in json.dumps(newcomer.notebook.save())
    newcomer.check_end()


def test_a_wrong_key_is_said_with_its_last_characters_and_another_goes_on(walk: Begin, service: Anthropic) -> None:
    service.says = lambda turn, results: [{"says": "A shop's rows, and their totals."}]
    newcomer = walk(ANTHROPIC_API_KEY="sk-ant-api03-wrong-0123456789-abcdef-q7W9", **service.environ)
    newcomer.open("%%tah\nWhat is in this folder?")
    newcomer.begin(1)
    card = newcomer.card("Anthropic refused the key (401): the one ending q7W9, from ANTHROPIC_API_KEY")
    assert "Your files are as they were." in card
    assert newcomer.notebook.card.get_by_role("button").all_inner_texts() == [
        "Enter another key",
        "Choose a model",
        "Retry",
        "End",
    ]
    newcomer.notebook.press_choice("Enter another key")
    service.may_answer.clear()
    newcomer.type_key(KEY)
    newcomer.sees("Key works · until the kernel restarts; then ANTHROPIC_API_KEY of the environment counts again")
    service.may_answer.set()
    assert "A shop's rows, and their totals." in newcomer.done(1)
    assert len(newcomer.records("run.started")) == 1
    newcomer.check_end()
