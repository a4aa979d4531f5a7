"""The words of ``%tah`` and the options of ``%%tah``, as data: parser, help and Tab completion all read these tables.

What is not in them is not offered, printed or understood, so a command cannot be announced before it works.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from IPython.core.error import UsageError

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
]

MODES = {"ask": "default", "edits": "accept_edits", "plan": "plan", "deny": "dont_ask", "bypass": "bypass"}
"""Permission modes: the word people type, and the name that config and log use. Either is understood."""

DEMO_REQUEST = "Find out why the tests fail, fix it, and run them again."
"""What ``%tah demo`` asks: the one request that its script can carry out."""


class Command(NamedTuple):
    """A word after ``%tah``. ``subjects`` are the only words that may follow; empty means that any may (``argument``
    names it). One that ``runs`` asks the agent, so its cell is awaited.
    """

    word: str
    summary: str
    argument: str = ""
    subjects: tuple[str, ...] = ()
    needs_argument: bool = False
    runs: bool = False

    @property
    def usage(self) -> str:
        """How it is written, without ``%tah``."""
        return f"{self.word} {self.argument}".strip()


COMMANDS: dict[str, Command] = {
    command.word: command
    for command in (
        Command("ask", "ask in one line", "REQUEST", needs_argument=True, runs=True),
        Command("model", "which model answers; with a name, use that one from now on", "[NAME]"),
        Command("mode", "what passes without a question", f"[{'|'.join(MODES)}]", subjects=tuple(MODES)),
        Command(
            "show",
            "the plan, the tools, or tokens and cost",
            "todos|tools|cost",
            subjects=("todos", "tools", "cost"),
            needs_argument=True,
        ),
        Command("sessions", "show the record of run N again", "show N", subjects=("show",), needs_argument=True),
        Command("config", "every setting, and where it comes from"),
        Command("demo", "a script shows how it works, on a copy of a sample project; no model is needed", runs=True),
        Command("help", "this list"),
    )
}


class Option(NamedTuple):
    """An option of ``%%tah``. ``value`` names its value; a flag has none."""

    name: str
    summary: str
    value: str = ""
    values: tuple[str, ...] = ()


OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        Option("--new", "start a new session: the agent forgets the earlier runs"),
        Option("--model", "the model for this and later runs", "NAME|demo|scripted:FILE"),
        Option("--mode", "what passes without a question, for this run", "MODE", tuple(MODES)),
        Option("--allow", "a tool that may run without a question in this run; may be repeated", "TOOL"),
        Option("--max-turns", "end the run after so many turns", "N"),
        Option("--strict", "end the cell with an error when a call was denied because nobody could answer"),
        Option("--keep-going", "let later cells run also when this run failed"),
    )
}


class CellOptions(NamedTuple):
    """What one ``%%tah`` asks for."""

    prompt: str
    new: bool = False
    model: str = ""
    mode: str = ""
    allow: tuple[str, ...] = ()
    max_turns: int | None = None
    strict: bool = False
    keep_going: bool = False


def mode_named(word: str) -> str:
    """The config's name of a mode, from either of its names. Raises UsageError for another word."""
    if word in MODES:
        return MODES[word]
    if word in MODES.values():
        return word
    raise UsageError(f"No mode {word!r}. Modes: {', '.join(MODES)}.")


_TOKEN = re.compile(r"""\s*(?P<name>--[A-Za-z][\w-]*)(?P<sign>=)?|\s*(?P<value>"[^"]*"|'[^']*'|\S+)""")


def parse_cell(line: str, body: str) -> CellOptions:
    """Read the first line of ``%%tah`` and its body. Options come first; other words begin the request.

    >>> parse_cell("--mode plan --max-turns 3", "What is here?")
    CellOptions(prompt='What is here?', new=False, model='', mode='plan', allow=(), max_turns=3, strict=False, keep_going=False)

    Raises UsageError for an unknown option, a missing or wrong value, or an empty request.
    """  # noqa: E501 - one line of a doc test
    options, request = _leading_options(line)
    found: dict[str, object] = {name[2:].replace("-", "_"): value for name, value in options if name != "--allow"}
    found["allow"] = tuple(str(value) for name, value in options if name == "--allow")
    prompt = "\n".join(part for part in (request.strip(), body.strip("\n")) if part.strip())
    if not prompt:
        raise UsageError("The request is empty: write it below the line %%tah.")
    return CellOptions(prompt, **found)  # type: ignore[arg-type]  # names and types are those of OPTIONS


def _leading_options(line: str) -> tuple[list[tuple[str, object]], str]:
    """The options at the start of ``line`` with their values, and the rest of it."""
    options: list[tuple[str, object]] = []
    while line.lstrip().startswith("--"):
        match = _TOKEN.match(line)
        name = match["name"] if match else None
        if match is None or name is None or name not in OPTIONS:
            raise UsageError(f"No option {line.split()[0]!r}. Options: {', '.join(OPTIONS)}.")
        line = line[match.end() :]
        if OPTIONS[name].value:
            value = _TOKEN.match(line)
            if value is None or value["value"] is None:
                raise UsageError(f"{name} needs a value: {name} {OPTIONS[name].value}.")
            options.append((name, _READERS.get(name, str)(value["value"].strip("\"'"))))
            line = line[value.end() :]
        elif match["sign"]:
            raise UsageError(f"{name} takes no value.")
        else:
            options.append((name, True))
    return options, line


def _turns(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"--max-turns needs a whole number from 1 on, not {text!r}.")
    return int(text)


_READERS: dict[str, Callable[[str], object]] = {"--max-turns": _turns, "--mode": mode_named}


def parse_line(line: str) -> tuple[Command | None, str]:
    """Read the words after ``%tah``: the command and its argument; ``(None, "")`` for ``%tah`` alone.

    Raises UsageError for an unknown word, a missing argument, or words outside the command's grammar; nothing runs
    then.
    """
    word, _, argument = line.strip().partition(" ")
    argument = argument.strip()
    if not word:
        return None, ""
    if word not in COMMANDS:
        raise UsageError(f'No command "{word}". To ask: %tah ask {line.strip()}')
    command = COMMANDS[word]
    if command.needs_argument and not argument:
        raise UsageError(f"Write %tah {command.usage}.")
    if argument and not command.argument:
        raise UsageError(f"%tah {word} takes no more words. To ask: %tah ask {line.strip()}")
    if word == "mode" and argument:
        return command, mode_named(argument)
    if argument and command.subjects and argument.split()[0] not in command.subjects:
        raise UsageError(f"No %tah {word} {argument}. Write %tah {command.usage}.")
    return command, argument


def help_text() -> str:
    """What ``%tah help`` prints."""
    commands = [("%%tah [options]", "ask; the request is below it"), ("%tah", "where things stand")]
    commands += [(f"%tah {command.usage}", command.summary) for command in COMMANDS.values()]
    options = [(f"{option.name} {option.value}".strip(), option.summary) for option in OPTIONS.values()]
    width = max(len(usage) for usage, _ in commands + options) + 2
    lines = [f"{usage:<{width}}{summary}" for usage, summary in commands]
    return "\n".join([*lines, "", "Options of %%tah", *(f"{usage:<{width}}{summary}" for usage, summary in options)])
