"""The loop: turns until the model makes no more calls, the person stops it, a limit is reached, or the model fails.

The loop knows no tool, no front end and no provider.
"""

import re
from collections.abc import Awaitable, Callable
from typing import Literal

import msgspec

from tah_jupyter.agent.recovery import Recovery
from tah_jupyter.agent.steering import Steering
from tah_jupyter.agent.stream import Received
from tah_jupyter.agent.turn import Kit, Turn
from tah_jupyter.core.calls import Usage
from tah_jupyter.core.errors import LogError, ModelError, TahError
from tah_jupyter.core.events import Notice, PromptAdded, StopReason

__all__ = ["MAX_CONTINUED", "Ended", "Limit", "run_loop"]

MAX_CONTINUED = 3
"""How often in a row an answer that was cut off is gone on with."""

_GO_ON = "going on where it stopped"

_WRITTEN_CALL = re.compile(r'(?:"(?:name|tool|function)"\s*:\s*"|<function=)(\w+)')
"""How models that were not taught the protocol of tool calls write them: as JSON, or in the tags of their template."""


class Limit:
    """The limit of turns. ``ask(turns)`` says what to do when they are used up, None when nobody can say."""

    def __init__(self, turns: int, ask: Callable[[int], Awaitable[Literal["on", "finish", "stop"] | None]]) -> None:
        self._step = turns
        self._turns = turns
        self._ask = ask
        self._finishing = False

    async def reached(self, taken: int, kit: Kit) -> StopReason | None:
        """Why the run ends after ``taken`` turns; None when it goes on."""
        if taken < self._turns:
            return None
        answer = None if self._finishing else await self._ask(taken)
        match answer:
            case "on":
                self._turns += self._step
            case "finish":
                self._finishing = True
                self._turns += 1
                words = "The limit of turns is reached. Answer now with what you have, without any call."
                kit.emitter.emit(PromptAdded(text=kit.notice(words), source="limit"))
            case "stop":
                return "interrupted"
            case None:
                return "max_turns"
        return None

    def error(self) -> TahError:
        """What a run that ends here is told."""
        return TahError(
            f"The limit of turns was reached ({self._turns}).",
            next_step="Ask it to go on, or raise the limit with --max-turns or budget.maxTurns.",
        )


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


async def run_loop(kit: Kit, ended: Ended, steering: Steering, recovery: Recovery, limit: Limit) -> None:
    """Take turns until one of them is the last. Raises TahError when the run cannot go on."""
    continued = turns = 0
    while (reason := await limit.reached(turns, kit)) is None:
        kit.check()
        turns += 1
        steering.deliver()  # what came while the person was asked how to go on
        turn = await _take_turn(kit, steering)
        received = turn.received
        ended.count(received.usage, kit.model.cost_usd(received.usage))
        ended.text = (ended.text + received.text) if continued and not received.calls else received.text
        if turn.stop_requested:
            ended.reason = "denied_stop"
            return
        noted = steering.deliver()
        again = _incomplete(kit, received)
        continued = continued + 1 if again else 0
        failure = _failure(received, again, continued)
        if failure is not None:
            if not await _recovered(kit, failure, received, recovery):
                ended.reason, ended.error = "model_error", failure
                return
            continued = 0
        elif not (received.calls or again or noted):
            if doubt := _doubt(kit, received.text):
                kit.emitter.emit(doubt)
            ended.reason = "end_turn"
            return
    ended.reason, ended.error = reason, limit.error() if reason == "max_turns" else None


async def _take_turn(kit: Kit, steering: Steering) -> Turn:
    steering.turn = turn = Turn(kit)
    try:
        await turn.take()
    finally:
        steering.turn = None
    return turn


def _failure(received: Received, again: bool, continued: int) -> ModelError | None:
    """What stands between this message and the next turn; None when nothing does."""
    if not again:
        return received.error
    if continued <= MAX_CONTINUED:
        return None
    return received.error or ModelError(f"The answer was cut off {continued} times in a row.", kind="cut")


async def _recovered(kit: Kit, failure: ModelError, received: Received, recovery: Recovery) -> bool:
    """Whether there is a model to go on with after ``failure``; it is the kit's then."""
    model = await recovery.after(failure, kit.model)
    if model is None:
        return False
    kit.model = model
    if received.text or received.calls:
        words = "Your last message was cut off there. Go on from where it stopped, without repeating what is there."
        kit.emitter.emit(PromptAdded(text=kit.notice(words), source="cut"))
    return True


def _doubt(kit: Kit, text: str) -> Notice | None:
    """What the person should know of a last message that may be none."""
    if not text.strip():
        return Notice(text="The model ended without a word.", level="warning", code="empty")
    names = {schema.name for schema in kit.schemas()}
    written = next((name for name in _WRITTEN_CALL.findall(text) if name in names), None)
    if written is None:
        return None
    words = f"The model wrote a call of {written} as text, so it was not run. It may be too small for tools."
    return Notice(text=words, level="warning", code="written_call")


def _incomplete(kit: Kit, received: Received) -> bool:
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
    kit.emitter.emit(Notice(text=f"The answer {cause}; {_GO_ON}", level="warning", code="cut"))
    words = (
        f"Your last message {cause}; what arrived of it is above. Calls that were truncated in it were not run. "
        "Go on from where it stopped, without repeating what is there."
    )
    kit.emitter.emit(PromptAdded(text=kit.notice(words), source="cut"))
    return True
