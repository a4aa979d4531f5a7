"""The widget: nothing but an id and a language in its state; commands in, messages out."""

import threading
from typing import Any

import pytest

from tah_jupyter.core.approvals import Allow, CommandSubject, Deny, Grant
from tah_jupyter.core.calls import Headline
from tah_jupyter.core.commands import AnswerApproval, Stop
from tah_jupyter.core.events import ApprovalAnswered, ApprovalRequested, Event, RunEnded, RunStarted
from tah_jupyter.core.views import Code, Command, View
from tah_jupyter.ui.cards import MAX_CHARS
from tah_jupyter.ui.notebook import Frame, FromPage, Hello
from tah_jupyter.ui.transcript import Transcript


class Side:
    """The kernel's side of one frame."""

    def __init__(self, *records: Event, language: str = "en") -> None:
        self.frame = Frame(run=1, language=language)
        self.heard: list[FromPage] = []
        self.frame.on_command(self.heard.append)
        self.transcript = Transcript.of([RunStarted(run=1, prompt="x"), *records])

    def update(self) -> list[dict[str, Any]]:
        return self.frame.update(self.transcript.run(1), now=1.0)

    def page(self, content: object) -> None:
        """A message as ipywidgets hands it over."""
        self.frame._handle_custom_msg(content, [])


def ask(*, grant: bool = True, view: View | None = None) -> ApprovalRequested:
    covers = Grant("x", CommandSubject(("x",))) if grant else None
    command = view or Command(("x",))
    return ApprovalRequested(
        run=1, approval="a1", call="c1", tool="t", headline=Headline("Run", "x"), view=command, grant=covers
    )


def test_the_state_that_may_be_saved_holds_a_height_and_a_language_only() -> None:
    side = Side(ask(view=Code("secret = 1")), language="zh")
    side.update()
    state = side.frame.get_state()
    ours = {
        key: value
        for key, value in state.items()
        if not key.startswith("_") and key not in ("layout", "tabbable", "tooltip")
    }
    assert ours == {"language": "zh", "height": 0}
    assert "secret" not in str(state)


def test_the_first_update_draws_and_later_ones_patch() -> None:
    side = Side()
    (draw,) = side.update()
    assert (draw["type"], draw["run"], draw["language"]) == ("draw", 1, "en")
    assert side.update() == []
    side.transcript.apply(ask())
    (patch,) = side.update()
    assert patch["type"] == "patch"


def test_a_hello_is_heard_and_answered_with_everything() -> None:
    side = Side(ask())
    side.update()
    side.page({"type": "hello", "page": "p2"})
    assert side.heard == [Hello("p2")]
    assert side.frame.pages == ("p2",)
    (draw,) = side.update()
    assert (draw["type"], list(draw["bodies"])) == ("draw", ["a1"])
    side.frame.redraw()
    assert side.update()[0]["type"] == "draw"


@pytest.mark.parametrize(
    ("answer", "command"),
    [
        ({"answer": "allow", "scope": "once"}, Allow("once")),
        ({"answer": "allow", "scope": "run"}, Allow("run")),
        ({"answer": "deny", "reason": "use %Y"}, Deny("use %Y")),
    ],
)
def test_answers_become_commands_and_are_acknowledged(answer: dict[str, str], command: Allow | Deny) -> None:
    side = Side(ask())
    side.update()
    side.page({"type": "answer", "id": 7, "approval": "a1", **answer})
    assert side.heard == [AnswerApproval("a1", command)]
    assert side.update() == [{"type": "ack", "id": 7, "late": False}]


def test_stop_becomes_a_command() -> None:
    side = Side()
    side.update()
    side.page({"type": "stop", "id": 3})
    assert side.heard == [Stop(1)]
    assert side.update() == [{"type": "ack", "id": 3, "late": False}]


def test_a_late_answer_does_nothing_and_is_told_so() -> None:
    side = Side(ask(), ApprovalAnswered(run=1, approval="a1", call="c1", outcome="denied"))
    side.update()
    side.page({"type": "answer", "id": 1, "approval": "a1", "answer": "allow"})
    side.page({"type": "answer", "id": 2, "approval": "of another kernel", "answer": "allow"})
    assert side.heard == []
    assert [ack["late"] for ack in side.update()] == [True, True]


@pytest.mark.parametrize(
    "content",
    [
        None,
        "allow",
        {},
        {"type": "allow"},
        {"type": "answer", "approval": "a1", "answer": "allow"},
        {"type": "answer", "id": 1, "approval": "a1", "answer": "yes"},
        {"type": "answer", "id": 1, "approval": "a1", "answer": "allow", "scope": "always"},
        {"type": "answer", "id": 1, "approval": ["a1"], "answer": "allow"},
        {"type": "stop", "id": "x"},
        {"type": "hello"},
    ],
)
def test_what_is_not_a_command_of_ours_does_nothing(content: object) -> None:
    side = Side(ask())
    side.update()
    side.page(content)
    assert side.heard == []


def test_only_what_the_card_offered_can_be_allowed() -> None:
    side = Side(ask(grant=False))
    side.update()
    side.page({"type": "answer", "id": 1, "approval": "a1", "answer": "allow", "scope": "run"})
    assert side.heard == []


def test_what_is_too_long_to_be_shown_can_only_be_denied() -> None:
    side = Side(ask(view=Code("x" * (MAX_CHARS + 1))))
    (draw,) = side.update()
    body = draw["bodies"]["a1"]
    assert (body["allowable"], body["allow_run"]) == (False, "")
    assert body["body"] == [
        "This is too long to be shown whole, so it cannot be allowed. Deny it and ask for a smaller step."
    ]
    side.page({"type": "answer", "id": 1, "approval": "a1", "answer": "allow"})
    assert side.heard == []
    side.page({"type": "answer", "id": 2, "approval": "a1", "answer": "deny"})
    assert side.heard == [AnswerApproval("a1", Deny(""))]


def test_only_pages_that_were_reloaded_are_given_the_record_to_keep() -> None:
    for pages, keeps in ((["p1", "p1"], False), (["p1", "p2"], True)):
        side = Side()
        for page in pages:
            side.page({"type": "hello", "page": page})
        (draw,) = side.update()
        assert draw["model_id"] == side.frame.model_id
        side.transcript.apply(RunEnded(run=1, reason="end_turn"))
        (closed,) = side.update()
        assert closed["type"] == "closed"
        assert ("text/html" in closed.get("keep", {})) == keeps


def test_messages_may_arrive_on_another_thread_while_the_frame_is_updated() -> None:
    side = Side()
    side.update()

    def press() -> None:
        for number in range(200):
            side.page({"type": "stop", "id": number})

    presser = threading.Thread(target=press)
    presser.start()
    acks: list[int] = []
    while presser.is_alive():
        acks += [message["id"] for message in side.update() if message["type"] == "ack"]
    acks += [message["id"] for message in side.update() if message["type"] == "ack"]
    assert acks == list(range(200))


def test_a_language_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="no words"):
        Frame(run=1, language="xx")
