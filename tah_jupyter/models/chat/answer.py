"""One streamed answer: from chunks to model events, and whether it is complete."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from tah_jupyter.core.calls import Usage
from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.messages import CallFinished, Finish, ModelEvent, TextPart, ThinkingPart, UsagePart
from tah_jupyter.models.chat.chunks import (
    Choice,
    Chunk,
    Fragment,
    decode_chunk,
    finish_of,
    text_of,
    thinking_of,
    usage_of,
)
from tah_jupyter.models.chat.fragments import CallAssembler
from tah_jupyter.models.chat.provider_errors import Target, error_of_body, error_of_end, model_error
from tah_jupyter.models.chat.surrogates import TextMender
from tah_jupyter.models.chat.transport_errors import error_of_cut

__all__ = ["AnswerReader"]

Part: TypeAlias = TextPart | ThinkingPart | CallFinished


class AnswerReader:
    """Reads the events of one answer. ``ended`` says that the model finished (usage may follow), ``done`` that the
    stream did.
    """

    def __init__(self, target: Target) -> None:
        self.done = False
        self._target = target
        self._calls = CallAssembler()
        self._reason = ""
        self._refused = False
        self._usage: Usage | None = None
        self._menders: dict[type[TextPart] | type[ThinkingPart], TextMender] = {
            ThinkingPart: TextMender(),
            TextPart: TextMender(),
        }

    @property
    def ended(self) -> bool:
        return bool(self._reason)

    def take(self, events: Iterable[tuple[bytes, bytes]]) -> Iterator[ModelEvent]:
        """The model events of what came in one read; neighbouring pieces of text are joined. Raises ModelError, after
        what came before it was given.
        """
        return self._joined(self._parts(events))

    def take_chunk(self, chunk: Chunk) -> Iterator[ModelEvent]:
        """The same for one chunk that another library decoded."""
        return self._joined(self._of_chunk(chunk))

    def _joined(self, parts: Iterable[Part]) -> Iterator[ModelEvent]:
        kind: type[TextPart] | type[ThinkingPart] = TextPart
        texts: list[str] = []
        failure: ModelError | None = None
        try:
            for part in parts:
                if texts and type(part) is not kind:
                    yield from self._text(kind, texts)
                    texts = []
                if isinstance(part, CallFinished):
                    yield part
                else:
                    kind = type(part)
                    texts.append(part.text)
        except ModelError as error:
            failure = error
        if texts:
            yield from self._text(kind, texts)
        if failure is not None:
            raise failure

    def _text(self, kind: type[TextPart] | type[ThinkingPart], texts: list[str]) -> Iterator[ModelEvent]:
        if whole := self._menders[kind].add("".join(texts)):
            yield kind(whole)

    def end(self) -> Iterator[ModelEvent]:
        """What the end of the stream completes. Raises ModelError when the answer is not complete."""
        finish = "filter" if self._refused else finish_of(self._reason)
        if finish is None:
            yield from self.abandon()
            raise error_of_cut(None, self._target) if not self._reason else error_of_end(self._reason, self._target)
        whole = finish in ("stop", "calls")
        for kind, mender in self._menders.items():
            if rest := mender.end():
                yield kind(rest)
        yield from self._calls.finish(whole=whole)
        if self._usage is not None:
            yield UsagePart(self._usage)
        if whole:  # the calls decide, not the flag: servers say "stop" with calls and "tool_calls" without
            finish = "calls" if self._calls else "stop"
        yield Finish(finish)

    def abandon(self) -> list[CallFinished]:
        """The calls that the end of the stream cut off."""
        return self._calls.finish(whole=False)

    def _parts(self, events: Iterable[tuple[bytes, bytes]]) -> Iterator[Part]:
        for name, data in events:
            data = data.strip()
            if data.startswith(b"[DONE]"):
                self.done = True
                return
            if not data:
                continue
            chunk = self._decode(data)
            if chunk is None:
                self.done = True
                return
            if name == b"error" and not chunk.error:
                chunk.error = data.decode("utf-8", "replace")
            yield from self._of_chunk(chunk)

    def _of_chunk(self, chunk: Chunk) -> Iterator[Part]:
        if chunk.error:
            raise error_of_body(chunk.error, self._target)
        if chunk.usage is not None:
            self._usage = usage_of(chunk.usage) or self._usage
        if chunk.choices:
            yield from self._choice(chunk.choices[0])

    def _choice(self, choice: Choice) -> Iterator[Part]:
        delta = choice.delta or choice.message
        if delta is not None:
            if thinking := text_of(delta.reasoning_content) or text_of(delta.reasoning) or thinking_of(delta.content):
                yield ThinkingPart(thinking)
            if text := text_of(delta.content):
                yield TextPart(text)
            if refusal := text_of(delta.refusal):
                self._refused = True
                yield TextPart(refusal)
            if delta.tool_calls:
                yield from self._calls.add(delta.tool_calls)
            if delta.function_call:
                yield from self._calls.add([Fragment(function=delta.function_call)])
        if isinstance(choice.finish_reason, str) and choice.finish_reason:
            self._reason = choice.finish_reason

    def _decode(self, data: bytes) -> Chunk | None:
        """The chunk in ``data``; None when it is none but the model had finished, so that nothing is missing."""
        try:
            return decode_chunk(data)
        except (ValueError, RecursionError) as error:
            if self.ended:
                return None
            message = f"{self._target.title} sent something that is no part of a chat completion."
            raw = f"{error}: {data[:500].decode('utf-8', 'replace')}"
            broken = model_error("protocol", message, self._target, raw)
        broken.retryable = True
        raise broken
