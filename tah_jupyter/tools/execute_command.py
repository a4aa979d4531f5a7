"""Run a program in the workspace and see what it prints.

The program gets its arguments as they are, without a shell. However it ends, everything it started in its process
group has ended when the result comes.
"""

import errno
import os
import shlex
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import anyio
import msgspec
from pydantic import BeforeValidator, Field

from tah_jupyter.core.approvals import CommandSubject, Grant, Preview
from tah_jupyter.core.calls import Headline
from tah_jupyter.core.errors import ToolError
from tah_jupyter.core.events import ProcessStarted
from tah_jupyter.core.views import Command, Output, Stack, Text, View
from tah_jupyter.host.commands.argv import read_argv, shell_habits
from tah_jupyter.host.commands.destructive import is_destructive
from tah_jupyter.host.commands.digest import command_digest
from tah_jupyter.host.commands.program import find_program
from tah_jupyter.host.commands.run import Outcome, duration_in_words, leftovers_in_words, run_command
from tah_jupyter.host.files.refusal import refusal
from tah_jupyter.host.files.workspace import RootLike, Workspace, size_in_words
from tah_jupyter.host.processes.capture import MAX_KEPT_BYTES, Capture, Shown, WholeOutput
from tah_jupyter.host.processes.environment import environment
from tah_jupyter.host.secrets.redact import Redactor
from tah_jupyter.host.secrets.stream import StreamRedactor
from tah_jupyter.host.secrets.values import secrets_in
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.tool import Tool, ToolInput, ToolResult, Verdict

__all__ = ["CommandResult", "ExecuteCommand", "ExecuteCommandInput", "execute_command_tool"]

MAX_OUTPUT_CHARS = 30_000
"""How much of the output the model is told, half from its beginning and half from its end."""

_SO_FAR_CHARS = 4_000
_HEADLINE_CHARS = 120
_GRANT_CHARS = 60


def _check_command(value: Any) -> tuple[str, ...] | str:
    if not isinstance(value, (str, list, tuple)) or not all(isinstance(word, str) for word in value):
        raise ValueError("it must be a list of strings, or one string")
    command = value if isinstance(value, str) else tuple(value)
    read_argv(command)
    return command  # as it was given: a string is split again wherever its words are needed


class ExecuteCommandInput(ToolInput):
    """What to run, where, and for how long at most."""

    command: Annotated[
        tuple[str, ...] | str,
        BeforeValidator(_check_command),
        Field(
            description='The program and its arguments, as in ["pytest", "-q"]. A string is split at spaces by POSIX '
            'quoting. There is no shell: for pipes, redirection or && use ["bash", "-c", "…"].'
        ),
    ]
    cwd: str | None = Field(None, description="The folder to run in, relative to the root. Default: the current one.")
    timeoutMs: int = Field(  # noqa: N815 - the name other agents use
        30_000, ge=1, le=600_000, description="Time limit in milliseconds; the command is ended after it."
    )
    description: str | None = Field(None, description="What it is for, in a few words, for the person who allows it.")

    @property
    def argv(self) -> tuple[str, ...]:
        """The argument list."""
        return read_argv(self.command)


class CommandResult(msgspec.Struct, frozen=True):
    """How a command ended.

    ``exit_code`` is negative for a signal, None when it is not known; ``failed`` unless it is 0. ``output_file`` holds
    the whole output when it is longer than what the model is told. ``ended`` names processes that were left over and
    were ended, ``alive`` those that still run outside the command's process group.
    """

    argv: tuple[str, ...]
    cwd: str
    exit_code: int | None = 0
    failed: bool = False
    timed_out: bool = False
    duration_s: float = 0.0
    total_bytes: int = 0
    total_lines: int = 0
    output_file: str = ""
    ended: tuple[str, ...] = ()
    alive: tuple[str, ...] = ()


class ExecuteCommand(Tool[ExecuteCommandInput, CommandResult]):
    """Run a program with its arguments, without a shell."""

    name = "execute_command"
    aliases = ("Bash",)
    input_model = ExecuteCommandInput
    capability = "exec"
    stops_siblings = True
    max_result_chars = MAX_OUTPUT_CHARS + 5_000  # the output is cut here, so that the words around it always fit

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def prompt(self) -> str:
        return (
            "Run a program in the workspace and get its output (standard output and errors together, 30,000 characters "
            'at most) and exit code. Give a list such as ["pytest", "-q", "tests"]. There is no shell: no pipes, '
            'redirection, globs or variables; when you need them use ["bash", "-c", "…"]. Standard input is empty: '
            "use options such as --yes where a program would ask. `cd DIR` changes the folder of later commands. What "
            "a command leaves running in its process group is ended with it."
        )

    def is_destructive(self, input: ExecuteCommandInput) -> bool:
        return is_destructive(input.argv)

    def check_permissions(self, input: ExecuteCommandInput, ctx: ToolContext) -> Verdict:
        return "allow" if input.argv[0] == "cd" else "ask"  # the commands that run there are asked for themselves

    def subject(self, input: ExecuteCommandInput, ctx: ToolContext) -> CommandSubject:
        return CommandSubject(input.argv, self._workspace.locate(_cwd(input, ctx)))

    def grant(self, input: ExecuteCommandInput, ctx: ToolContext) -> Grant:
        return Grant(_shortened(shlex.join(input.argv), _GRANT_CHARS), self.subject(input, ctx))

    def headline(self, input: ExecuteCommandInput) -> Headline:
        where = self._workspace.locate(input.cwd) if input.cwd is not None else "."
        return _headline(input.argv, where)

    async def preview(self, input: ExecuteCommandInput, ctx: ToolContext) -> Preview:
        return await anyio.to_thread.run_sync(self._preview, input, ctx)

    def _preview(self, input: ExecuteCommandInput, ctx: ToolContext) -> Preview:
        argv, cwd = input.argv, self._folder(input, ctx)
        program = "cd" if argv[0] == "cd" else _program(argv, cwd, environment(ctx.options.pass_env))
        where = self._workspace.relative(cwd)
        shown: View = Command(argv, where, input.timeoutMs / 1000)
        if input.description:
            shown = Stack((shown, Text(f"The model's words: {input.description}")))
        return Preview(
            shown,
            fingerprint=command_digest(argv, cwd=cwd, program=program, workspace=self._workspace),
            headline=_headline(argv, where),
            concerns=_habit_words(input),
        )

    async def execute(self, input: ExecuteCommandInput, ctx: ToolContext) -> ToolResult[CommandResult]:
        if input.argv[0] == "cd":
            return await anyio.to_thread.run_sync(self._change_folder, input, ctx)
        cwd = await anyio.to_thread.run_sync(self._folder, input, ctx)
        env = environment(ctx.options.pass_env)
        program = await anyio.to_thread.run_sync(_program, input.argv, cwd, env)
        whole = _whole_output(ctx)
        capture = Capture(MAX_OUTPUT_CHARS, whole)
        shown = None
        try:
            outcome = await run_command(
                input.argv,
                cwd=cwd,
                env=env,
                program=program,
                timeout_s=input.timeoutMs / 1000,
                capture=capture,
                on_start=lambda child: ctx.runtime.emit(
                    ProcessStarted(call=ctx.call_id, pid=child.pid, created=child.created)
                ),
                on_news=ctx.progress,
            )
            shown = await anyio.to_thread.run_sync(capture.shown)
        finally:
            with anyio.CancelScope(shield=True):
                if shown is None and capture.total_bytes:  # cut short: what it printed until then is not lost
                    ctx.keep_so_far(*_printed_so_far(await anyio.to_thread.run_sync(capture.shown), capture))
                if whole is not None:
                    keep = shown is not None and shown.is_cut
                    await anyio.to_thread.run_sync(partial(whole.close, keep=keep))
        return _result(input, self._workspace.relative(cwd), outcome, capture, shown, whole)

    def _folder(self, input: ExecuteCommandInput, ctx: ToolContext) -> str:
        try:
            return str(self._workspace.resolve_dir(_cwd(input, ctx)))
        except ToolError as error:
            hint = "" if input.cwd is not None else ' Earlier commands changed to it; `cwd` "." is the root.'
            raise ToolError(f"{error}{hint}", code=error.code, offer=error.offer) from error

    def _change_folder(self, input: ExecuteCommandInput, ctx: ToolContext) -> ToolResult[CommandResult]:
        argv = input.argv
        words = [word for word in argv[1:] if word != "--"]
        if len(words) > 1 or words == ["-"]:
            raise ToolError("cd takes one folder, as in `cd src`; `cd` alone goes to the root.", code="InvalidInput")
        # the current folder need not exist any more: what lies elsewhere can be gone to
        found = self._workspace.resolve_dir(os.path.join(_cwd(input, ctx), words[0]) if words else ".")
        where = self._workspace.relative(found)
        if not os.access(found, os.X_OK):
            raise refusal(PermissionError(errno.EACCES, os.strerror(errno.EACCES)), where)
        text = f"The current folder is now {where if where != '.' else 'the root'}; the commands after this run there."
        return ToolResult(CommandResult(argv, where), text, context_modifier=lambda state: {**state, "cwd": where})


def execute_command_tool(root: RootLike = ".") -> ExecuteCommand:
    """The tool for the workspace at ``root``. Raises ToolError when that is no folder."""
    return ExecuteCommand(Workspace.of(root))


def _result(
    input: ExecuteCommandInput,
    cwd: str,
    outcome: Outcome,
    capture: Capture,
    shown: Shown,
    whole: WholeOutput | None,
) -> ToolResult[CommandResult]:
    output = shown.head
    if shown.is_cut:
        output = f"{shown.head.rstrip()}\n{_left_out(shown, capture, whole)}\n{shown.tail}"
    lines = [f"[{outcome.status}]", *_notes(input, outcome), output.rstrip("\n") or "(no output)"]
    data = CommandResult(
        argv=input.argv,
        cwd=cwd,
        exit_code=outcome.exit_code,
        failed=outcome.failed,
        timed_out=outcome.timed_out,
        duration_s=outcome.duration_s,
        total_bytes=capture.total_bytes,
        total_lines=capture.total_lines,
        output_file=str(whole.path) if shown.is_cut and whole is not None and not whole.problem else "",
        ended=tuple(map(str, outcome.ending.ended)),
        alive=tuple(map(str, outcome.ending.alive)),
    )
    view = Output(output, total_lines=capture.total_lines, status=outcome.status, failed=outcome.failed)
    return ToolResult(data, "\n".join(lines), view=view)


def _printed_so_far(shown: Shown, capture: Capture) -> tuple[str, Output]:
    printed = (shown.tail if shown.is_cut else shown.head)[-_SO_FAR_CHARS:].strip("\n")
    text = f"It had printed until then (lines in all: {capture.total_lines:,}):\n{printed}"
    return text, Output(printed, total_lines=capture.total_lines, status="cut short", failed=True)


def _notes(input: ExecuteCommandInput, outcome: Outcome) -> list[str]:
    """What the model must know beyond the output and the exit code."""
    notes = [f"[{words}]" for words in _habit_words(input)]
    if outcome.timed_out:
        limit = duration_in_words(input.timeoutMs / 1000)
        notes.append(
            f"[It reached its time limit of {limit} (timeoutMs={input.timeoutMs}) and was ended with everything it had "
            "started; this is what it had printed.]"
        )
    return notes + [f"[{words}]" for words in leftovers_in_words(outcome)]


def _left_out(shown: Shown, capture: Capture, whole: WholeOutput | None) -> str:
    if whole is None:
        where = "The rest was not kept."
    elif whole.problem:
        where = f"The whole output could not be kept: {whole.problem}."
    elif whole.truncated:
        where = f"Its first {size_in_words(MAX_KEPT_BYTES)} are in {whole.path}; read_file pages it."
    else:
        where = f"The whole output is in {whole.path}; read_file pages it."
    size = size_in_words(capture.total_bytes)
    middle = f"{shown.left_out_lines:,} of {capture.total_lines:,} lines" if shown.left_out_lines else "part of a line"
    return f"[… {middle} ({size} in all) left out. {where}]"


def _habit_words(input: ExecuteCommandInput) -> tuple[str, ...]:
    habits = shell_habits(input.command)
    if not habits:
        return ()
    passed = "is passed as it is written" if len(habits) == 1 else "are passed as they are written"
    return (f"There is no shell: {', '.join(habits[:5])}{', …' if habits[5:] else ''} {passed}",)


def _headline(argv: tuple[str, ...], cwd: str) -> Headline:
    return Headline("Run", _shortened(shlex.join(argv), _HEADLINE_CHARS), f"in {cwd}" if cwd != "." else "")


def _shortened(text: str, limit: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _cwd(input: ExecuteCommandInput, ctx: ToolContext) -> str:
    return input.cwd if input.cwd is not None else str(ctx.get_app_state().get("cwd", "."))


def _program(argv: tuple[str, ...], cwd: str, env: dict[str, str]) -> str:
    return find_program(argv[0], path=env["PATH"], cwd=cwd)


def _whole_output(ctx: ToolContext) -> WholeOutput | None:
    if ctx.results_dir is None:
        return None
    return WholeOutput(ctx.results_dir / f"{ctx.call_id}-output.txt", _masker())


def _masker() -> Callable[[str | None], str]:
    """Keeps the keys of this process's environment out of the file, in pieces; made when there is something to mask."""
    stream: StreamRedactor | None = None

    def mask(text: str | None) -> str:
        nonlocal stream
        if stream is None:
            stream = StreamRedactor(Redactor(secrets_in(os.environ)))
        return stream.close() if text is None else stream.feed(text)

    return mask
