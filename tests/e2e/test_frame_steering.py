"""Steering a run from the frame: notes, the cell given back, one command ended, and what is said of silence."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tah_jupyter.core.calls import Headline
from tah_jupyter.core.events import (
    ApprovalAnswered,
    Event,
    MessageStarted,
    NoteQueued,
    NoteWithdrawn,
    Notice,
    PromptAdded,
    RunEnded,
    RunReleased,
    RunStarted,
    TextDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnStarted,
)
from tah_jupyter.core.views import Command
from tests.e2e.test_frame_harness import ask, focused, start
from tests.support.frame_page import FramePage

pytestmark = pytest.mark.chromium

BEGUN = RunStarted(run=1, prompt="x", model="m", host="api.example.org")


def clicks(frame: FramePage, kind: str) -> list[dict[str, Any]]:
    return [message for message in frame.sent if message["type"] == kind]


def write(frame: FramePage, text: str) -> None:
    frame.page.get_by_role("textbox", name="Note to the agent").click()
    frame.page.keyboard.type(text)


def test_enter_sends_a_note_and_shift_enter_makes_a_line(frame: FramePage) -> None:
    frame.tell([BEGUN])
    write(frame, "keep the old rows")
    frame.page.keyboard.press("Shift+Enter")
    frame.page.keyboard.type("and count them")
    assert clicks(frame, "note") == []
    frame.page.keyboard.press("Enter")
    (note,) = clicks(frame, "note")
    assert note["text"] == "keep the old rows\nand count them"
    assert len(note["note"]) >= 16
    field = frame.page.get_by_role("textbox", name="Note to the agent")
    expect(field).to_have_value("")
    frame.page.keyboard.press("Enter")
    assert len(clicks(frame, "note")) == 1, "an empty note is none"
    write(frame, "second")
    frame.page.get_by_role("button", name="Send note").click()
    second = clicks(frame, "note")[1]
    assert (second["text"], second["note"] != note["note"]) == ("second", True)


def test_enter_that_ends_a_composition_sends_nothing(frame: FramePage) -> None:
    frame.tell([BEGUN])
    write(frame, "ni hao")
    session = frame.page.context.new_cdp_session(frame.page)
    session.send("Input.imeSetComposition", {"text": "你好", "selectionStart": 2, "selectionEnd": 2})
    session.send(
        "Input.dispatchKeyEvent", {"type": "keyDown", "key": "Process", "code": "Enter", "windowsVirtualKeyCode": 229}
    )
    session.send("Input.insertText", {"text": "你好"})
    assert clicks(frame, "note") == []
    field = frame.page.get_by_role("textbox", name="Note to the agent")
    expect(field).to_have_value("ni hao你好")


def test_a_note_that_the_kernel_did_not_take_stays_in_its_field(frame: FramePage) -> None:
    frame.tell([BEGUN])
    frame.page.evaluate("window.acks = false")
    write(frame, "keep the old rows")
    frame.page.keyboard.press("Enter")
    frame.page.locator(".tah-trouble").get_by_text("The kernel does not answer.").wait_for(timeout=4_000)
    expect(frame.page.get_by_role("textbox", name="Note to the agent")).to_have_value("keep the old rows")
    frame.page.evaluate("window.acks = true")
    frame.page.keyboard.press("Enter")
    expect(frame.page.get_by_role("textbox", name="Note to the agent")).to_have_value("")


def test_a_queued_note_can_be_sent_now_or_withdrawn_until_it_is_read(frame: FramePage) -> None:
    frame.tell([BEGUN, NoteQueued(run=1, note="n1", text="one"), NoteQueued(run=1, note="n2", text="two")])
    notes = frame.page.get_by_role("list", name="Queued notes").get_by_role("listitem")
    assert notes.count() == 2
    assert "Queued: one" in notes.first.inner_text()
    notes.first.get_by_role("button", name="Send now (ends this step)").click()
    notes.nth(1).get_by_role("button", name="Withdraw note").click()
    assert [message["note"] for message in (*clicks(frame, "send"), *clicks(frame, "withdraw"))] == ["n1", "n2"]
    frame.tell([PromptAdded(run=1, seq=5, text="one", note="n1"), NoteWithdrawn(run=1, note="n2")])
    assert notes.count() == 0
    assert focused(frame) == "Note to the agent", "the focus of a note that is gone stays with the notes"
    assert frame.page.get_by_text("Your note: one").is_visible()


def test_what_is_being_written_survives_every_redraw_and_a_card(frame: FramePage) -> None:
    frame.tell([BEGUN])
    write(frame, "keep the ol")
    whole = frame.live.message(frame.transcript.run(1), now=2.0, whole=True)
    assert whole is not None
    frame.say(whole)
    frame.tell([ask("a1")])
    frame.page.keyboard.type("d rows")
    field = frame.page.get_by_role("textbox", name="Note to the agent")
    expect(field).to_have_value("keep the old rows")
    assert focused(frame) == "Note to the agent"
    frame.page.get_by_label("the next cell").focus()
    assert field.is_visible(), "a note that is not sent does not go out of sight"


def test_the_note_line_makes_room_for_a_card_and_comes_back(frame: FramePage) -> None:
    start(frame)
    field = frame.page.get_by_role("textbox", name="Note to the agent")
    assert not field.is_visible()
    frame.tell([ApprovalAnswered(run=1, approval="a1", call="call-a1", outcome="denied")])
    assert field.is_visible()


def test_words_that_were_not_sent_when_the_run_ends_are_not_lost(frame: FramePage) -> None:
    frame.tell([BEGUN])
    write(frame, "one more thing")
    frame.tell([RunEnded(run=1, reason="end_turn")])
    assert frame.page.locator(".tah-unsent").inner_text() == "Not sent: one more thing"


def test_release_gives_the_cell_back_once_and_the_button_goes_with_it(frame: FramePage) -> None:
    frame.tell([BEGUN])
    release = frame.page.get_by_role("button", name="Release cell: go on in the background")
    release.focus()
    frame.page.keyboard.press("Enter")
    release.click(force=True)
    assert len(clicks(frame, "release")) == 1
    frame.tell([RunReleased(run=1)])
    assert not release.is_visible()
    assert focused(frame) == "Stop run 1"


def test_a_background_run_has_no_cell_to_release(frame: FramePage) -> None:
    frame.tell([RunStarted(run=1, prompt="x", model="m", background=True)])
    labels = [each.inner_text() for each in frame.page.locator(".tah-top button:visible").all()]
    assert labels == ["Taller", "■ Stop"]


def test_end_command_ends_that_call_and_keeps_its_focus_while_output_comes(frame: FramePage) -> None:
    frame.tell([BEGUN, ToolStarted(run=1, call="c1", tool="run", headline=Headline("Run", "pytest -q"))])
    end = frame.page.get_by_role("button", name="End command: pytest -q")
    end.focus()
    for number in range(5):
        frame.tell([ToolProgress(run=1, call="c1", text=f"line {number}\n")])
    assert focused(frame) == "End command: pytest -q"
    frame.page.keyboard.press("Enter")
    end.click(force=True)
    assert [message["call"] for message in clicks(frame, "end")] == ["c1"]
    frame.tell([ToolFinished(run=1, call="c1", tool="run", text="ended")])
    assert end.count() == 0
    assert frame.page.locator("#frame").evaluate("e => e.contains(document.activeElement)"), "focus is not dropped"


def test_a_search_that_folds_cannot_be_ended_alone(frame: FramePage) -> None:
    frame.tell([BEGUN, ToolStarted(run=1, call="c1", tool="grep", headline=Headline("Search", "x"), folds=True)])
    assert frame.page.get_by_role("button", name="End command").count() == 0


def test_a_running_command_is_a_progress_bar_with_its_seconds(frame: FramePage) -> None:
    request = ask("a1", Command(("pytest", "-q"), ".", 30.0))
    allowed = ApprovalAnswered(run=1, approval="a1", call="call-a1", outcome="allowed", scope="once")
    started = ToolStarted(run=1, call="call-a1", tool="run", headline=Headline("Run", "pytest -q"), ts=100.0)
    frame.tell([BEGUN, request, allowed, started], now=107.0)
    bar = frame.page.get_by_role("progressbar", name="pytest -q, 7 of 30 seconds")
    assert bar.count() == 1
    assert bar.get_attribute("aria-valuenow") is None
    frame.tell([ToolProgress(run=1, call="call-a1", fraction=0.5)], now=107.0)
    assert bar.get_attribute("aria-valuenow") == "50"


def test_at_first_the_frame_says_where_the_request_is_sent(frame: FramePage) -> None:
    frame.tell([BEGUN, TurnStarted(run=1, turn=1), MessageStarted(run=1, message="m1")])
    state = frame.page.locator(".tah-state")
    assert state.inner_text() == "◐ Working · 0:00 · Sending to api.example.org"
    frame.tell([TextDelta(run=1, message="m1", text="Looking")])
    assert state.inner_text() == "◐ Working · 0:00"


def test_long_silence_of_the_model_is_said_and_ends_with_its_next_word(timed: FramePage) -> None:
    timed.tell([BEGUN, MessageStarted(run=1, message="m1", ts=100.0)], now=115.0)
    aside = timed.page.locator(".tah-aside")
    assert aside.inner_text() == ""
    timed.page.clock.run_for(6_500)
    assert aside.inner_text() == "No answer from api.example.org for 21 s; still waiting"
    timed.page.clock.run_for(10_000)
    assert aside.inner_text() == "No answer from api.example.org for 31 s; still waiting"
    timed.tell([TextDelta(run=1, message="m1", text="here", ts=131.0)], now=131.0)
    timed.page.clock.run_for(1_000)
    assert aside.inner_text() == ""


def test_while_a_tool_works_nobody_is_said_to_be_silent(timed: FramePage) -> None:
    timed.tell([BEGUN, ToolStarted(run=1, call="c1", tool="run", headline=Headline("Run", "sleep"))], now=1.0)
    timed.page.clock.run_for(60_000)
    assert timed.page.locator(".tah-aside").inner_text() == ""


def test_a_pause_before_the_next_try_is_counted_down(timed: FramePage) -> None:
    text = "Too many requests (429); trying again in 12 s (attempt 2)"
    notice = Notice(run=1, seq=3, text=text, level="warning", code="retry", until=112.0)
    timed.tell([BEGUN, MessageStarted(run=1, message="m1", ts=75.0), notice], now=100.0)
    row = timed.page.locator(".tah-note")
    assert row.inner_text() == f"Notice: {text}"
    timed.page.clock.run_for(5_900)
    assert row.inner_text() == f"Notice: {text}".replace("12 s", "7 s")
    assert timed.page.locator(".tah-aside").inner_text() == "", "who counts down is not called silent"
    timed.page.clock.run_for(60_000)
    assert row.inner_text() == f"Notice: {text}".replace("12 s", "0 s")


def test_who_comes_back_after_minutes_is_told_what_happened(timed: FramePage) -> None:
    timed.tell([BEGUN, ToolStarted(run=1, call="c0", tool="read", headline=Headline("Read", "a"))])
    hide = """hidden => {
        Object.defineProperty(document, 'hidden', {configurable: true, get: () => hidden});
        document.dispatchEvent(new Event('visibilitychange'));
    }"""
    timed.page.evaluate(hide, True)
    timed.page.clock.run_for(121_000)
    timed.tell([ToolStarted(run=1, call=f"c{n}", tool="read", headline=Headline("Read", "a")) for n in range(1, 4)])
    timed.tell([ask("a1")])
    timed.page.clock.run_for(239_000)
    timed.page.evaluate(hide, False)
    assert timed.page.locator(".tah-aside").inner_text() == "Away 6 min: 4 steps, waiting for you since 14:02"
    timed.page.clock.run_for(21_000)
    assert timed.page.locator(".tah-aside").inner_text() == ""


def test_the_next_cell_does_not_move_by_a_pixel_while_500_lines_stream(frame: FramePage) -> None:
    frame.tell([BEGUN, MessageStarted(run=1, message="m1")])
    next_cell = frame.page.get_by_label("the next cell")
    places = set()
    for number in range(100):
        events: list[Event] = [TextDelta(run=1, message="m1", text=f"line {number}.{part}\n\n") for part in range(5)]
        if number == 40:
            events.append(NoteQueued(run=1, note="n1", text="a note"))
        if number == 60:
            events.append(ask("a1"))
        frame.tell(events)
        places.add(next_cell.evaluate("e => e.getBoundingClientRect().top"))
    assert len(places) == 1, places
    frame.page.get_by_role("button", name="Taller").click()
    assert next_cell.evaluate("e => e.getBoundingClientRect().top") not in places
    frame.page.get_by_role("button", name="Shorter").click()
    assert next_cell.evaluate("e => e.getBoundingClientRect().top") in places
