"""The words of ``%tah`` and the options of ``%%tah``, as data: parser, help and Tab completion all read these tables.

What is not in them is not offered, printed or understood, so a command cannot be announced before it works.
"""

import re
from typing import NamedTuple

from IPython.core.error import UsageError

from tah_jupyter.jupyter.columns import aligned
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = [
    "COMMANDS",
    "DEMO_REQUEST",
    "MODES",
    "OPTIONS",
    "CellOptions",
    "Command",
    "help_text",
    "mode_named",
    "parse_cell",
    "parse_line",
    "whole_number",
]

MODES = {"ask": "default", "edits": "accept_edits", "plan": "plan", "deny": "dont_ask", "bypass": "bypass"}
"""Permission modes: the word people type, and the name that config and log use. Either is understood."""

DEMO_REQUEST = "Find out why the tests fail, fix it, and run them again."
"""What ``%tah demo`` asks: the one request that its script can carry out."""


class Command(NamedTuple):
    """A word after ``%tah``; ``about`` is the key of what help says of it. ``subjects`` are the only words that may
    follow; empty means that any may (``argument`` names it), of which Tab offers ``offered``. One that ``runs`` asks
    the agent, so its cell is awaited. An ``everyday`` one stands in the short help.
    """

    word: str
    about: str
    argument: str = ""
    subjects: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    needs_argument: bool = False
    runs: bool = False
    everyday: bool = False

    @property
    def usage(self) -> str:
        """How it is written, without ``%tah``."""
        return f"{self.word} {self.argument}".strip()


COMMANDS: dict[str, Command] = {
    command.word: command
    for command in (
        Command("model", "about_model", "[NAME]", everyday=True),
        Command("mode", "about_mode", f"[{'|'.join(MODES)}]", subjects=tuple(MODES), everyday=True),
        Command("sessions", "about_sessions", "show N", subjects=("show",), needs_argument=True, everyday=True),
        Command("doctor", "about_doctor", "[--check] [--json]", subjects=("--check", "--json"), everyday=True),
        Command("ask", "about_ask", "REQUEST", needs_argument=True, runs=True),
        Command("folder", "about_folder", "[PATH | add PATH [--read-only] | remove PATH]", offered=("add", "remove")),
        Command("key", "about_key", "[PROVIDER | forget PROVIDER]"),
        Command("show", "about_show", "todos|tools|cost", subjects=("todos", "tools", "cost"), needs_argument=True),
        Command(
            "jobs",
            "about_jobs",
            "[approve N | deny N [WHY] | answer N CHOICE | stop N]",
            offered=("approve", "deny", "answer", "stop"),
        ),
        Command("config", "about_config"),
        Command("demo", "about_demo", runs=True),
        Command("help", "about_help", "[all]", subjects=("all",)),
    )
}


class Option(NamedTuple):
    """An option of ``%%tah``; ``about`` is the key of what help says of it. ``value`` names its value; a flag has
    none.
    """

    name: str
    about: str
    value: str = ""
    values: tuple[str, ...] = ()


OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        Option("--new", "option_new"),
        Option("--model", "option_model", "NAME|demo|scripted:FILE"),
        Option("--bg", "option_bg"),
        Option("--mode", "option_mode", "MODE", tuple(MODES)),
        Option("--allow", "option_allow", "TOOL"),
        Option("--max-turns", "option_max_turns", "N"),
        Option("--strict", "option_strict"),
        Option("--keep-going", "option_keep_going"),
    )
}


class CellOptions(NamedTuple):
    """What one ``%%tah`` asks for."""

    prompt: str
    new: bool = False
    bg: bool = False
    model: str = ""
    mode: str = ""
    allow: tuple[str, ...] = ()
    max_turns: int | None = None
    strict: bool = False
    keep_going: bool = False


_ENGLISH = Words("en")


def mode_named(word: str, words: Words = _ENGLISH) -> str:
    """The config's name of a mode, from either of its names. Raises UsageError for another word."""
    if word in MODES:
        return MODES[word]
    if word in MODES.values():
        return word
    raise _not_understood(words, "no_mode", word=word, modes=", ".join(MODES))


_MOST_DIGITS = 9
"""Of a number: more than runs, choices and turns need. Python itself reads no more than 4,300."""


def whole_number(text: str) -> int | None:
    """The number that ``text`` writes in digits; None when it is none, or out of all proportion."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None


def _not_understood(words: Words, key: str, **parts: str) -> UsageError:
    """The refusal of a line. What was typed may come from anyone's notebook, so nothing in it may hide."""
    return UsageError(words.say(key, **{name: visible_line(part).text for name, part in parts.items()}))


_TOKEN = re.compile(r"""\s*(?P<name>--[A-Za-z][\w-]*)(?P<sign>=)?|\s*(?P<value>"[^"]*"|'[^']*'|\S+)""")


def parse_cell(line: str, body: str, words: Words = _ENGLISH) -> CellOptions:
    """Read the first line of ``%%tah`` and its body. Options come first; other words begin the request.

    >>> parse_cell("--mode plan --max-turns 3", "What is here?")
    CellOptions(prompt='What is here?', new=False, bg=False, model='', mode='plan', allow=(), max_turns=3, strict=False, keep_going=False)

    Raises UsageError, in ``words``, for an unknown option, a missing or wrong value, or an empty request.
    """  # noqa: E501 - one line of a doc test
    options, request = _leading_options(line, words)
    found: dict[str, object] = {name[2:].replace("-", "_"): value for name, value in options if name != "--allow"}
    found["allow"] = tuple(str(value) for name, value in options if name == "--allow")
    prompt = "\n".join(part for part in (request.strip(), body.strip("\n")) if part.strip())
    if not prompt:
        raise UsageError(words.say("request_empty"))
    return CellOptions(prompt, **found)  # type: ignore[arg-type]  # names and types are those of OPTIONS


def _leading_options(line: str, words: Words) -> tuple[list[tuple[str, object]], str]:
    """The options at the start of ``line`` with their values, and the rest of it."""
    options: list[tuple[str, object]] = []
    while line.lstrip().startswith("--"):
        match = _TOKEN.match(line)
        name = match["name"] if match else None
        if match is None or name is None or name not in OPTIONS:
            raise _not_understood(words, "no_option", option=line.split()[0], options=", ".join(OPTIONS))
        line = line[match.end() :]
        if OPTIONS[name].value:
            value = _TOKEN.match(line)
            if value is None or value["value"] is None:
                raise UsageError(words.say("option_needs_value", option=name, value=OPTIONS[name].value))
            options.append((name, _value(name, value["value"].strip("\"'"), words)))
            line = line[value.end() :]
        elif match["sign"]:
            raise UsageError(words.say("option_takes_no_value", option=name))
        else:
            options.append((name, True))
    return options, line


def _value(name: str, text: str, words: Words) -> object:
    """The value of an option as :class:`CellOptions` holds it."""
    if name == "--mode":
        return mode_named(text, words)
    if name != "--max-turns":
        return text
    number = whole_number(text)
    if not number:
        raise _not_understood(words, "turns_whole", option=name, text=text)
    return number


def parse_line(line: str, words: Words = _ENGLISH) -> tuple[Command | None, str]:
    """Read the words after ``%tah``: the command and its argument; ``(None, "")`` for ``%tah`` alone.

    Raises UsageError, in ``words``, for an unknown word, a missing argument, or words outside the command's grammar;
    nothing runs then.
    """
    line = line.strip()
    word, argument = [*line.split(maxsplit=1), "", ""][:2]
    if not word:
        return None, ""
    if word not in COMMANDS:
        raise _not_understood(words, "no_command", word=word, line=line)
    command = COMMANDS[word]
    if command.needs_argument and not argument:
        raise UsageError(words.say("write_usage", usage=command.usage))
    if argument and not command.argument:
        raise _not_understood(words, "no_more_words", word=word, line=line)
    if word == "mode" and argument:
        return command, mode_named(argument, words)
    if argument and command.subjects and argument.split()[0] not in command.subjects:
        raise _not_understood(words, "no_such_use", line=line, usage=command.usage)
    return command, argument


def help_text(words: Words = _ENGLISH, *, everything: bool = True) -> str:
    """What ``%tah help`` prints: the commands of every day, or with ``everything`` all of them and the options."""
    shown = [command for command in COMMANDS.values() if everything or command.everyday]
    commands = [("%%tah [options]" if everything else "%%tah", words.say("about_cell"))]
    commands += [("%tah", words.say("about_status"))]
    commands += [(f"%tah {command.usage}", words.say(command.about)) for command in shown]
    if not everything:
        return "\n".join([*aligned(commands), "", words.say("help_more", n=len(COMMANDS) - len(shown))])
    options = [(f"{option.name} {option.value}".strip(), words.say(option.about)) for option in OPTIONS.values()]
    lines = aligned([*commands, *options], widest=42)
    return "\n".join([*lines[: len(commands)], "", words.say("help_options"), *lines[len(commands) :]])
