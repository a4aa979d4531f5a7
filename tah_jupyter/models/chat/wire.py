"""The bytes of a request. Each message is encoded once in its life, so that a long session costs linear work.

What the person says in a row, after a run that failed or was stopped, is sent as one message: the chat templates of
many local models (Gemma's and Mistral's, for two) refuse a conversation in which person and model do not alternate.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from tah_jupyter.core.calls import ToolSchema
from tah_jupyter.core.messages import AssistantMessage, Message, ModelRequest, ToolMessage, UserMessage

__all__ = ["RequestBody", "alternating", "wire_message", "wire_tool"]

_encode = msgspec.json.encode
_CONVERSATIONS = 8  # a session and its sub-agents take turns on one model; older ones are encoded again


class _Conversation:
    """The encoded messages of one history, which only grows. What the person said last stays open: more may follow."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.encoded = bytearray()
        self.said: list[UserMessage] = []


class RequestBody:
    """Builds the JSON body of OpenAI's chat completions for ``model``. ``options`` are further parameters, sent as they
    are. ``short_ids`` writes call ids as nine letters and digits, the only form that Mistral takes.
    """

    def __init__(self, model: str, options: Mapping[str, Any] | None = None, *, short_ids: bool = False) -> None:
        options = dict(options or {})
        if own := {"model", "messages", "tools", "stream", "stream_options"} & options.keys():
            raise ValueError(f"These parameters are set by the route and cannot be options: {', '.join(sorted(own))}.")
        self._head = _encode({"model": model, **options, "stream": True})[:-1]
        self._short_ids = short_ids
        self._conversations: OrderedDict[object, _Conversation] = OrderedDict()
        self._tools: Sequence[ToolSchema] = ()
        self._tool_bytes = b""

    def build(self, request: ModelRequest, *, with_usage: bool) -> bytes:
        """The body for ``request``; ``with_usage`` asks for the tokens at the end of the stream."""
        parts: list[bytes | bytearray] = [self._head]
        if with_usage:
            parts.append(b',"stream_options":{"include_usage":true}')
        parts += (self._encoded_tools(request.tools), b',"messages":[', *self._encoded_messages(request), b"]}")
        return b"".join(parts)

    def _encoded_tools(self, tools: Sequence[ToolSchema]) -> bytes:
        if tools is not self._tools and list(tools) != list(self._tools):
            self._tool_bytes = b',"tools":' + _encode([wire_tool(tool) for tool in tools]) if tools else b""
        self._tools = tools if isinstance(tools, tuple) else tuple(tools)
        return self._tool_bytes

    def _encoded_messages(self, request: ModelRequest) -> tuple[bytes | bytearray, ...]:
        conversation = self._conversation(request)
        known = len(conversation.messages)
        # List comparison looks at identity first, so this is a few nanoseconds a message.
        if list(request.messages[:known]) != conversation.messages:
            conversation = self._conversations[_key(request)] = _Conversation()
            known = 0
        if not conversation.encoded:
            conversation.encoded += _safe_encode({"role": "system", "content": request.system})
        for message in request.messages[known:]:
            if isinstance(message, UserMessage):
                conversation.said.append(message)
            else:
                conversation.encoded += self._encoded(alternating([*conversation.said, message]))
                conversation.said.clear()
            conversation.messages.append(message)
        return conversation.encoded, self._encoded(alternating(conversation.said))

    def _encoded(self, messages: Iterable[Message]) -> bytes:
        return b"".join(b"," + _safe_encode(wire_message(message, self._id)) for message in messages)

    def _conversation(self, request: ModelRequest) -> _Conversation:
        key = _key(request)
        conversation = self._conversations.setdefault(key, _Conversation())
        self._conversations.move_to_end(key)
        while len(self._conversations) > _CONVERSATIONS:
            self._conversations.popitem(last=False)
        return conversation

    def _id(self, call_id: str) -> str:
        return hashlib.sha256(call_id.encode()).hexdigest()[:9] if self._short_ids else call_id


def alternating(messages: Iterable[Message]) -> Iterator[Message]:
    """``messages`` with those of the person that follow one another joined.

    >>> [message.text for message in alternating([UserMessage("a"), UserMessage("b"), AssistantMessage("c")])]
    ['a\\n\\nb', 'c']
    """
    said: list[str] = []
    for message in messages:
        if isinstance(message, UserMessage):
            said.append(message.text)
            continue
        if said:
            yield UserMessage("\n\n".join(said))
            said = []
        yield message
    if said:
        yield UserMessage("\n\n".join(said))


def wire_message(message: Message, id_of: Callable[[str], str] = str) -> dict[str, Any]:
    """``message`` as OpenAI's chat completions have it; ``id_of`` says how a call's id is written there."""
    if isinstance(message, ToolMessage):
        return {"role": "tool", "tool_call_id": id_of(message.call_id), "content": message.text}
    if not isinstance(message, AssistantMessage):
        return {"role": "user", "content": message.text}
    if not message.calls:
        return {"role": "assistant", "content": message.text}
    calls = [
        {
            "id": id_of(call.call_id),
            "type": "function",
            "function": {"name": call.tool, "arguments": call.arguments},
        }
        for call in message.calls
    ]
    return {"role": "assistant", "content": message.text or None, "tool_calls": calls}


def _key(request: ModelRequest) -> object:
    return request.system, request.messages[0] if request.messages else None


def wire_tool(tool: ToolSchema) -> dict[str, Any]:
    """What the model is told of ``tool``, as OpenAI's chat completions have it."""
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _safe_encode(value: object) -> bytes:
    try:
        return _encode(value)
    except UnicodeEncodeError:  # half of a surrogate pair, from a file name or a cut string: no JSON can carry it
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
