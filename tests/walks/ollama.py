"""Ollama on loopback: what it tells of its models, by its API reference, and their answers over chat completions."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tests.support import json_service
from tests.support.provider import chunk, events, finish, text, usage
from tests.walks.churn import Step, march
from tests.walks.stand_in import GATE_S, Handler, StandIn, running

__all__ = ["MODELS", "Ollama", "ollama"]

MODELS = {"qwen3:8b": ["completion", "tools", "thinking"], "gemma3:4b": ["completion", "vision"]}


class Ollama(StandIn):
    """The running stand-in; ``models`` may be told to have another window, ``says`` is how they answer."""

    def __init__(self, able: Mapping[str, list[str]]) -> None:
        super().__init__(_Handler)
        self.models = json_service.Ollama(able)
        self.says: Callable[[int, Sequence[str]], list[Step]] = march

    def restart(self, window: int) -> None:
        """As `OLLAMA_CONTEXT_LENGTH=… ollama serve` does it."""
        self.models.window = window
        self.models.loaded.clear()


@contextmanager
def ollama(able: Mapping[str, list[str]] = MODELS) -> Iterator[Ollama]:
    with running(Ollama(able)) as server:
        yield server


class _Handler(Handler):
    server: Ollama

    def do_GET(self) -> None:
        self._tell()

    def do_POST(self) -> None:
        if self.path == "/v1/chat/completions":
            self._chat(self.body())
        else:
            self._tell()

    def _tell(self) -> None:
        asked = json_service.Asked(self.command, self.path, dict(self.headers), self.body())
        route = self.server.models.routes.get(self.path)
        if self.path == "/api/generate":
            self.server.may_answer.wait(GATE_S)
        told = route(asked) if route is not None else (404, {"error": "not found"})
        status, value = told if isinstance(told, tuple) else (200, told)
        self.answer(value, status)

    def _chat(self, body: dict[str, Any]) -> None:
        self.server.bodies.append(body)
        if body.get("tools") and "tools" not in self.server.models.able[body["model"]]:
            self.answer({"error": {"message": f"{body['model']} does not support tools"}}, 400)
            return
        messages = body["messages"]
        turn = sum(message["role"] == "assistant" for message in messages)
        self.answer(_stream(self.server.says(turn, _results(messages))))


def _results(messages: Sequence[dict[str, Any]]) -> list[str]:
    """What the last calls returned."""
    last = max((at for at, message in enumerate(messages) if message["role"] == "assistant"), default=len(messages))
    return [json.dumps(message["content"]) for message in messages[last + 1 :]]


def _stream(steps: Sequence[Step]) -> bytes:
    said = [text(step["says"]) for step in steps if "says" in step]
    calls = [step for step in steps if "calls" in step]
    made = [chunk({"tool_calls": [_call(index, step)]}) for index, step in enumerate(calls)]
    return events(*said, *made, finish("tool_calls" if calls else "stop"), usage(900, 60))


def _call(index: int, step: Step) -> dict[str, Any]:
    function = {"name": step["calls"], "arguments": json.dumps(step["args"])}
    return {"index": index, "id": f"call_{index}", "type": "function", "function": function}
