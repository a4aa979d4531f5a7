"""The first five minutes of somebody with no key and no local model (experience, A3), by the README alone."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.walks.conftest import Begin
from tests.walks.walk import Walk

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(600)]

TITLE = "Choose a model · your request is kept and runs when you choose"
OPENING = (
    "Scripted demo, no language model. It works on a copy of a sample project in a temporary folder (6 files), "
    "not on your files."
)
END = "That was a script; the tools, approvals and changes were real."
WAYS_ON = (
    "For your own requests: free on this machine: install Ollama, ollama pull qwen3:8b, %tah model"
    " · with a key: %tah key"
)


def allowed(newcomer: Walk, cell: int) -> str:
    """Run the demo and allow all that it asks; what it leaves."""
    newcomer.begin(cell)
    for asked in ("Run python", "Edit", "Run python"):
        newcomer.card(asked)
        newcomer.notebook.answer(asked, "Allow once")
    return newcomer.done(cell)


def test_the_card_has_no_local_line_and_the_demo_answers_no_request(
    walk: Begin, record_testsuite_property: Callable[[str, object], None]
) -> None:
    newcomer = walk()
    loaded = newcomer.open("%%tah\nclean this csv", "%tah demo", "%tah demo", "%tah model")
    assert loaded[0].startswith("tah 0.1 · no model chosen; the first %%tah lets you choose · folder ~/churn (git)")
    newcomer.begin(1)
    newcomer.notebook.wait_question(TITLE)
    card = newcomer.notebook.card
    assert card.locator(".tah-choice-group").all_inner_texts() == ["With a key", "No model"]
    assert [choice.inner_text() for choice in card.locator(".tah-choice").all()] == [
        "Anthropic",
        "OpenAI",
        "OpenRouter",
        "Other…",
        "Scripted demo on a sample folder. It will not answer your request",
    ]
    assert "no key found" in newcomer.read(card)
    expect(card.get_by_role("checkbox", name="Remember for all my notebooks")).to_be_checked()
    assert [button.inner_text() for button in card.get_by_role("button").all()] == ["Use", "Cancel"]
    newcomer.choose("Scripted demo on a sample folder. It will not answer your request")
    told = newcomer.done(1)
    assert "Scripted demo, no language model." in told
    assert "It cannot answer that request" in told
    assert WAYS_ON in told
    assert newcomer.records("run.started") == [], "the demo leaves nothing in the project"

    newcomer.begin(2)
    newcomer.notebook.answer("Run python", "Allow once")
    newcomer.card("Edit")
    newcomer.notebook.answer("Edit", "Deny")
    denied = newcomer.done(2)
    assert "✓ Done · 1 denied" in denied.splitlines()[0]
    assert "Not changed. The edit was not made: denied by the person." in denied
    assert f"That was a script; the tools and approvals were real. {WAYS_ON}" in denied

    record = allowed(newcomer, 3)
    record_testsuite_property("seconds with nothing", round(newcomer.seconds(), 1))
    assert "✓ Done · 1 file changed" in record.splitlines()[0]
    assert OPENING in record
    assert re.search(r"Before, \d+ of 10 tests failed; now all 10 pass\.", record), record
    assert f"{END} {WAYS_ON}" in record
    assert "scripted demo, no language model" in record
    newcomer.run(4)
    newcomer.check_end()
