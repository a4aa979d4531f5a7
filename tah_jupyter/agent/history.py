"""What the model remembers: a fold over the records of a session, checked before every request.

The same fold gives the history of a live session (fed with the events before redaction, in memory only) and of a
resumed one (fed with the log, of which a damaged disk may have lost lines).
"""

from collections.abc import Iterable, Iterator, Mapping

from tah_jupyter.core.errors import RequestInvalid
from tah_jupyter.core.events import Event, MessageFinished, PromptAdded, RunStarted, ToolFailed, ToolFinished, TurnEnded
from tah_jupyter.core.messages import AssistantMessage, Message, ToolMessage, UserMessage

__all__ = ["History"]

LOST = "The result of this call cannot be read any more. Check the present state before you go on."


class History:
    """``messages`` only ever grows at its end, so a route may keep the bytes of what it has sent."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._results: dict[str, str] = {}  # by call; its ids are unique over the session
        self._calls: tuple[str, ...] = ()  # of the last message, still without their results
        self._added: list[str] = []  # prompts that came while calls were open
        self.chars = 0  # of what was checked, without the names of calls
        self._checked = 0
        self._expected: list[str] = []  # results that the validator waits for

    @classmethod
    def of(cls, records: Iterable[Event]) -> "History":
        """The history that ``records`` stand for."""
        history = cls()
        for record in records:
            history.apply(record)
        history.messages = list(_whole(history.messages, history._results))
        return history

    def apply(self, event: Event) -> None:
        """Take one event in; events of sub-agents and those the model is not told of change nothing."""
        if event.parent:
            return
        if isinstance(event, RunStarted):
            self._calls = ()  # a run that ended left none; one whose end the log lost may have
            self.messages.append(UserMessage(event.prompt))
        elif isinstance(event, PromptAdded):
            self._added.append(event.text)
        elif isinstance(event, MessageFinished):
            self._message(event)
        elif isinstance(event, ToolFinished | ToolFailed):
            self._results.setdefault(event.call, event.text)
        elif isinstance(event, TurnEnded):
            self._end_turn()
        if self._added and not self._calls:
            self.messages.extend(UserMessage(text) for text in self._added)
            self._added.clear()

    def _message(self, event: MessageFinished) -> None:
        if event.text or event.calls:
            self.messages.append(AssistantMessage(event.text, event.calls))
        self._calls = tuple(call.call_id for call in event.calls)

    def _end_turn(self) -> None:
        """Results join in the order of the calls, whatever order they came in."""
        for call_id in self._calls:
            if call_id in self._results:
                self.messages.append(ToolMessage(call_id, self._results[call_id]))
        self._calls = ()

    def check(self) -> list[Message]:
        """The messages, ready to be sent. Raises RequestInvalid when a provider would have to refuse them.

        Each call has exactly one result, in the order of the calls, right after its message (law 3). Only what is new
        since the last check is looked at.
        """
        for message in self.messages[self._checked :]:
            self._check(message)
            self._checked += 1
            self.chars += _chars(message)
        if self._expected:
            raise RequestInvalid(f"The calls {', '.join(self._expected)} have no result.")
        if not self.messages or isinstance(self.messages[-1], AssistantMessage):
            raise RequestInvalid("There is nothing to answer: the last message is not from the person or a tool.")
        return self.messages

    def _check(self, message: Message) -> None:
        if isinstance(message, ToolMessage):
            if not self._expected or self._expected[0] != message.call_id:
                wanted = self._expected[0] if self._expected else "none"
                raise RequestInvalid(f"The result of {message.call_id} is out of order (next is {wanted}).")
            self._expected.pop(0)
            return
        if self._expected:
            raise RequestInvalid(f"The calls {', '.join(self._expected)} have no result.")
        if isinstance(message, AssistantMessage):
            ids = [call.call_id for call in message.calls]
            if len(set(ids)) != len(ids):
                raise RequestInvalid(f"Two calls of one message have the same id ({', '.join(ids)}).")
            self._expected = ids


def _chars(message: Message) -> int:
    """How long it is, about."""
    calls = message.calls if isinstance(message, AssistantMessage) else ()
    return len(message.text) + sum(len(call.arguments) for call in calls)


def _whole(messages: Iterable[Message], results: Mapping[str, str]) -> Iterator[Message]:
    """``messages`` with the result of each call behind it. That is how they are, unless lines of the log are lost: then
    a result is found where it came late, or said to be lost, so that the conversation can go on.
    """
    for message in messages:
        if isinstance(message, ToolMessage):
            continue
        yield message
        if isinstance(message, AssistantMessage):
            for call in message.calls:
                yield ToolMessage(call.call_id, results.get(call.call_id, LOST))
