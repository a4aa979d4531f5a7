"""The loop: turns until the model makes no more calls, the person stops it, a limit is reached, or the model fails.

A turn is one message and the calls it makes. The loop knows no tool, no front end and no provider.
"""

import itertools
import re
from collections.abc import Callable, Sequence

import anyio
import msgspec

from tah_jupyter.agent.executor import Executor
from tah_jupyter.agent.history import History
from tah_jupyter.agent.stream import Received, receive
from tah_jupyter.core.calls import ToolCall, ToolSchema, Usage
from tah_jupyter.core.errors import LogError, ModelError, TahError, ToolError
from tah_jupyter.core.events import CallSealed, Notice, PromptAdded, StopReason, ToolFailed, TurnEnded, TurnStarted
from tah_jupyter.core.messages import CallFinished, CallPart, ModelRequest
from tah_jupyter.core.ports import Model
from tah_jupyter.runtime.bus import Emitter
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.arguments import parse_arguments
from tah_jupyter.toolkit.pipeline import Pipeline
from tah_jupyter.toolkit.schema import sendable_name

__all__ = ["MAX_CONTINUED", "Ended", "Loop", "run_loop"]

MAX_CONTINUED = 3
"""How often in a row an answer that was cut off is gone on with."""

_GO_ON = "going on where it stopped"

_WRITTEN_CALL = re.compile(r'(?:"(?:name|tool|function)"\s*:\s*"|<function=)(\w+)')
"""How models that were not taught the protocol of tool calls write them: as JSON, or in the tags of their template."""


class Loop(msgspec.Struct):
    """What the loop works with.

    ``notice`` marks words of ours off from content, ``next_id`` numbers calls and messages over the session, ``check``
    raises LogError when what happens can no longer be recorded.
    """

    model: Model
    pipeline: Pipeline
    schemas: Callable[[], Sequence[ToolSchema]]
    contexts: Callable[[str], ToolContext]
    history: History
    emitter: Emitter
    system: str
    notice: Callable[[str], str]
    next_id: Callable[[], int]
    check: Callable[[], None]
    max_turns: int = 50


class Ended(msgspec.Struct):
    """How the loop ended, filled in along the way, so that a cancelled run keeps what it had."""

    reason: StopReason = "interrupted"
    text: str = ""
    usage: Usage = Usage()
    cost_usd: float | None = 0.0
    error: TahError | None = None

    def count(self, usage: Usage, cost_usd: float | None) -> None:
        """Add what one request took; a price that is not known makes the sum unknown, never smaller."""
        self.usage += usage
        self.cost_usd = None if self.cost_usd is None or cost_usd is None else self.cost_usd + cost_usd

    def fail(self, error: Exception) -> None:
        """Note what ended the run; of a group of errors the first one says it."""
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        self.reason = "log_error" if isinstance(error, LogError) else "error"
        if isinstance(error, TahError):
            self.error = error
        else:
            self.error = TahError(f"The run broke ({type(error).__name__}: {error}).", next_step="Please report this.")


async def run_loop(loop: Loop, ended: Ended) -> None:
    """Take turns until one of them is the last. Raises TahError when the run cannot go on."""
    continued = 0
    for turn in itertools.count(1):
        if turn > loop.max_turns:
            ended.reason, ended.error = "max_turns", _at_limit(loop.max_turns)
            return
        loop.check()
        received, executor = await take_turn(loop)
        ended.count(received.usage, loop.model.cost_usd(received.usage))
        ended.text = (ended.text + received.text) if continued and not received.calls else received.text
        if executor.stop_requested:
            ended.reason = "denied_stop"
            return
        again = _incomplete(loop, received)
        continued = continued + 1 if again else 0
        if received.error is not None and not again:
            ended.reason, ended.error = "model_error", received.error
            return
        if continued > MAX_CONTINUED:
            ended.reason = "model_error"
            ended.error = received.error or ModelError(
                f"The answer was cut off {continued} times in a row.", kind="cut"
            )
            return
        if not (received.calls or again):
            if doubt := _doubt(loop, received.text):
                loop.emitter.emit(doubt)
            ended.reason = "end_turn"
            return


def _at_limit(turns: int) -> TahError:
    return TahError(
        f"The limit of turns was reached ({turns}).",
        next_step="Ask it to go on, or raise the limit with --max-turns or budget.maxTurns.",
    )


async def take_turn(loop: Loop) -> tuple[Received, Executor]:
    """One message and its calls; every bracket opened here is closed here, also on cancellation."""
    emitter = loop.emitter
    emitter.turn += 1
    emitter.emit(TurnStarted())
    usage = Usage()
    message = f"m{loop.next_id()}"
    try:
        request = ModelRequest(loop.system, loop.history.check(), loop.schemas())
        async with anyio.create_task_group() as tasks:
            executor = Executor(loop.pipeline, tasks)
            received = await receive(
                loop.model, request, message, emitter, lambda call: _seal(loop, executor, message, call)
            )
            usage = received.usage
    finally:
        emitter.emit(TurnEnded(usage=usage, context_window=loop.model.context_window))
    return received, executor


def _seal(loop: Loop, executor: Executor, message: str, call: CallFinished) -> CallPart | None:
    """Take a complete call in and start it; one that cannot run is answered at once, one cut off is left out."""
    call_id = f"c{loop.next_id():08d}"  # nine letters and digits, as the strictest provider wants ids
    problem, args = "", {}
    try:
        if call.truncated:
            raise ToolError(
                f"The call of {call.tool} was not run: the message was truncated in the middle of its arguments "
                f"(after {len(call.raw):,} characters). Send it again, in smaller parts if it is long.",
                code="Truncated",
            )
        args = parse_arguments(call.raw)
    except ToolError as error:
        problem, code = str(error), error.code
    arguments = msgspec.json.encode(args).decode()
    raw = call.raw if problem or _differs(call.raw, arguments) else ""
    loop.emitter.emit(
        CallSealed(
            call=call_id,
            message=message,
            tool=call.tool,
            args=args,
            raw=raw,
            problem=problem,
            provider_id=call.provider_id,
        )
    )
    if problem:
        loop.emitter.emit(ToolFailed(call=call_id, tool=call.tool, error=code, text=problem))
    else:
        executor.submit(ToolCall(call_id, call.tool, args), loop.contexts(call_id))
    return None if call.truncated else CallPart(call_id, sendable_name(call.tool), arguments)


def _doubt(loop: Loop, text: str) -> Notice | None:
    """What the person should know of a last message that may be none."""
    if not text.strip():
        return Notice(text="The model ended without a word.", level="warning", code="empty")
    names = {schema.name for schema in loop.schemas()}
    written = next((name for name in _WRITTEN_CALL.findall(text) if name in names), None)
    if written is None:
        return None
    words = f"The model wrote a call of {written} as text, so it was not run. It may be too small for tools."
    return Notice(text=words, level="warning", code="written_call")


def _differs(raw: str, arguments: str) -> bool:
    """Whether the model wrote something else than the JSON that is kept of it; white space is no difference."""
    return raw.replace(" ", "") != arguments.replace(" ", "")


def _incomplete(loop: Loop, received: Received) -> bool:
    """Whether the message was cut off in a way that can be gone on with; then the model and the person are told."""
    error = received.error
    if error is not None and (received.is_empty or not error.retryable):
        return False
    if error is None and received.finish not in ("length", "filter"):
        return False
    if received.finish == "filter":
        received.error = ModelError(
            "The provider's content filter ended the answer.", kind="content_filter", next_step="Reword the request."
        )
        return False
    cause = "reached its length limit" if error is None else f"was cut off ({error.message.rstrip('.')})"
    loop.emitter.emit(Notice(text=f"The answer {cause}; {_GO_ON}", level="warning", code="cut"))
    words = (
        f"Your last message {cause}; what arrived of it is above. Calls that were truncated in it were not run. "
        "Go on from where it stopped, without repeating what is there."
    )
    loop.emitter.emit(PromptAdded(text=loop.notice(words), source="cut"))
    return True
