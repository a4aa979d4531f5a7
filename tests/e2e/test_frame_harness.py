"""The frame in a real browser: what counts as an answer, where focus goes, what is said, what is never drawn."""

import json
from typing import Any

import pytest
from playwright.sync_api import Browser

from tah_jupyter.core.approvals import CommandSubject, Grant
from tah_jupyter.core.calls import Headline
from tah_jupyter.core.events import (
    ApprovalAnswered,
    ApprovalRequested,
    MessageFinished,
    MessageStarted,
    Notice,
    RunStarted,
    TextDelta,
)
from tah_jupyter.core.views import Command, View
from tests.support import runs
from tests.support.frame_page import FramePage

pytestmark = pytest.mark.chromium

DEAD_MS = 450
"""A little more than a card is dead after it appears."""


def ask(approval: str = "a1", view: View | None = None, *, grant: bool = True) -> ApprovalRequested:
    command = view or Command(("pytest", "-q"))
    covers = Grant("pytest -q", CommandSubject(("pytest", "-q"))) if grant else None
    return ApprovalRequested(
        run=1,
        approval=approval,
        call=f"call-{approval}",
        tool="run",
        headline=Headline("Run", "pytest -q"),
        view=command,
        asks_because=("in mode Ask every command asks",),
        grant=covers,
    )


def wait_for_life(frame: FramePage) -> None:
    """Let the card's dead time pass, by the page's own clock."""
    frame.page.evaluate("ms => new Promise(resolve => setTimeout(resolve, ms))", DEAD_MS)


def start(frame: FramePage, *approvals: str) -> None:
    frame.tell([RunStarted(run=1, prompt="x", model="m", host="h"), *(ask(each) for each in approvals or ("a1",))])


def answers(frame: FramePage) -> list[dict[str, Any]]:
    return [message for message in frame.sent if message["type"] == "answer"]


def focused(frame: FramePage) -> str:
    name: str = frame.page.evaluate(
        "(document.activeElement.getAttribute('aria-label') || document.activeElement.textContent || '').trim()"
    )
    return name


def test_the_frame_says_hello_with_the_id_of_its_page(frame: FramePage) -> None:
    (hello,) = frame.sent
    assert hello["type"] == "hello"
    assert len(hello["page"]) > 10


def test_a_click_on_allow_once_is_sent_and_the_card_goes_when_the_kernel_says_so(frame: FramePage) -> None:
    start(frame)
    wait_for_life(frame)
    frame.page.get_by_role("button", name="Allow once: Run pytest -q").click()
    (answer,) = answers(frame)
    assert (answer["approval"], answer["answer"], answer["scope"]) == ("a1", "allow", "once")
    frame.tell([ApprovalAnswered(run=1, approval="a1", call="call-a1", outcome="allowed", scope="once")])
    assert frame.page.locator(".tah-card").count() == 0
    assert frame.page.locator(".tah-settled").inner_text() == "Run pytest -q · Allowed"


def test_a_click_in_the_first_moments_of_a_card_does_not_count(timed: FramePage) -> None:
    start(timed)
    timed.page.get_by_role("button", name="Allow once: Run pytest -q").click()
    timed.page.locator(".tah-card").press("y")
    assert answers(timed) == []
    timed.page.clock.run_for(DEAD_MS)
    timed.page.locator(".tah-card").press("y")
    assert len(answers(timed)) == 1


def test_a_press_that_began_before_the_card_appeared_does_not_count(frame: FramePage) -> None:
    start(frame, "a0")
    box = frame.page.get_by_role("button", name="Allow once: Run pytest -q").bounding_box()
    assert box is not None
    frame.tell([ApprovalAnswered(run=1, approval="a0", call="call-a0", outcome="denied")])
    frame.page.mouse.move(box["x"] + 5, box["y"] + 5)
    frame.page.mouse.down()
    frame.tell([ask("a1")])
    wait_for_life(frame)
    frame.page.mouse.up()
    assert answers(frame) == []


def test_clicks_made_by_a_script_do_not_count(frame: FramePage) -> None:
    start(frame)
    wait_for_life(frame)
    frame.page.evaluate("document.querySelector('[data-press=once]').click()")
    frame.page.evaluate(
        "document.querySelector('.tah-card').dispatchEvent(new KeyboardEvent('keydown', {key: 'y', bubbles: true}))"
    )
    assert answers(frame) == []


@pytest.mark.parametrize(
    ("key", "expected"), [("y", ("allow", "once")), ("R", ("allow", "run")), ("n", ("deny", "once"))]
)
def test_keys_answer_inside_the_card(frame: FramePage, key: str, expected: tuple[str, str]) -> None:
    start(frame)
    wait_for_life(frame)
    frame.page.locator(".tah-card").press(key)
    (answer,) = answers(frame)
    assert (answer["answer"], answer["scope"]) == expected


def test_keys_outside_the_card_answer_nothing(frame: FramePage) -> None:
    start(frame)
    wait_for_life(frame)
    frame.page.get_by_label("the next cell").press("y")
    frame.page.get_by_role("list", name="Steps").press("y")
    assert answers(frame) == []


def test_a_key_held_down_answers_nothing(timed: FramePage) -> None:
    start(timed, "a1", "a2")
    timed.page.locator(".tah-card").focus()
    timed.page.keyboard.down("y")
    timed.page.clock.run_for(DEAD_MS)
    for _ in range(3):
        timed.page.keyboard.down("y")
    assert answers(timed) == []
    timed.page.keyboard.up("y")
    timed.page.keyboard.down("y")
    assert [answer["approval"] for answer in answers(timed)] == ["a1"]
    timed.tell([ApprovalAnswered(run=1, approval="a1", call="call-a1", outcome="allowed", scope="once")])
    timed.page.clock.run_for(DEAD_MS)
    timed.page.keyboard.down("y")
    assert len(answers(timed)) == 1


def test_keys_with_control_or_alt_are_the_browsers(frame: FramePage) -> None:
    start(frame)
    wait_for_life(frame)
    for key in ("Control+y", "Alt+n"):
        frame.page.locator(".tah-card").press(key)
    assert answers(frame) == []


def test_escape_never_denies_and_leaves_the_card(frame: FramePage) -> None:
    start(frame)
    wait_for_life(frame)
    frame.page.get_by_role("button", name="Deny: Run pytest -q").focus()
    frame.page.keyboard.press("Escape")
    assert frame.sent == frame.sent[:1]
    assert frame.page.evaluate("document.activeElement === document.body")
    assert frame.page.locator(".tah-card").count() == 1


def test_deny_and_say_why_sends_the_reason_and_keys_in_the_field_are_text(frame: FramePage) -> None:
    start(frame)
    wait_for_life(frame)
    why = frame.page.get_by_role("button", name="Deny and say why: Run pytest -q")
    assert why.get_attribute("aria-expanded") == "false"
    why.click()
    field = frame.page.get_by_role("textbox", name="What should it do instead?")
    frame.page.keyboard.type("why not yarn")
    assert (answers(frame), field.input_value()) == ([], "why not yarn")
    field.press("Escape")
    assert (field.is_visible(), focused(frame)) == (False, "Deny and say why: Run pytest -q")
    frame.page.keyboard.press("w")
    assert field.input_value() == "why not yarn"
    field.press("Enter")
    (answer,) = answers(frame)
    assert (answer["answer"], answer["reason"]) == ("deny", "why not yarn")


def test_a_card_takes_no_focus_and_the_last_control_before_the_next_cell_is_harmless(frame: FramePage) -> None:
    field = frame.page.get_by_label("the next cell")
    field.focus()
    frame.page.keyboard.type("ab")
    start(frame)
    frame.page.keyboard.type("yn")
    assert (field.input_value(), answers(frame)) == ("abyn", [])
    frame.page.keyboard.press("Shift+Tab")
    assert focused(frame) == "Deny and say why: Run pytest -q"


def test_focus_goes_to_the_next_card_and_at_last_to_the_settled_line(frame: FramePage) -> None:
    start(frame, "a1", "a2")
    wait_for_life(frame)
    frame.page.get_by_role("button", name="Deny: Run pytest -q").focus()
    frame.page.keyboard.press("Enter")
    frame.tell([ApprovalAnswered(run=1, approval="a1", call="call-a1", outcome="denied")])
    assert focused(frame) == "Approval 2 of 2: Run pytest -q"
    wait_for_life(frame)
    frame.page.keyboard.press("n")
    frame.tell([ApprovalAnswered(run=1, approval="a2", call="call-a2", outcome="denied")])
    assert focused(frame) == "Run pytest -q · Denied"


def test_an_answer_from_another_window_is_said_and_the_card_stays_while_somebody_is_in_it(frame: FramePage) -> None:
    start(frame)
    wait_for_life(frame)
    frame.page.get_by_role("button", name="Deny: Run pytest -q").focus()
    frame.tell([ApprovalAnswered(run=1, approval="a1", call="call-a1", outcome="allowed", scope="once")])
    assert frame.page.locator(".tah-card-line").inner_text() == "Answered in another window"
    frame.page.keyboard.press("n")
    assert answers(frame) == []
    frame.page.get_by_label("the next cell").focus()
    frame.page.locator(".tah-card").wait_for(state="detached")
    assert frame.page.locator(".tah-settled").inner_text() == "Run pytest -q · Answered in another window"


def test_a_late_click_says_that_it_was_late(frame: FramePage) -> None:
    start(frame)
    wait_for_life(frame)
    frame.page.evaluate("window.acks = false")
    frame.page.locator(".tah-card").press("y")
    frame.say({"type": "ack", "id": answers(frame)[0]["id"], "late": True})
    assert frame.page.locator(".tah-card-line").inner_text() == "Answered in another window"


def test_a_click_without_an_acknowledgement_says_that_the_kernel_is_silent_and_may_be_repeated(
    frame: FramePage,
) -> None:
    start(frame)
    wait_for_life(frame)
    frame.page.evaluate("window.acks = false")
    frame.page.locator(".tah-card").press("y")
    trouble = frame.page.locator(".tah-trouble")
    trouble.get_by_text("The kernel does not answer.").wait_for(timeout=3_000)
    frame.page.locator(".tah-card").press("y")
    assert len(answers(frame)) == 2
    frame.say({"type": "ack", "id": answers(frame)[1]["id"], "late": False})
    assert trouble.inner_text() == ""


def test_stop_is_one_press_and_is_sent_once(frame: FramePage) -> None:
    start(frame)
    stop = frame.page.get_by_role("button", name="Stop run 1")
    stop.click()
    stop.click(force=True)
    assert [message["type"] for message in frame.sent] == ["hello", "stop"]


def test_the_page_title_calls_while_a_card_waits_and_is_given_back(frame: FramePage) -> None:
    start(frame)
    assert frame.page.title() == "◆ Approve? · march.ipynb"
    frame.page.evaluate("document.title = 'other.ipynb'")
    frame.page.wait_for_function("document.title === '◆ Approve? · other.ipynb'")
    frame.tell([ApprovalAnswered(run=1, approval="a1", call="call-a1", outcome="denied")])
    assert frame.page.title() == "other.ipynb"


def test_the_live_region_says_what_is_needed_and_no_text_of_the_model(frame: FramePage) -> None:
    start(frame)
    region = frame.page.locator("body > #tah-live-assertive")
    assert region.inner_text() == "Approval needed, 1 of 1: Run pytest -q. Shift Tab from the next cell."
    frame.tell([TextDelta(run=1, message="m1", text="secret plan"), MessageStarted(run=1, message="m1")])
    assert "secret plan" not in frame.page.locator("body > .tah-spoken").all_inner_texts()


def test_the_frame_keeps_its_height_while_it_grows(frame: FramePage) -> None:
    start(frame)
    box = frame.page.locator(".tah-frame")
    before = box.bounding_box()
    frame.tell([Notice(run=1, seq=n, text=f"note {n}") for n in range(60)])
    assert box.bounding_box() == before
    assert before is not None
    assert before["height"] == 320
    frame.page.get_by_role("button", name="Taller").click()
    taller = box.bounding_box()
    assert taller is not None
    assert taller["height"] > 500


def test_the_steps_follow_their_end_until_somebody_scrolls_up(frame: FramePage) -> None:
    frame.tell([RunStarted(run=1, prompt="x"), *(Notice(run=1, seq=n, text=f"note {n}") for n in range(40))])
    steps = frame.page.locator(".tah-steps")
    at_end = "e => e.scrollHeight - e.scrollTop - e.clientHeight < 24"
    assert steps.evaluate(at_end)
    steps.hover()
    frame.page.mouse.wheel(0, -5_000)
    frame.page.wait_for_function("document.querySelector('.tah-steps').scrollTop === 0")
    frame.tell([Notice(run=1, seq=100 + n, text="more") for n in range(3)])
    assert steps.evaluate("e => e.scrollTop") == 0
    newer = frame.page.get_by_role("button", name="Show 3 newer steps")
    assert newer.inner_text() == "↓ 3 newer"
    newer.click()
    assert steps.evaluate(at_end)
    assert not newer.is_visible()


def test_every_focusable_element_keeps_the_notebooks_shortcuts_asleep(frame: FramePage) -> None:
    frame.tell(runs.stamped(runs.asking()))
    naked = frame.page.evaluate(
        """() => [...document.querySelectorAll('#frame :is(button, a, textarea, summary, [tabindex])')]
                  .filter(e => e.getAttribute('data-lm-suppress-shortcuts') !== 'true').map(e => e.outerHTML)"""
    )
    assert naked == []


def test_roles_and_names_of_the_frame(frame: FramePage) -> None:
    frame.tell(runs.stamped(runs.asking()))
    page = frame.page
    assert page.get_by_role("region", name="tah run 4").count() == 1
    assert page.get_by_role("list", name="Plan, 2 of 4 done").get_by_role("listitem").count() == 4
    assert page.get_by_role("listitem", name="Done: Look at data and loader").count() == 1
    assert page.get_by_role("group", name="Waiting for you, 24 seconds").count() == 1
    group = page.get_by_role("group", name="Approval 1 of 2: Edit src/load.py, 1 line added, 1 removed")
    assert group.count() == 1
    assert page.get_by_role("region", name="Changes to src/load.py").get_by_role("table").count() == 1
    labels = [button.inner_text() for button in page.locator(".tah-buttons button:visible").all()]
    assert labels == ["Allow once", "Allow edits in src/ for this run", "Deny", "Deny and say why…"]
    described = group.get_attribute("aria-describedby")
    assert page.locator(f"#{described}").inner_text() == "Asks because: in mode Ask every edit asks"
    page.get_by_role("button", name="Next approval").click()
    assert page.get_by_role("group", name="Approval 2 of 2: Run pytest -q, in ~/churn").count() == 1


@pytest.mark.parametrize("width", [400, 900])
def test_targets_are_large_enough_and_nothing_is_wider_than_the_page(chromium: Browser, width: int) -> None:
    frame = FramePage(chromium, width=width)
    frame.tell(runs.stamped(runs.asking()))
    least = 44 if width <= 480 else 24
    for target in frame.page.locator(".tah-buttons button:visible").all():
        box = target.bounding_box()
        assert box is not None
        assert (box["height"] >= least, box["width"] >= least) == (True, True)
    assert frame.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    frame.page.context.close()


def test_a_page_that_knows_nothing_is_told_everything_again(frame: FramePage) -> None:
    frame.tell(runs.stamped(runs.asking()))
    before = frame.page.locator("#frame").inner_text()
    whole = frame.live.message(frame.transcript.run(4), now=1_000.0, whole=True)
    assert whole is not None
    frame.say(whole)
    again = frame.page.locator("#frame").inner_text()
    assert [line for line in again.split("\n") if "◆" not in line] == [
        line for line in before.split("\n") if "◆" not in line
    ]
    assert frame.page.locator(".tah-card").count() == 1


def test_streamed_text_is_the_text_that_was_said(frame: FramePage) -> None:
    frame.tell([RunStarted(run=1, prompt="x"), MessageStarted(run=1, message="m1")])
    text = runs.STORY
    for at in range(0, len(text), 5):
        frame.tell([TextDelta(run=1, message="m1", text=text[at : at + 5])])
    streamed = frame.page.locator(".tah-said").text_content()
    frame.tell([MessageFinished(run=1, message="m1", text=text)])
    assert frame.page.locator(".tah-said").text_content() == streamed
    assert streamed is not None
    assert "March loses 12 rows" in streamed


def test_long_text_is_laid_out_in_parts_and_nothing_of_it_is_lost(frame: FramePage) -> None:
    lines = [f"line {n} of a long script" for n in range(2_000)]
    frame.tell([RunStarted(run=1, prompt="x"), ask(view=Command(("sh", "-c", "\n".join(lines))))])
    parts = frame.page.locator(".tah-argv li").nth(2)
    assert parts.evaluate("e => e.textContent") == "\n".join(lines)


def test_nothing_is_fetched_and_nothing_hostile_becomes_an_element(frame: FramePage) -> None:
    hostile = (
        '<img src=x onerror=alert(1)><script>alert(1)</script>![p](http://evil.example/p.png)<a href="javascript:x">'
    )
    frame.tell(
        [
            RunStarted(run=1, prompt=hostile, model=hostile, host=hostile),
            MessageFinished(run=1, message="m1", text=hostile + "\n\n[x](javascript:alert(1))"),
            Notice(run=1, text=hostile),
            ask(view=Command(("echo", hostile))),
        ]
    )
    assert frame.page.locator("#frame img, #frame script, #frame iframe").count() == 0
    links = frame.page.eval_on_selector_all("#frame a", "all => all.map(a => a.href)")
    assert links == ["http://evil.example/p.png"]
    assert [url.rsplit("/", 1)[1] for url in frame.requests] == ["", "tah.js"]


def test_forged_nodes_are_drawn_as_text(frame: FramePage) -> None:
    start(frame)
    nodes = [
        ["script", "", {}, ["alert(1)"]],
        ["a", "", {"href": "javascript:alert(1)", "onclick": "alert(1)"}, ["x"]],
        ["img", "", {"src": "http://evil.example/x.png", "onerror": "alert(1)"}, []],
        ["iframe", "", {"src": "http://evil.example"}, []],
    ]
    row = {"kind": "said", "from": 0, "pieces": [nodes]}
    frame.say({"type": "patch", "order": ["m1"], "rows": {"m1": row}})
    html = frame.page.locator(".tah-said").inner_html()
    assert json.dumps(html) == json.dumps(
        '<div class="tah-part"><div class="tah-piece"><span>alert(1)</span><a>x</a><img><span></span></div></div>'
    )


def test_at_the_end_the_frame_becomes_its_record_and_keeps_focus(frame: FramePage) -> None:
    records = runs.stamped(runs.finished())
    frame.tell(records[:-1])
    frame.page.get_by_role("list", name="Steps").focus()
    frame.tell(records[-1:])
    assert frame.page.locator("#frame button").count() == 0
    assert frame.page.get_by_text("take back").count() == 0
    assert focused(frame).startswith("tah · run 4 · ✓ Done · 1 file changed")
    spoken = frame.page.locator("#tah-live-polite").inner_text()
    assert spoken == "Done in 45 seconds. 1 file changed."


def test_leaving_takes_everything_of_the_frame_off_the_page(frame: FramePage) -> None:
    start(frame)
    frame.page.evaluate("window.leave()")
    assert frame.page.title() == "march.ipynb"
    assert frame.page.locator(".tah-chip").count() == 0


def test_a_card_out_of_view_is_offered_at_the_edge_of_the_page(frame: FramePage) -> None:
    frame.page.evaluate("document.getElementById('frame').style.marginTop = '3000px'")
    start(frame)
    chip = frame.page.get_by_role("button", name="1 approval waiting · Show")
    chip.click()
    assert frame.page.locator(".tah-card").is_visible()
    chip.wait_for(state="detached")
