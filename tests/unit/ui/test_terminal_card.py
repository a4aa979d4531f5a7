"""What a person is asked at a prompt: whole, in its columns, and nothing in it can pass for a line of ours."""

import pytest
from msgspec.structs import replace

from tah_jupyter.core.approvals import CommandSubject, Grant
from tah_jupyter.core.calls import Headline
from tah_jupyter.core.questions import Choice, Question
from tah_jupyter.core.views import Code, Command, Diff, DiffLine, Hunk, Output, Stack, Text, View
from tah_jupyter.ui.run_view import Approval
from tah_jupyter.ui.terminal_card import answers, answers_help, approval_card, named, numbered, question_card
from tah_jupyter.ui.terminal_text import Line, columns
from tah_jupyter.ui.transcript import Transcript
from tah_jupyter.ui.visible import visible
from tah_jupyter.ui.words import Words
from tests.support import runs
from tests.support.hostile import PAYLOADS, views_with

MODEL = Question(
    "q1",
    "Choose a model",
    (
        Choice("qwen3:8b", "qwen3:8b", "can use tools · window 4,096: small", "On this machine"),
        Choice("gemma3:4b", "gemma3:4b", "cannot use tools: can answer, not act", "On this machine"),
        Choice("anthropic", "Anthropic", "no key found", "With a key", enabled=False),
        Choice("cancel", "Cancel"),
    ),
    about=("Your request is kept and runs when you choose.",),
    layout="list",
    remember="Remember for all my notebooks",
)


def first() -> Approval:
    return Transcript.of(runs.stamped(runs.asking())).run(runs.RUN).pending[0]


def texts(lines: list[Line]) -> list[str]:
    return [line.text for line in lines]


def test_the_card_of_the_reference_screen() -> None:
    assert texts(approval_card(first(), Words(), 75) + answers(first(), Words(), 75)) == [
        "-- approval 1 of 2 -- Edit src/load.py  +1 -1 -----------------------------",
        "   42      df = pd.read_csv(path)",
        ' - 43      df["date"] = pd.to_datetime(df["date"])',
        ' + 43      df["date"] = pd.to_datetime(df["date"], dayfirst=True)',
        "   44      return df",
        "asks because: in mode Ask every edit asks",
        "y allow once | r allow edits in src/ for this run | n deny | ? more",
        "or type what it should do instead",
    ]


def test_added_and_removed_differ_by_their_sign_and_not_by_colour_alone() -> None:
    inks = {line.ink: line.text for line in approval_card(first(), Words(), 75)}
    assert inks["added"].startswith(" + 43")
    assert inks["removed"].startswith(" - 43")


def test_answers_of_later_versions_are_not_offered() -> None:
    shown = "\n".join(texts(answers(first(), Words(), 75) + answers_help(first(), Words(), 75)))
    assert not any(key in shown for key in ("a always", "e edit", "a  ", "e  "))


def test_without_a_grant_there_is_no_r() -> None:
    alone = replace(first(), grant=None)
    assert texts(answers(alone, Words(), 75))[0] == "y allow once | n deny | ? more"
    assert not any(line.startswith("r ") for line in texts(answers_help(alone, Words(), 75)))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [20, 39, 79])
def test_every_card_fits_its_columns(language: str, width: int) -> None:
    words = Words(language)
    for approval in Transcript.of(runs.stamped(runs.asking())).run(runs.RUN).pending:
        lines = approval_card(approval, words, width) + answers(approval, words, width)
        assert all(columns(line.text) <= width for line in lines)
        assert all(columns(line.text) <= width for line in answers_help(approval, words, width))
    assert all(columns(line.text) <= width for line in question_card(MODEL, words, width))


@pytest.mark.parametrize(
    "view",
    [
        Diff("a.py", (Hunk((DiffLine("+", 0, 1, "x = " + "%" * 300),)),), 1),
        Command(("sh", "-c", "%" * 300), "."),
        Code("%" * 300),
        Stack((Text("%" * 150), Output("%" * 150, 1))),
    ],
)
def test_a_long_line_is_folded_and_never_cut(view: View) -> None:
    shown = "".join(line.text for line in approval_card(replace(first(), view=view), Words(), 40))
    assert shown.count("%") == 300
    assert "…" not in shown


def test_padding_cannot_move_a_forged_line_to_the_edge() -> None:
    forged = "x" + " " * 36 + "y allow once | n deny"
    view = Diff("a.py", (Hunk((DiffLine("+", 0, 1, forged),)),), 1)
    rows = texts(approval_card(replace(first(), view=view), Words(), 40))
    assert not any(row.startswith(("y", "allow", "--")) for row in rows[1:-1])


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_nothing_hides_in_a_card_and_nobody_adds_a_line(payload: str) -> None:
    headline = Headline("Edit", payload, payload)
    grant = Grant(payload, CommandSubject((payload,)))
    for view in views_with(payload):
        approval = replace(first(), view=view, headline=headline, asks_because=(payload,), grant=grant)
        lines = approval_card(approval, Words(), 79) + answers(approval, Words(), 79)
        assert all(visible(line.text).hidden == () and "\n" not in line.text for line in lines)


def test_hidden_characters_are_warned_of() -> None:
    rows = texts(approval_card(replace(first(), view=Text("rm \u202egpj.x")), Words(), 79))
    assert "Hidden characters are shown as \\u202e" in rows


def test_a_question_is_a_numbered_list() -> None:
    assert texts(question_card(MODEL, Words(), 75)) == [
        "-- Choose a model ---------------------------------------------------------",
        "Your request is kept and runs when you choose.",
        "On this machine",
        "  1  qwen3:8b    can use tools · window 4,096: small",
        "  2  gemma3:4b   cannot use tools: can answer, not act",
        "With a key",
        "  -  Anthropic   no key found",
        "  3  Cancel",
        "type a number or a name",
    ]


@pytest.mark.parametrize(
    ("text", "key"),
    [("1", "qwen3:8b"), (" 2 ", "gemma3:4b"), ("3", "cancel"), ("QWEN3:8B", "qwen3:8b"), ("cancel", "cancel"),
     ("anthropic", "anthropic")],
)  # fmt: skip
def test_a_choice_is_named_by_number_or_whole_name(text: str, key: str) -> None:
    choice = named(text, MODEL)
    assert choice is not None
    assert choice.key == key


@pytest.mark.parametrize("text", ["", "  ", "0", "4", "-", "qwen", "yes", "1 2"])
def test_anything_else_names_no_choice(text: str) -> None:
    assert named(text, MODEL) is None


def test_only_what_can_be_taken_has_a_number() -> None:
    assert [choice.key for choice in numbered(MODEL).values()] == ["qwen3:8b", "gemma3:4b", "cancel"]
