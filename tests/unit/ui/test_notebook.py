"""The widget: nothing but an id and a language in its state; commands in, messages out."""

import re
import threading
from pathlib import Path
from typing import Any

import pytest

from tah_jupyter.core.approvals import Allow, CommandSubject, Deny, Grant
from tah_jupyter.core.calls import Headline
from tah_jupyter.core.commands import (
    AddNote,
    AnswerApproval,
    AnswerQuestion,
    EndCall,
    Release,
    SendNote,
    Stop,
    WithdrawNote,
)
from tah_jupyter.core.events import (
    ApprovalAnswered,
    ApprovalRequested,
    Event,
    NoteQueued,
    QuestionAnswered,
    QuestionAsked,
    RunEnded,
    RunStarted,
    ToolFinished,
    ToolStarted,
)
from tah_jupyter.core.questions import Choice, Question, Reply
from tah_jupyter.core.views import Code, Command, View
from tah_jupyter.ui import page_script
from tah_jupyter.ui.cards import MAX_CHARS
from tah_jupyter.ui.notebook import Frame, FromPage, Hello
from tah_jupyter.ui.page_script import STYLES, script
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


QUESTION = Question(
    "q1",
    "Which model?",
    (Choice("a", "A"), Choice("b", "B", "no key", enabled=False), Choice("cancel", "Cancel")),
    remember="Remember",
)


def test_a_request_that_is_held_is_drawn_and_its_run_takes_the_frame_over() -> None:
    frame = Frame(run=0)
    held = Transcript.of([RunStarted(run=0, prompt="x"), QuestionAsked(run=0, question=QUESTION)]).run(0)
    (draw,) = frame.update(held, now=1.0)
    assert (draw["run"], draw["header"]["stops"], draw["notes"]["open"]) == (0, False, False)
    assert list(draw["bodies"]) == ["question:q1"]
    run = Transcript.of([RunStarted(run=3, prompt="x", model="m")]).run(3)
    (again,) = frame.update(run, now=2.0)
    assert (again["type"], again["run"], again["cards"], again["header"]["stops"]) == ("draw", 3, [], True)
    heard: list[FromPage] = []
    frame.on_command(heard.append)
    frame._handle_custom_msg({"type": "stop", "id": 1}, [])
    assert heard == [Stop(3)]


def test_a_held_request_that_is_taken_back_leaves_a_line_where_the_kernel_cannot() -> None:
    for pages, keeps in ((["p1"], False), (["p1", "p2"], True)):
        frame = Frame(run=0)
        for page in pages:
            frame._handle_custom_msg({"type": "hello", "page": page}, [])
        (closed,) = frame.withdrawn()
        assert (closed["type"], closed["record"]) == ("closed", [["div", "", {}, ["■ Stopped by you"]]])
        assert ("keep" in closed) == keeps


def test_a_reply_to_a_question_that_waits_becomes_a_command() -> None:
    side = Side(QuestionAsked(run=1, question=QUESTION))
    side.update()
    side.page({"type": "reply", "id": 1, "question": "q1", "key": "a", "remember": True})
    assert side.heard == [AnswerQuestion("q1", Reply("a", remember=True))]
    assert side.update() == [{"type": "ack", "id": 1, "late": False}]


def test_only_what_a_question_offers_can_be_replied() -> None:
    side = Side(QuestionAsked(run=1, question=QUESTION))
    side.update()
    for key in ("b", "", "c", "A"):
        side.page({"type": "reply", "id": 1, "question": "q1", "key": key})
    side.page({"type": "reply", "id": 2, "question": "q2", "key": "a"})
    assert side.heard == []
    assert [ack["late"] for ack in side.update()] == [False, False, False, False, True]
    side.transcript.apply(QuestionAnswered(run=1, question="q1", key="cancel"))
    side.update()
    side.page({"type": "reply", "id": 3, "question": "q1", "key": "a"})
    assert side.heard == []


def test_notes_become_commands_and_only_those_that_wait_can_be_taken_back() -> None:
    side = Side(NoteQueued(run=1, note="n1", text="one"))
    side.update()
    side.page({"type": "note", "id": 1, "note": "n2", "text": "two"})
    side.page({"type": "send", "id": 2, "note": "n1"})
    side.page({"type": "withdraw", "id": 3, "note": "n1"})
    side.page({"type": "withdraw", "id": 4, "note": "n9"})
    assert side.heard == [AddNote("n2", "two", 1), SendNote("n1"), WithdrawNote("n1")]
    assert [ack["late"] for ack in side.update()] == [False, False, False, True]


@pytest.mark.parametrize(("note", "text"), [("n 1", "x"), ("", "x"), ("n" * 65, "x"), ("n1", ""), ("n1", "x" * 10_001)])
def test_notes_that_no_field_of_ours_sends_do_nothing(note: str, text: str) -> None:
    side = Side()
    side.update()
    side.page({"type": "note", "id": 1, "note": note, "text": text})
    assert (side.heard, side.update()) == ([], [])


def test_a_note_of_blanks_is_none() -> None:
    side = Side()
    side.update()
    side.page({"type": "note", "id": 1, "note": "n1", "text": " \n "})
    assert side.heard == []


def test_only_a_call_that_runs_and_does_not_fold_can_be_ended() -> None:
    look = ToolStarted(run=1, call="look", tool="t", headline=Headline("Read", "x"), folds=True)
    side = Side(ToolStarted(run=1, call="c", tool="t", headline=Headline("Run", "x")), look)
    side.update()
    for number, call in enumerate(("c", "look", "none"), 1):
        side.page({"type": "end", "id": number, "call": call})
    assert side.heard == [EndCall("c")]
    assert [ack["late"] for ack in side.update()] == [False, True, True]
    side.transcript.apply(ToolFinished(run=1, call="c", tool="t", text=""))
    side.update()
    side.page({"type": "end", "id": 4, "call": "c"})
    assert side.heard == [EndCall("c")]


def test_release_becomes_a_command() -> None:
    side = Side()
    side.update()
    side.page({"type": "release", "id": 1})
    assert side.heard == [Release(1)]


def test_the_page_is_sent_one_module_that_imports_nothing_and_says_each_thing_once() -> None:
    text = script()
    assert not re.search(r"^(import|export (?!default))", text, re.MULTILINE)
    assert text.count("export default") == 1
    names = re.findall(r"^(?:function|class|const|let) (\w+)", text, re.MULTILINE)
    assert sorted(names) == sorted(set(names))
    files = [path for path in Path(page_script.__file__).with_name("static").iterdir() if path.is_file()]
    code = [path for path in files if path.suffix == ".js"]
    assert all(_first_line(path) in text for path in code), "every module is there"
    assert {path.name for path in files if path.suffix == ".css"} == set(STYLES)


def _first_line(path: Path) -> str:
    return path.read_text(encoding="utf-8").split("\n", 1)[0]
