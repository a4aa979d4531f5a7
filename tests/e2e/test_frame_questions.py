"""Questions in the frame: the model card before there is a run, the card of a failure, and what counts as a reply."""

from typing import Any

import pytest

from tah_jupyter.core.events import ApprovalRequested, QuestionAnswered, QuestionAsked, RunStarted
from tah_jupyter.core.questions import Choice, Question
from tests.e2e.test_frame_harness import DEAD_MS, ask, focused, wait_for_life
from tests.support import questions, runs
from tests.support.frame_page import FramePage

pytestmark = pytest.mark.chromium


def hold(frame: FramePage) -> None:
    """Show a request that is held until its model is chosen."""
    frame.tell(runs.stamped(questions.held(), run=0))


def fail(frame: FramePage, question: Question = questions.FAILURE) -> None:
    """Show a run that asks what to do now."""
    frame.tell([RunStarted(run=1, prompt="x", model="m", host="h"), QuestionAsked(run=1, question=question)])


def replies(frame: FramePage) -> list[dict[str, Any]]:
    return [message for message in frame.sent if message["type"] == "reply"]


def test_the_model_card_is_drawn_before_there_is_a_run(frame: FramePage) -> None:
    hold(frame)
    page = frame.page
    assert page.get_by_role("region", name="tah", exact=True).count() == 1
    assert page.locator(".tah-state").inner_text() == "◆ Waiting for you"
    assert page.get_by_role("group", name=questions.MODEL_CARD.title).count() == 1
    assert [button.inner_text() for button in page.get_by_role("button").all()] == ["Taller", "Use", "Cancel"]
    assert not page.locator(".tah-notes").is_visible()
    assert page.title() == "◆ Answer? · march.ipynb"


def test_choices_stand_below_their_headings_and_say_why_they_cannot_be_taken(frame: FramePage) -> None:
    hold(frame)
    page = frame.page
    assert page.locator(".tah-choice-group").all_inner_texts() == ["On this machine", "With a key", "No model"]
    radios = page.get_by_role("radiogroup", name=questions.MODEL_CARD.title).get_by_role("radio")
    assert radios.count() == 6
    refused = page.get_by_role("radio", name="gemma3:4b, Ollama · cannot use tools: can answer, not act")
    assert refused.is_disabled()
    assert page.get_by_text("no key found").count() == 1, "what is true of neighbours is written once"
    assert page.get_by_role("radio", name="OpenAI, no key found").count() == 1


def test_the_marked_model_is_sent_with_the_box_and_the_run_goes_on_in_the_same_frame(frame: FramePage) -> None:
    hold(frame)
    wait_for_life(frame)
    use = frame.page.get_by_role("button", name="Use")
    use.click(force=True)
    assert (use.get_attribute("aria-disabled"), replies(frame)) == ("true", []), "nothing is marked at first"
    frame.page.get_by_text("qwen3:8b").click()
    frame.page.get_by_label("Remember for all my notebooks").uncheck()
    use.click()
    (reply,) = replies(frame)
    assert (reply["question"], reply["key"], reply["remember"]) == ("model", "ollama/qwen3:8b", False)
    frame.tell([QuestionAnswered(run=0, question="model", key="ollama/qwen3:8b", ts=1_003.0)])
    assert frame.page.locator(".tah-settled").inner_text().endswith("· qwen3:8b")
    frame.tell([RunStarted(run=7, prompt="x", model="qwen3:8b", host="127.0.0.1:11434", ts=1_004.0)])
    assert frame.page.get_by_role("region", name="tah run 7").count() == 1
    assert frame.page.locator(".tah-to").inner_text() == "qwen3:8b → this machine"
    assert frame.page.get_by_role("button", name="Stop run 7").is_visible()
    assert frame.page.locator(".tah-card").count() == 0
    assert frame.page.title() == "march.ipynb"


def test_the_keyboard_alone_chooses_a_model(frame: FramePage) -> None:
    hold(frame)
    wait_for_life(frame)
    frame.page.get_by_label("the next cell").focus()
    frame.page.keyboard.press("Shift+Tab")
    assert focused(frame) == "Cancel"
    frame.page.get_by_role("radio").first.focus()
    frame.page.keyboard.press("Space")
    frame.page.keyboard.press("ArrowDown")
    frame.page.keyboard.press("Enter")
    assert replies(frame) == [], "Enter takes nothing from a list"
    for _ in range(2):
        frame.page.keyboard.press("Tab")
    assert focused(frame) == "Use"
    frame.page.keyboard.press("Enter")
    assert [reply["key"] for reply in replies(frame)] == ["anthropic"]


def test_a_failure_says_what_is_safe_and_has_a_button_for_each_way_on(frame: FramePage) -> None:
    frame.tell(runs.stamped(questions.refused()))
    card = frame.page.locator(".tah-card")
    assert card.get_by_role("button").all_inner_texts() == ["Enter another key", "Choose a model", "Retry", "End"]
    described = card.get_attribute("aria-describedby")
    assert frame.page.locator(f"#{described}").inner_text() == "Your files are as they were."
    raw = card.locator("details")
    assert not raw.get_by_text("authentication_error").is_visible()
    raw.locator("summary").click()
    assert raw.get_by_text("authentication_error").is_visible()
    wait_for_life(frame)
    card.get_by_role("button", name="Enter another key").click()
    assert [(reply["question"], reply["key"]) for reply in replies(frame)] == [("rescue", "key")]


def test_a_reply_counts_no_sooner_than_an_answer_and_never_from_a_script(timed: FramePage) -> None:
    fail(timed)
    button = timed.page.get_by_role("button", name="Choose a model")
    button.click()
    timed.page.clock.run_for(DEAD_MS)
    timed.page.evaluate("document.querySelector('[data-press=\"choice:model\"]').click()")
    for key in ("y", "r", "n", "w", "Escape"):
        timed.page.locator(".tah-card").press(key)
    assert replies(timed) == []
    button.click()
    button.click(force=True)
    assert len(replies(timed)) == 1


def test_a_choice_that_is_not_offered_cannot_be_pressed(frame: FramePage) -> None:
    later = Choice("a", "Retry", "not before 14:00", enabled=False)
    fail(frame, Question("q", "What now?", (later, Choice("b", "End"))))
    wait_for_life(frame)
    frame.page.get_by_role("button", name="Retry: not before 14:00").click(force=True)
    assert replies(frame) == []


def test_a_question_answered_elsewhere_says_so(frame: FramePage) -> None:
    fail(frame)
    wait_for_life(frame)
    frame.page.get_by_role("button", name="Choose a model").focus()
    frame.tell([QuestionAnswered(run=1, question="rescue", key="cancel", label="End")])
    assert frame.page.locator(".tah-card-line").inner_text() == "Answered in another window"
    frame.page.keyboard.press("Enter")
    assert replies(frame) == []


def test_focus_goes_from_a_question_to_the_approval_that_waits_behind_it(frame: FramePage) -> None:
    request: ApprovalRequested = ask("a1")
    fail(frame)
    frame.tell([request])
    wait_for_life(frame)
    frame.page.get_by_role("button", name="Choose a model").press("Enter")
    frame.tell([QuestionAnswered(run=1, question="rescue", key="model", label="Choose a model")])
    assert focused(frame) == "Approval 1 of 1: Run pytest -q"


def test_a_reply_without_an_acknowledgement_may_be_given_again(frame: FramePage) -> None:
    hold(frame)
    wait_for_life(frame)
    frame.page.evaluate("window.acks = false")
    frame.page.get_by_text("qwen3:8b").click()
    use = frame.page.get_by_role("button", name="Use")
    use.click()
    frame.page.locator(".tah-trouble").get_by_text("The kernel does not answer.").wait_for(timeout=4_000)
    assert use.get_attribute("aria-disabled") == "false"
    use.click()
    assert len(replies(frame)) == 2


def test_what_a_question_quotes_is_drawn_as_text_with_nothing_hidden(frame: FramePage) -> None:
    hostile = "<img src=x onerror=alert(1)>\u202egnp.exe"
    question = Question(
        "q", hostile, (Choice("a", hostile, hostile, hostile),), (hostile,), hostile, "list", hostile, hostile
    )
    fail(frame, question)
    assert frame.page.locator("#frame img").count() == 0
    text = frame.page.locator(".tah-card").text_content() or ""
    assert text.count("\\u202egnp.exe") == 8
    assert "\u202e" not in text


def test_a_question_calls_who_is_elsewhere(frame: FramePage) -> None:
    frame.page.evaluate("document.getElementById('frame').style.marginTop = '3000px'")
    fail(frame)
    frame.page.get_by_role("button", name="1 question waiting · Show").click()
    assert frame.page.locator(".tah-card").is_visible()
    region = frame.page.locator("body > #tah-live-assertive")
    assert region.inner_text() == f"Question: {questions.FAILURE.title}. Shift Tab from the next cell."
