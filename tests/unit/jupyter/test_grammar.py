import pytest
from IPython.core.error import UsageError

from tah_jupyter.jupyter.completion import candidates
from tah_jupyter.jupyter.grammar import COMMANDS, OPTIONS, CellOptions, help_text, mode_named, parse_cell, parse_line
from tah_jupyter.ui.words import Words


def test_the_body_is_the_request() -> None:
    assert parse_cell("", "Why is March low?\n") == CellOptions("Why is March low?")


def test_words_on_the_first_line_begin_the_request() -> None:
    assert parse_cell("clean this csv", "keep the header\n").prompt == "clean this csv\nkeep the header"


def test_options_come_before_the_request() -> None:
    options = parse_cell(
        "--new --model scripted:a.json --mode edits --allow edit_file --allow=grep --max-turns 4 --strict --keep-going",
        "go",
    )
    assert options == CellOptions(
        "go",
        new=True,
        model="scripted:a.json",
        mode="accept_edits",
        allow=("edit_file", "grep"),
        max_turns=4,
        strict=True,
        keep_going=True,
    )


def test_a_quoted_value_may_hold_spaces() -> None:
    assert parse_cell("--model 'scripted:my answers.json'", "go").model == "scripted:my answers.json"


def test_two_dashes_later_belong_to_the_request() -> None:
    assert parse_cell("explain what --new does", "").prompt == "explain what --new does"


def test_indentation_of_the_body_is_kept() -> None:
    assert parse_cell("", "\n    x = 1\n  y\n").prompt == "    x = 1\n  y"


@pytest.mark.parametrize(
    ("line", "body", "says"),
    [
        ("", "  \n", "request is empty"),
        ("--new", "", "request is empty"),
        ("--modle x", "go", 'No option "--modle"'),
        ("--model", "go", "--model needs a value"),
        ("--model --new", "go", "--model needs a value"),
        ("--max-turns many", "go", "whole number"),
        ("--max-turns 0", "go", "whole number"),
        ("--max-turns " + "9" * 5000, "go", "whole number"),
        ("--mode wild", "go", 'No mode "wild". Modes: ask, edits, plan, deny, bypass.'),
        ("--new=yes", "go", "--new takes no value"),
        ("-- go", "", 'No option "--"'),
    ],
)
def test_a_wrong_first_line_runs_nothing_and_says_what_to_write(line: str, body: str, says: str) -> None:
    with pytest.raises(UsageError, match=says.replace("(", r"\(")):
        parse_cell(line, body)


def test_modes_are_known_by_either_name() -> None:
    assert {mode_named(word) for word in ("ask", "default")} == {"default"}
    assert {mode_named(word) for word in ("deny", "dont_ask")} == {"dont_ask"}


def test_tah_alone_is_no_command() -> None:
    assert parse_line("  ") == (None, "")


def test_a_command_comes_with_its_argument() -> None:
    assert parse_line("ask what is here?") == (COMMANDS["ask"], "what is here?")
    assert parse_line("sessions show 3") == (COMMANDS["sessions"], "show 3")
    assert parse_line("mode edits") == (COMMANDS["mode"], "accept_edits")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("clean my data", 'No command "clean". To ask: %tah ask clean my data'),
        ("ask", "Write %tah ask REQUEST"),
        ("help me with this", "No %tah help me with this. Write %tah help [all]."),
        ("config it", "takes no more words. To ask: %tah ask config it"),
        ("show everything", "No %tah show everything"),
        ("sessions", "Write %tah sessions show N"),
        ("sessions delete 3", "No %tah sessions delete 3"),
        ("mode wild", 'No mode "wild"'),
        ("undo", 'No command "undo"'),
    ],
)
def test_words_outside_the_grammar_run_nothing(line: str, says: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_line(line)
    assert says in str(error.value)


LANGUAGES = pytest.mark.parametrize("words", [Words("en"), Words("zh")], ids=["en", "zh"])


@LANGUAGES
def test_the_whole_help_names_every_command_and_option_and_nothing_else(words: Words) -> None:
    text = help_text(words)
    assert all(f"%tah {command.usage}" in text for command in COMMANDS.values())
    assert all(option in text for option in OPTIONS)
    assert "undo" not in text


@LANGUAGES
def test_help_names_the_commands_of_every_day_and_how_to_see_the_rest(words: Words) -> None:
    commands = help_text(words, everything=False).splitlines()
    assert [line.split("  ")[0].split(" [")[0] for line in commands[:-2]] == [
        "%%tah",
        "%tah",
        "%tah model",
        "%tah mode",
        "%tah sessions show N",
        "%tah doctor",
    ]
    assert "%tah help all" in commands[-1]


def test_what_is_wrong_is_said_in_the_language_of_the_person() -> None:
    with pytest.raises(UsageError) as error:
        parse_line("clean my data", Words("zh"))
    assert str(error.value) == "没有命令“clean”。如需提问：%tah ask clean my data"
    with pytest.raises(UsageError, match="请求为空"):
        parse_cell("--new", "", Words("zh"))


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("%tah ", list(COMMANDS)),
        ("%tah sh", ["show"]),
        ("%tah show ", ["todos", "tools", "cost"]),
        ("%tah show t", ["todos", "tools"]),
        ("%tah mode e", ["edits"]),
        ("%tah sessions ", ["show"]),
        ("%tah ask wh", []),
        ("%%tah --m", ["--model", "--mode", "--max-turns"]),
        ("%%tah --new --mode p", ["plan"]),
        ("%%tah --model ", []),
        ("%%tah --mode=e", ["edits"]),
        ("%tah jobs ", ["approve", "deny", "answer", "stop"]),
        ("%tah jobs approve ", []),
        ("%tah folder r", ["remove"]),
        ("%tah", []),
        ("", []),
    ],
)
def test_tab_offers_what_the_grammar_knows(line: str, offered: list[str]) -> None:
    assert candidates(line) == offered


def test_any_blank_parts_the_words_of_a_line() -> None:
    assert parse_line("jobs\tstop 1") == (COMMANDS["jobs"], "stop 1")


@pytest.mark.parametrize("line", ["\u202egnp", "demo \u202egnp", "show \x1b[31mred", "mode \x1b[31mred"])
def test_what_hides_in_a_line_is_shown_where_it_is_refused(line: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_line(line)
    assert str(caught.value).isprintable()
