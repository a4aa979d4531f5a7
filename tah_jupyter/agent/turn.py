"""One turn: a message of the model and the calls it makes. Every bracket opened here is closed here."""

from collections.abc import Callable, Sequence

import anyio
import msgspec

from tah_jupyter.agent.executor import Executor
from tah_jupyter.agent.history import History
from tah_jupyter.agent.stream import Received, receive
from tah_jupyter.core.calls import ToolCall, ToolSchema
from tah_jupyter.core.errors import ToolError
from tah_jupyter.core.events import CallSealed, ToolFailed, TurnEnded, TurnStarted
from tah_jupyter.core.messages import CallFinished, CallPart, ModelRequest
from tah_jupyter.core.ports import Model
from tah_jupyter.runtime.bus import Emitter
from tah_jupyter.runtime.tool_context import ToolContext
from tah_jupyter.toolkit.arguments import parse_arguments
from tah_jupyter.toolkit.pipeline import Pipeline
from tah_jupyter.toolkit.schema import sendable_name

__all__ = ["Kit", "Turn"]


class Kit(msgspec.Struct):
    """What a run works with.

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


class Turn:
    """A turn under way. :attr:`received` is what came of the message, also when the turn was ended early."""

    def __init__(self, kit: Kit) -> None:
        self.received = Received()
        self.stop_requested = False
        self.ended_early = False
        self._kit = kit
        self._scope = anyio.CancelScope()
        self._executor: Executor | None = None

    async def take(self) -> None:
        """Ask the model, run its calls, and wait for the last of them."""
        kit, emitter = self._kit, self._kit.emitter
        emitter.turn += 1
        emitter.emit(TurnStarted())
        message = f"m{kit.next_id()}"
        try:
            request = ModelRequest(kit.system, kit.history.check(), kit.schemas())
            with self._scope:
                async with anyio.create_task_group() as tasks:
                    executor = self._executor = Executor(kit.pipeline, tasks)
                    await receive(
                        kit.model,
                        request,
                        message,
                        emitter,
                        lambda call: self._seal(executor, message, call),
                        self.received,
                        sent_tokens=_tokens(kit, request),
                    )
        finally:
            emitter.emit(TurnEnded(usage=self.received.usage, context_window=kit.model.context_window))
        self.stop_requested = executor.stop_requested

    def end_call(self, call_id: str) -> None:
        """End one of its calls; the turn goes on."""
        if self._executor is not None:
            self._executor.end(call_id)

    def end_early(self) -> None:
        """End the turn, so that a note of the person is read: what came of it is kept."""
        self.ended_early = True
        if self._executor is not None:
            self._executor.end_all("note")
        self._scope.cancel()

    def _seal(self, executor: Executor, message: str, call: CallFinished) -> CallPart | None:
        """Take a complete call in and start it; one that cannot run is answered at once, one cut off is left out."""
        kit = self._kit
        call_id = f"c{kit.next_id():08d}"  # nine letters and digits, as the strictest provider wants ids
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
        kit.emitter.emit(
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
            kit.emitter.emit(ToolFailed(call=call_id, tool=call.tool, error=code, text=problem))
        else:
            executor.submit(ToolCall(call_id, call.tool, args), kit.contexts(call_id))
        return None if call.truncated else CallPart(call_id, sendable_name(call.tool), arguments)


def _tokens(kit: Kit, request: ModelRequest) -> int:
    """About how many tokens a request is; four characters are one in English text (OpenAI's rule of thumb)."""
    tools = sum(len(tool.description) + CHARS_OF_SCHEMA for tool in request.tools)
    return (len(request.system) + tools + kit.history.chars) // 4


CHARS_OF_SCHEMA = 400
"""What the names and types of a tool's inputs come to, about."""


def _differs(raw: str, arguments: str) -> bool:
    """Whether the model wrote something else than the JSON that is kept of it; white space is no difference."""
    return raw.replace(" ", "") != arguments.replace(" ", "")
