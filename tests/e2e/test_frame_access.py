"""The frame for who does not see it, or not as drawn: Chromium's own accessibility tree, forced colours, no motion."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from tah_jupyter.core.events import Event
from tests.support import questions, runs
from tests.support.frame_page import FramePage

pytestmark = pytest.mark.chromium

STATES: dict[str, Callable[[], Iterator[Event]]] = {
    "a held request": questions.held,
    "a failure": questions.refused,
    "notes": questions.noted,
    "an approval": runs.asking,
    "a running command": runs.running,
}

Tree = list[tuple[str, str]]


def show(frame: FramePage, state: str) -> None:
    run = 0 if state == "a held request" else runs.RUN
    records = runs.stamped(STATES[state](), run=run)
    frame.tell(records, now=records[-1].ts)


def tree_of(frame: FramePage) -> Tree:
    """Role and name of everything that assistive technology is offered of the page, in order."""
    session = frame.page.context.new_cdp_session(frame.page)
    nodes: list[dict[str, Any]] = session.send("Accessibility.getFullAXTree")["nodes"]
    by_id = {node["nodeId"]: node for node in nodes}

    def walk(node: dict[str, Any]) -> Iterator[tuple[str, str]]:
        if not node.get("ignored", False):
            yield node["role"]["value"], node.get("name", {}).get("value", "")
        for child in node.get("childIds", ()):
            yield from walk(by_id[child])

    return list(walk(nodes[0]))


def test_an_approval_as_the_accessibility_tree_has_it(frame: FramePage) -> None:
    show(frame, "an approval")
    tree = tree_of(frame)
    expected = [
        ("region", "tah run 4"),
        ("button", "Taller"),
        ("button", "Release cell: go on in the background"),
        ("button", "Stop run 4"),
        ("group", "Waiting for you, 24 seconds"),
        ("list", "Plan, 2 of 4 done"),
        ("listitem", "Done: Look at data and loader"),
        ("listitem", "Now: Fix it"),
        ("list", "Steps"),
        ("button", "Find the cause · 1 step"),
        ("group", "Approval 1 of 2: Edit src/load.py, 1 line added, 1 removed"),
        ("button", "Previous approval"),
        ("region", "Changes to src/load.py"),
        ("button", "Allow once: Edit src/load.py"),
        ("button", "Allow edits in src/ for this run"),
        ("button", "Deny: Edit src/load.py"),
        ("button", "Deny and say why: Edit src/load.py"),
    ]
    assert [each for each in tree if each in expected] == expected
    said = " ".join(name for role, name in tree if role == "StaticText")
    assert "removed line 43" in said
    assert "added line 43" in said
    assert "▸" not in said.replace("▸ Fix it", ""), "the caret of what is folded is for the eye"


def test_a_question_as_the_accessibility_tree_has_it(frame: FramePage) -> None:
    show(frame, "a held request")
    tree = tree_of(frame)
    expected = [
        ("region", "tah"),
        ("group", questions.MODEL_CARD.title),
        ("radiogroup", questions.MODEL_CARD.title),
        ("radio", "qwen3:8b, Ollama · can use tools · loaded, window 4,096: small"),
        ("radio", "Anthropic, no key found"),
        ("checkbox", "Remember for all my notebooks"),
        ("button", "Use"),
        ("button", "Cancel"),
    ]
    assert [each for each in tree if each in expected] == expected


def test_notes_and_a_running_command_as_the_accessibility_tree_has_them(frame: FramePage) -> None:
    show(frame, "notes")
    expected = [
        ("list", "Queued notes"),
        ("button", "Send now (ends this step)"),
        ("button", "Withdraw note"),
        ("textbox", "Note to the agent"),
        ("button", "Send note"),
    ]
    tree = tree_of(frame)
    assert list(dict.fromkeys(each for each in tree if each in expected)) == expected
    show(frame, "a running command")
    tree = tree_of(frame)
    assert ("progressbar", "pytest -q, 16 of 30 seconds") in tree
    assert ("button", "End command: pytest -q") in tree


@pytest.mark.parametrize("state", STATES)
def test_everything_that_takes_focus_has_a_name_and_keeps_the_notebooks_keys_asleep(
    frame: FramePage, state: str
) -> None:
    show(frame, state)
    faults = frame.page.evaluate(
        """() => [...document.querySelectorAll('#frame :is(button, a, textarea, input, summary, [tabindex])')]
            .filter(e => e.checkVisibility())
            .filter(e => e.getAttribute('data-lm-suppress-shortcuts') !== 'true'
              || !(e.getAttribute('aria-label') || e.textContent || e.closest('label')?.textContent || '').trim())
            .map(e => e.outerHTML)"""
    )
    assert faults == []


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("width", [320, 400, 480, 1600])
def test_at_any_width_nothing_is_cut_off_and_targets_are_large_enough(
    chromium: Browser, state: str, width: int
) -> None:
    frame = FramePage(chromium, width=width)
    show(frame, state)
    least = 44 if width <= 480 else 24
    small = frame.page.evaluate(
        """least => [...document.querySelectorAll('.tah-buttons button, .tah-top button, .tah-notes button, .tah-end')]
            .filter(e => e.checkVisibility())
            .filter(e => e.offsetHeight < least || e.offsetWidth < 24 || e.scrollWidth > e.clientWidth + 1)
            .map(e => `${e.textContent} ${e.offsetWidth} × ${e.offsetHeight}`)""",
        least,
    )
    outside = frame.page.evaluate(
        """() => {
          const frame = document.querySelector('.tah-frame').getBoundingClientRect();
          return [...document.querySelectorAll('.tah-frame button')].filter(e => e.checkVisibility())
            .filter(e => { const r = e.getBoundingClientRect(); return r.left < frame.left || r.right > frame.right; })
            .map(e => e.textContent);
        }"""
    )
    wide = frame.page.evaluate("document.documentElement.scrollWidth > innerWidth")
    frame.page.context.close()
    assert (small, outside, wide) == ([], [], False)


def test_narrow_buttons_stand_two_by_two_and_the_scope_is_said_above(chromium: Browser) -> None:
    frame = FramePage(chromium, width=400)
    show(frame, "an approval")
    assert frame.page.locator(".tah-plan").inner_text().split() == ["Plan", "2/4", "▸", "Fix", "it"]
    assert frame.page.locator(".tah-scope").inner_text() == "Allow edits in src/ for this run"
    boxes = [each.bounding_box() for each in frame.page.locator(".tah-card > .tah-buttons button").all()]
    labels = [each.inner_text() for each in frame.page.locator(".tah-card > .tah-buttons button").all()]
    assert labels == ["Allow once", "Allow for this run", "Deny", "Deny and say why…"]
    places = [(round(box["x"]), round(box["y"])) for box in boxes if box is not None]
    assert places[0][1] == places[1][1] < places[2][1] == places[3][1]
    assert places[0][0] == places[2][0] < places[1][0] == places[3][0]
    frame.page.context.close()


@pytest.mark.parametrize("state", STATES)
def test_in_forced_colours_every_button_field_and_card_has_its_border(chromium: Browser, state: str) -> None:
    frame = FramePage(chromium)
    frame.page.emulate_media(forced_colors="active")
    show(frame, state)
    bare = frame.page.evaluate(
        """() => [...document.querySelectorAll('.tah-button, .tah-field, .tah-frame, .tah-card')]
            .filter(e => e.checkVisibility())
            .filter(e => { const s = getComputedStyle(e); return parseFloat(s.borderTopWidth) < 1
              || s.borderTopStyle === 'none' || s.borderTopColor === getComputedStyle(document.body).backgroundColor; })
            .map(e => e.className)"""
    )
    assert bare == []
    frame.page.context.close()


def test_in_forced_colours_added_and_removed_lines_differ_without_their_tint(chromium: Browser) -> None:
    frame = FramePage(chromium)
    frame.page.emulate_media(forced_colors="active")
    show(frame, "an approval")
    signs = frame.page.locator(".tah-card tr:is(.tah-added, .tah-removed) .tah-sign").all_inner_texts()
    assert signs == ["−", "+"]
    styles = frame.page.eval_on_selector_all(
        ".tah-card tr:is(.tah-added, .tah-removed) td:first-child",
        "all => all.map(e => getComputedStyle(e).borderInlineStartStyle)",
    )
    assert styles == ["dashed", "solid"]
    frame.page.context.close()


def test_a_focused_control_has_a_ring_of_two_pixels_also_in_forced_colours(chromium: Browser) -> None:
    for forced in ("none", "active"):
        frame = FramePage(chromium)
        frame.page.emulate_media(forced_colors=forced)
        show(frame, "an approval")
        frame.page.get_by_label("the next cell").focus()
        frame.page.keyboard.press("Shift+Tab")
        ring = frame.page.evaluate("(s => [s.outlineStyle, s.outlineWidth])(getComputedStyle(document.activeElement))")
        assert ring == ["solid", "2px"]
        frame.page.context.close()


def test_nothing_moves_for_who_wants_no_motion(chromium: Browser) -> None:
    for state in STATES:
        frame = FramePage(chromium)
        frame.page.emulate_media(reduced_motion="reduce")
        show(frame, state)
        moving = frame.page.evaluate(
            """() => [...document.querySelectorAll('#frame, #frame *')].filter(e => {
              const s = getComputedStyle(e);
              return s.animationName !== 'none' || s.transitionDuration.split(', ').some(d => parseFloat(d) > 0)
                || s.scrollBehavior === 'smooth';
            }).map(e => e.className)"""
        )
        frame.page.context.close()
        assert moving == []
