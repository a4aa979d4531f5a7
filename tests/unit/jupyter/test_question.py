"""What counts as an answer at input(), and what the person reads first."""

import os
import pty
import select
import sys
import termios
from collections.abc import Callable

import pytest
from IPython.core.error import StdinNotImplementedError

from tah_jupyter.core.approvals import Allow, Answer, Deny, Grant, PathSubject
from tah_jupyter.core.calls import Headline
from tah_jupyter.core.errors import TahError
from tah_jupyter.core.questions import Choice, Question, Reply
from tah_jupyter.core.views import Text
from tah_jupyter.jupyter.question import ask_question, ask_until_answered, read_answer
from tah_jupyter.ui.cards import MAX_CHARS
from tah_jupyter.ui.run_view import Approval
from tah_jupyter.ui.terminal_text import Line
from tah_jupyter.ui.words import Words

GRANT = Grant("edits in src/", PathSubject("edit", "src/load.py"))
FOLDER = Question(
    "q1",
    "Work in your whole home folder?",
    (Choice("use", "Use ~"), Choice("disk", "Use /", "never", enabled=False), Choice("cancel", "Cancel")),
    detail="looked at: .git\nfound: nothing",
    remember="Remember for this folder",
    remembers=True,
)


def approval(grant: Grant | None = GRANT, view: str = "− old\n+ new", target: str = "src/load.py") -> Approval:
    return Approval(
        id="a1", call="c1", tool="edit_file", headline=Headline("Edit", target, "+1 −1"), view=Text(view),
        asks_because=("every edit asks",), grant=grant, number=1, total=2, outcome=None, scope=None, reason="",
    )  # fmt: skip


def typing(*texts: str) -> tuple[Callable[[str], str], list[str]]:
    prompts: list[str] = []
    left = list(texts)

    def read(prompt: str) -> str:
        prompts.append(prompt)
        return left.pop(0)

    return read, prompts


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("y", Allow()), ("yes", Allow()), (" YES ", Allow()), ("r", Allow("run")), ("n", Deny()), ("No", Deny()),
        ("use dayfirst instead", Deny("use dayfirst instead")), ("yes please", Deny("yes please")),
        ("y y", Deny("y y")), ("", None), ("   ", None), ("?", None), ("ok", None), ("sure", None), ("yy", None),
        ("1", None), ("a", None), ("e", None), ("y!", None), ("ｙ", None),
    ],
)  # fmt: skip
def test_only_a_clear_answer_is_one(text: str, answer: Answer | None) -> None:
    assert read_answer(text, can_grant=True) == answer


def test_r_is_no_answer_where_there_is_nothing_to_grant() -> None:
    assert read_answer("r", can_grant=False) is None


def test_it_asks_until_it_has_one_and_shows_the_whole_question_first(capsys: pytest.CaptureFixture[str]) -> None:
    read, prompts = typing("", "hm", "?", "y")
    assert ask_until_answered(approval(), Words(), read) == Allow()
    shown = capsys.readouterr().out
    assert len(prompts) == 4
    assert all(part in shown for part in ("approval 1 of 2", "Edit src/load.py", "+ new", "every edit asks"))
    assert shown.count("Nothing else is an answer") == 1


def test_a_front_end_that_shows_only_the_field_reads_the_question_in_it() -> None:
    read, prompts = typing("n")
    ask_until_answered(approval(), Words(), read)
    assert prompts == [
        "Edit src/load.py +1 -1\n"
        "y allow once | r allow edits in src/ for this run | n deny | ? more\n"
        "or type what it should do instead\n"
        "allow? "
    ]


def test_a_terminal_reads_it_once_above_its_prompt() -> None:
    lines: list[Line] = []
    read, prompts = typing("", "y")
    assert ask_until_answered(approval(), Words(), read, show=lines.extend, width=60) == Allow()
    assert prompts == ["allow? ", "allow? "]
    assert [line.text for line in lines].count("or type what it should do instead") == 1


def test_a_reason_is_repeated_as_it_was_told(capsys: pytest.CaptureFixture[str]) -> None:
    read, _ = typing("not this file")
    assert ask_until_answered(approval(), Words(), read) == Deny("not this file")
    assert "denied, told the agent: not this file" in capsys.readouterr().out


def test_chinese_asks_in_chinese() -> None:
    read, prompts = typing("y")
    ask_until_answered(approval(), Words("zh"), read)
    assert "y 允许一次 | r 本次运行内允许编辑 src/load.py/ | n 拒绝 | ? 更多" in prompts[0]
    assert prompts[0].endswith("允许吗？ ")


@pytest.mark.parametrize("error", [EOFError, StdinNotImplementedError])
def test_a_closed_input_is_nobody_and_no_answer(error: type[Exception], capsys: pytest.CaptureFixture[str]) -> None:
    def read(prompt: str) -> str:
        raise error

    assert ask_until_answered(approval(), Words(), read) is None
    assert ask_question(FOLDER, Words(), read) is None


def test_bytes_that_are_no_text_are_no_answer() -> None:
    answers = iter([b"y\xff", b"n"])
    assert ask_until_answered(approval(), Words(), lambda _: next(answers).decode()) == Deny()


def test_a_reason_with_half_a_character_can_be_logged() -> None:
    read, _ = typing("use \udcff instead")
    assert ask_until_answered(approval(), Words(), read) == Deny("use ? instead")


def test_what_is_too_long_to_be_shown_whole_is_refused_without_a_question() -> None:
    read, prompts = typing("y")
    with pytest.raises(TahError, match="too long to be shown whole"):
        ask_until_answered(approval(view="x" * (MAX_CHARS + 1)), Words(), read)
    assert prompts == []


def test_hidden_characters_cannot_hide_in_the_question(capsys: pytest.CaptureFixture[str]) -> None:
    read, prompts = typing("n")
    ask_until_answered(approval(view="rm \u202egpj.x", target="a\u202eb\ny allow once"), Words(), read)
    shown = capsys.readouterr().out + prompts[0]
    assert "\u202e" not in shown
    assert "\\u202e" in shown
    assert prompts[0].count("\n") == 3, "a target cannot add lines of its own"


def test_what_is_typed_while_the_question_appears_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    settings = termios.tcgetattr(theirs)
    settings[3] &= ~termios.ICANON
    termios.tcsetattr(theirs, termios.TCSANOW, settings)
    with os.fdopen(theirs) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        os.write(ours, b"y\n")
        seen: list[list[int]] = []

        def read(prompt: str) -> str:
            seen.append(select.select([terminal.fileno()], [], [], 0)[0])
            return "n"

        assert ask_until_answered(approval(), Words(), read) == Deny()
    os.close(ours)
    assert seen == [[]]


@pytest.mark.parametrize(
    ("typed", "reply"),
    [
        (["1", ""], Reply("use", remember=True)),
        (["Use ~", "n"], Reply("use", remember=False)),
        (["", "9", "disk", "1", "what", "YES"], Reply("use", remember=True)),
        (["2"], Reply("cancel")),
        (["cancel"], Reply("cancel")),
    ],
)
def test_a_question_asks_until_a_choice_is_taken(typed: list[str], reply: Reply) -> None:
    read, prompts = typing(*typed)
    assert ask_question(FOLDER, Words(), read, show=lambda _: None) == reply
    assert len(prompts) == len(typed)


def test_what_is_no_choice_is_told_why_and_how_to_get_away() -> None:
    lines: list[Line] = []
    read, _ = typing("", "disk", "?", "2")
    ask_question(FOLDER, Words(), read, show=lines.extend)
    shown = [line.text for line in lines]
    assert "Type one of the numbers, or a name as it stands there; 2 is: Cancel." in shown
    assert "Use / cannot be chosen: never" in shown
    assert "found: nothing" in shown


def test_the_box_says_what_enter_means() -> None:
    read, prompts = typing("1", "")
    ask_question(FOLDER, Words(), read, show=lambda _: None)
    assert prompts[-1] == "Remember for this folder [Y/n] "


def test_a_field_shows_the_choices_beside_it() -> None:
    read, prompts = typing("2")
    ask_question(FOLDER, Words(), read)
    assert "  1  Use ~\n" in prompts[0]
    assert prompts[0].endswith("choose? ")
