"""A model that plays a script: for tests, for examples, for ``--model scripted:FILE``. No language model is involved.

A script is a list of answers, one for each request. An answer is one step or a list of steps, and a step is simply a
model event (or an error, or a wait), so whatever a provider can stream can be scripted:

    ScriptedModel([
        [says("Looking."), calls("read_file", path="a.py"), calls("read_file", path="b.py")],
        calls("edit_file", path="a.py", old_string="1", new_string="2"),
        says("Done."),
    ])
"""

import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path

import anyio
import msgspec

from tah_jupyter.core.calls import Usage
from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.messages import (
    AssistantMessage,
    CallFinished,
    Finish,
    ModelEvent,
    ModelRequest,
    TextPart,
    ThinkingPart,
    UsagePart,
)
from tah_jupyter.models.scripts.file import read_script
from tah_jupyter.models.scripts.script import (
    Answer,
    Scripted,
    Step,
    Wait,
    calls,
    calls_raw,
    cuts,
    ends,
    fails,
    says,
    thinks,
    waits,
)

__all__ = [
    "Answer",
    "ScriptedModel",
    "Step",
    "Wait",
    "calls",
    "calls_raw",
    "cuts",
    "ends",
    "fails",
    "says",
    "thinks",
    "waits",
]

# A scripted answer has no tokenizer. Four characters a token is OpenAI's rule of thumb for English text
# (help.openai.com, "What are tokens and how to count them?"); it only gives budgets and usage lines something to count.
_CHARS_PER_TOKEN = 4


class ScriptedModel:
    """Plays ``script``: a list whose items are answers or functions ``(request) -> answer``, or one such function that
    gives every answer.

    Text comes in pieces of ``chunk_chars`` characters, each ``delay_s`` seconds after the one before. ``requests``
    holds every request as it was when it came. ``label`` makes the name ``scripted:LABEL``.
    Raises ModelError when more is asked than the script has answers.
    """

    def __init__(
        self,
        script: Sequence[Scripted] | Callable[[ModelRequest], Answer],
        *,
        label: str = "",
        chunk_chars: int = 24,
        delay_s: float = 0.0,
        context_window: int | None = None,
    ) -> None:
        if chunk_chars < 1 or delay_s < 0:
            raise ValueError("chunk_chars must be at least 1 and delay_s at least 0.")
        self.name = f"scripted:{label}" if label else "scripted"
        self.host = ""
        self.vision = False
        self.context_window = context_window
        self.requests: list[ModelRequest] = []
        self._script = script
        self._chunk_chars = chunk_chars
        self._delay_s = delay_s

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> "ScriptedModel":
        """The script in the JSON file ``path``, in the form that ``script_file`` tells. Blocks while it reads.
        Raises ConfigError naming the answer at fault.
        """
        return cls(read_script(Path(path)), label=Path(path).name)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Play the next answer. Each step is a point where a cancel can come, as with a real stream."""
        request = ModelRequest(request.system, tuple(request.messages), tuple(request.tools))
        self.requests.append(request)
        steps = self._next_answer(request)
        async for event in self._play(steps):
            yield event
        if not any(isinstance(step, UsagePart) for step in steps):
            yield UsagePart(_estimate(request, steps))
        yield _finish(steps)

    def cost_usd(self, usage: Usage) -> float | None:
        """Always 0.0: a script costs nothing."""
        return 0.0

    async def aclose(self) -> None:
        """Nothing to close."""

    def _next_answer(self, request: ModelRequest) -> Sequence[Step]:
        if callable(self._script):
            return _steps(self._script(request))
        number = len(self.requests)
        if number > len(self._script):
            raise ModelError(
                f"The script has {len(self._script)} answers, and this is request {number}.",
                kind="bad_request",
                next_step="Add an answer to the script.",
            )
        scripted = self._script[number - 1]
        return _steps(scripted(request) if callable(scripted) else scripted)

    async def _play(self, steps: Sequence[Step]) -> AsyncIterator[ModelEvent]:
        index = 0
        for step in steps:
            if isinstance(step, ModelError):
                raise step
            if isinstance(step, Wait):
                await anyio.sleep(step.seconds)
            if isinstance(step, CallFinished):
                step = msgspec.structs.replace(step, index=index)
                index += 1
            for event in self._pieces(step):
                await anyio.sleep(self._delay_s if isinstance(event, (TextPart, ThinkingPart)) else 0)
                yield event

    def _pieces(self, step: ModelEvent | Wait) -> Iterator[ModelEvent]:
        if isinstance(step, (TextPart, ThinkingPart)):
            for start in range(0, len(step.text), self._chunk_chars):
                yield type(step)(step.text[start : start + self._chunk_chars])
        elif not isinstance(step, (Wait, Finish)):
            yield step


def _steps(answer: Answer) -> Sequence[Step]:
    return answer if isinstance(answer, Sequence) else (answer,)


def _finish(steps: Sequence[Step]) -> Finish:
    """The terminal event, the last whatever the script's order: the scripted one, else the one that fits."""
    for step in steps:
        if isinstance(step, Finish):
            return step
    return Finish("calls" if any(isinstance(step, CallFinished) for step in steps) else "stop")


def _estimate(request: ModelRequest, steps: Sequence[Step]) -> Usage:
    """What such an exchange would take, by the rule of thumb above."""
    sent = len(request.system)
    for message in request.messages:
        sent += len(message.text)
        if isinstance(message, AssistantMessage):
            sent += sum(len(call.arguments) for call in message.calls)
    said = 0
    for step in steps:
        said += len(step.text) if isinstance(step, (TextPart, ThinkingPart)) else 0
        said += len(step.raw) if isinstance(step, CallFinished) else 0
    return Usage(input_tokens=-(-sent // _CHARS_PER_TOKEN), output_tokens=-(-said // _CHARS_PER_TOKEN), requests=1)
