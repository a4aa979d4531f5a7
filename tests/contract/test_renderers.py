"""One body over every renderer: whatever a run carries, it is shown as text, on its line, with nothing hidden."""

import json
from collections.abc import Callable

import pytest

from tah_jupyter.core.calls import Change, Headline, Todo
from tah_jupyter.core.events import (
    ApprovalAnswered,
    ApprovalRequested,
    Event,
    Notice,
    PermissionGranted,
    RunStarted,
    TodosUpdated,
    ToolFinished,
    ToolStarted,
)
from tah_jupyter.core.views import Items
from tah_jupyter.ui.live import Live
from tah_jupyter.ui.record import checkpoint, record
from tah_jupyter.ui.run_view import RunView
from tah_jupyter.ui.terminal import Scroll
from tah_jupyter.ui.terminal_card import answers, approval_card
from tah_jupyter.ui.text import plain_record
from tah_jupyter.ui.transcript import Transcript
from tah_jupyter.ui.visible import visible
from tah_jupyter.ui.words import LANGUAGES, Words
from tests.support import runs
from tests.support.cards import card
from tests.support.hostile import PAYLOADS, run_with

Renderer = Callable[[RunView, Words], str]


def live(view: RunView, words: Words) -> str:
    message = Live(words).message(view, now=2_000.0, whole=True)
    return json.dumps(message, ensure_ascii=False)


def terminal(view: RunView, words: Words) -> str:
    scroll = Scroll(words, rewrites=True)
    lines = scroll.news(view, now=2_000.0, width=79) + scroll.live(view, now=2_000.0, width=79)
    for approval in view.approvals:
        lines += approval_card(approval, words, 79) + answers(approval, words, 79)
    return "\n".join(line.text for line in [*lines, *scroll.ending(view, 79)])


RENDERERS: dict[str, Renderer] = {
    "html": lambda view, words: record(view, language=words.language)["text/html"],
    "markdown": lambda view, words: record(view, language=words.language)["text/markdown"],
    "plain": lambda view, words: plain_record(view, words),
    "whole plain": lambda view, words: plain_record(view, words, max_lines=None),
    "checkpoint": lambda view, words: "\n".join(checkpoint(view, saved_ts=0.0, language=words.language).values()),
    "frame": live,
    "terminal": terminal,
    "card": lambda view, words: "\n".join(card(approval, words) for approval in view.approvals),
}

renderers = pytest.mark.parametrize("render", RENDERERS.values(), ids=RENDERERS)
languages = pytest.mark.parametrize("language", LANGUAGES)
STATES = (runs.looked, runs.streaming, runs.asking, runs.running, runs.finished)


def view_of(payload: str, *, ended: bool = True) -> RunView:
    return Transcript.of(runs.stamped(run_with(payload, ended=ended))).run(runs.RUN)


@renderers
@languages
def test_every_state_of_a_run_can_be_drawn(render: Renderer, language: str) -> None:
    for events in STATES:
        view = Transcript.of(runs.stamped(events())).run(runs.RUN)
        render(view, Words(language)).encode()


@renderers
@languages
@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
@pytest.mark.parametrize("ended", [True, False])
def test_nothing_hidden_is_left_in_any_output(render: Renderer, language: str, payload: str, ended: bool) -> None:
    drawn = render(view_of(payload, ended=ended), Words(language))
    assert visible(drawn, prose=True).hidden == ()
    drawn.encode()


@renderers
def test_a_lone_surrogate_does_not_break_a_renderer(render: Renderer) -> None:
    assert "\\udc80" in render(view_of("file\udc80name"), Words()).replace("\\\\", "\\")


@renderers
def test_the_name_of_a_file_cannot_add_a_line_of_its_own(render: Renderer) -> None:
    headline = Headline("Edit", "a.py\nFORGED", "+1\nFORGED")
    records: list[Event] = [
        RunStarted(prompt="x", model="m\nFORGED", host="h\nFORGED"),
        TodosUpdated(todos=(Todo("look\nFORGED", "in_progress"),)),
        Notice(text="slow\nFORGED"),
        ApprovalRequested(
            approval="a1",
            call="c1",
            tool="t",
            headline=headline,
            view=Items(("x\nFORGED",)),
            asks_because=("y\nFORGED",),
        ),
        ApprovalAnswered(approval="a1", call="c1", outcome="allowed"),
        PermissionGranted(call="c1", tool="t", source="rule", rule="r\nFORGED"),
        ToolStarted(call="c1", tool="t", headline=headline),
        ToolFinished(call="c1", tool="t", text="", changes=(Change("a.py\nFORGED"),)),
    ]
    drawn = render(Transcript.of(runs.stamped(iter(records))).run(runs.RUN), Words())
    assert "FORGED" in drawn
    assert [line for line in drawn.split("\n") if line.strip().startswith("FORGED")] == []


@renderers
def test_a_tool_that_nobody_knows_is_drawn_by_every_renderer(render: Renderer) -> None:
    drawn = render(view_of("a tool from elsewhere"), Words())
    assert "a tool from elsewhere" in drawn
