"""What counts as an answer at input(), and what the person reads first."""

import sys
from collections.abc import Callable

import pytest
from IPython.core.error import StdinNotImplementedError

from tah_jupyter.core.approvals import Allow, Answer, Deny, Grant, PathSubject
from tah_jupyter.core.calls import Headline
from tah_jupyter.core.errors import TahError
from tah_jupyter.core.views import Text
from tah_jupyter.jupyter.question import ask_until_answered, choices, read_answer
from tah_jupyter.ui.cards import MAX_CHARS
from tah_jupyter.ui.run_view import Approval
from tah_jupyter.ui.words import Words

GRANT = Grant("edits in src/", PathSubject("edit", "src/load.py"))


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
        ("1", None), ("a", None), ("y!", None), ("ｙ", None),
    ],
)  # fmt: skip
def test_only_a_clear_answer_is_one(text: str, answer: Answer | None) -> None:
    assert read_answer(text, can_grant=True) == answer


def test_r_is_no_answer_where_there_is_nothing_to_grant() -> None:
    assert read_answer("r", can_grant=False) is None
    assert "r allow" not in choices(approval(grant=None))


def test_it_asks_until_it_has_one_and_shows_the_whole_question_first(capsys: pytest.CaptureFixture[str]) -> None:
    read, prompts = typing("", "hm", "?", "y")
    assert ask_until_answered(approval(), Words(), read) == Allow()
    shown = capsys.readouterr().out
    assert len(prompts) == 4
    assert all(part in shown for part in ("Approval 1 of 2", "Edit src/load.py", "+ new", "every edit asks"))
    assert shown.count("Nothing else is an answer") == 1
    assert "r allow edits in src/ for this run" in prompts[0]
    assert prompts[0].startswith("Edit src/load.py +1 −1\n"), "some front ends show only the prompt"


def test_a_reason_is_repeated_as_it_was_told(capsys: pytest.CaptureFixture[str]) -> None:
    read, _ = typing("not this file")
    assert ask_until_answered(approval(), Words(), read) == Deny("not this file")
    assert "denied, told the agent: not this file" in capsys.readouterr().out


@pytest.mark.parametrize("error", [EOFError, StdinNotImplementedError])
def test_a_closed_input_is_nobody_and_no_answer(error: type[Exception], capsys: pytest.CaptureFixture[str]) -> None:
    def read(prompt: str) -> str:
        raise error

    assert ask_until_answered(approval(), Words(), read) is None


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


def test_what_was_typed_ahead_is_dropped_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    import os
    import pty
    import termios

    ours, theirs = pty.openpty()
    settings = termios.tcgetattr(theirs)
    settings[3] &= ~termios.ICANON
    termios.tcsetattr(theirs, termios.TCSANOW, settings)
    with os.fdopen(theirs) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        os.write(ours, b"y\n")
        seen: list[bytes] = []

        def read(prompt: str) -> str:
            os.set_blocking(terminal.fileno(), False)
            try:
                seen.append(os.read(terminal.fileno(), 10))
            except BlockingIOError:
                seen.append(b"")
            return "n"

        assert ask_until_answered(approval(), Words(), read) == Deny()
    os.close(ours)
    assert seen == [b""]
