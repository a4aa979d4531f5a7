"""The bytes of a request: what is in them, and that they are made once."""

import json
from typing import Any

import pytest

from tah_jupyter.core.calls import ToolSchema
from tah_jupyter.core.messages import AssistantMessage, CallPart, Message, ModelRequest, ToolMessage, UserMessage
from tah_jupyter.models.chat import wire
from tah_jupyter.models.chat.wire import RequestBody

CALL = AssistantMessage("", (CallPart("call-1", "read", "{}"),))


def built(body: RequestBody, *messages: Message, tools: tuple[ToolSchema, ...] = ()) -> Any:
    return json.loads(body.build(ModelRequest("s", messages, tools), with_usage=False))


def test_call_ids_can_be_written_as_nine_letters_and_digits() -> None:
    sent = built(RequestBody("m", short_ids=True), UserMessage("go"), CALL, ToolMessage("call-1", "x"))["messages"]
    made, answered = sent[2]["tool_calls"][0]["id"], sent[3]["tool_call_id"]
    assert made == answered
    assert len(made) == 9
    assert made.isalnum()


@pytest.mark.parametrize("name", ["model", "messages", "tools", "stream", "stream_options"])
def test_options_cannot_replace_what_the_route_sets(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        RequestBody("m", {name: 1})


def test_more_conversations_than_are_kept_are_all_sent_whole() -> None:
    body = RequestBody("m")
    for turn in range(2):
        for number in range(12):
            messages: list[Message] = [UserMessage(f"q{number}"), *[AssistantMessage("a")] * turn]
            sent = built(body, *messages)["messages"]
            assert [message["content"] for message in sent] == ["s", *(message.text for message in messages)]


def test_what_the_person_says_in_a_row_is_one_message_as_strict_chat_templates_want_it() -> None:
    body = RequestBody("m")
    history: list[Message] = [UserMessage("go"), UserMessage("once more")]
    assert [message["content"] for message in built(body, *history)["messages"]] == ["s", "go\n\nonce more"]
    history += [UserMessage("please")]
    assert [message["content"] for message in built(body, *history)["messages"]] == ["s", "go\n\nonce more\n\nplease"]
    history += [CALL, ToolMessage("call-1", "x"), UserMessage("note"), UserMessage("and this"), AssistantMessage("ok")]
    sent = built(body, *history)["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool", "user", "assistant"]
    assert sent == built(RequestBody("m"), *history)["messages"], "the same bytes as if it were sent at once"


def test_tools_are_sent_as_they_are_now() -> None:
    body = RequestBody("m")
    read, write = (ToolSchema(name, "d", {"type": "object"}) for name in ("read", "write"))
    for tools in ((read,), (read, write), (), (write,), (write,)):
        sent = built(body, UserMessage("go"), tools=tools)
        assert [tool["function"]["name"] for tool in sent.get("tools", [])] == [tool.name for tool in tools]


def test_an_empty_history_still_has_its_instructions() -> None:
    assert built(RequestBody("m"))["messages"] == [{"role": "system", "content": "s"}]


def test_a_message_is_encoded_once_in_its_life(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[Message] = []  # but for what the person said last, to which more may be added
    body = RequestBody("m")
    plain = wire.wire_message
    monkeypatch.setattr(wire, "wire_message", lambda message, id_of: encoded.append(message) or plain(message, id_of))
    history: list[Message] = []
    for number in range(50):
        history += [UserMessage(f"q{number}"), AssistantMessage("a")]
        built(body, *history)
    assert encoded == history
