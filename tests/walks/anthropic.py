"""api.anthropic.com itself, as far as a kernel can tell: a proxy on loopback that answers in its place.

The kernel is told of the proxy and of the certificate by the usual variables, so nothing in the product knows of it:
addresses, host names and prices are those that a person with a key sees. The protocol is that of Anthropic's Messages
API reference ("Streaming messages", "List models", "Errors").
"""

import json
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.walks.churn import Step, march
from tests.walks.stand_in import GATE_S, Handler, StandIn, running

__all__ = ["KEY", "MODEL", "Anthropic", "anthropic"]

KEY = "sk-ant-api03-walk-Qm4Tz81vLp40RtWk-x7Q2"
"""The one key that is taken."""

MODEL = "claude-sonnet-5-5"

CERTIFICATE = Path(__file__).parent / "anthropic.pem"
"""For api.anthropic.com, signed by itself, and its key, which protects nothing."""


class Anthropic(StandIn):
    """The running stand-in; ``says`` is how its model answers."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.says: Callable[[int, Sequence[str]], list[Step]] = march
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(CERTIFICATE)

    @property
    def environ(self) -> dict[str, str]:
        """How a kernel is led here."""
        return {
            "HTTPS_PROXY": f"http://{self.address}",
            "NO_PROXY": "127.0.0.1,localhost",
            "SSL_CERT_FILE": str(CERTIFICATE),
        }


@contextmanager
def anthropic() -> Iterator[Anthropic]:
    with running(Anthropic()) as server:
        yield server


class _Handler(Handler):
    server: Anthropic

    def do_CONNECT(self) -> None:
        assert self.path == "api.anthropic.com:443", f"the kernel wanted to reach {self.path}"
        self.send_response(200)
        self.end_headers()
        self.connection = self.server.tls.wrap_socket(self.connection, server_side=True)
        self.rfile = self.connection.makefile("rb")
        self.wfile = self.connection.makefile("wb", 0)
        self.close_connection = False

    def do_GET(self) -> None:
        models = [{"type": "model", "id": MODEL, "display_name": "Claude Sonnet"}]
        self._guarded({"data": models, "has_more": False, "first_id": MODEL, "last_id": MODEL})

    def do_POST(self) -> None:
        body = self.body()
        if self.headers.get("x-api-key") == KEY:
            self.server.bodies.append(body)
            self.server.may_answer.wait(GATE_S)
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        self._guarded(_stream(self.server.says(turn, _results(body["messages"])), size=len(json.dumps(body))))

    def _guarded(self, value: Any) -> None:
        if self.headers.get("x-api-key") == KEY:
            self.answer(value)
        else:
            error = {"type": "authentication_error", "message": "invalid x-api-key"}
            self.answer({"type": "error", "error": error}, 401)

    def finish(self) -> None:
        super().finish()
        self.connection.close()


def _results(messages: Sequence[dict[str, Any]]) -> list[str]:
    """What the last calls returned."""
    content = messages[-1]["content"]
    parts = content if isinstance(content, list) else []
    return [json.dumps(part["content"]) for part in parts if part.get("type") == "tool_result"]


def _stream(steps: Sequence[Step], *, size: int) -> bytes:
    usage = {"input_tokens": size // 4, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": [], "usage": usage}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    for index, step in enumerate(steps):
        events += _block(index, step)
    reason = "tool_use" if any("calls" in step for step in steps) else "end_turn"
    end = {"stop_reason": reason, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": end, "usage": {"output_tokens": 60}})
    events.append({"type": "message_stop"})
    return "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events).encode()


def _block(index: int, step: Step) -> Iterator[dict[str, Any]]:
    begun: dict[str, Any]
    if "says" in step:
        begun, piece = {"type": "text", "text": ""}, {"type": "text_delta", "text": step["says"]}
    else:
        begun = {"type": "tool_use", "id": f"toolu_{index}", "name": step["calls"], "input": {}}
        piece = {"type": "input_json_delta", "partial_json": json.dumps(step["args"])}
    yield {"type": "content_block_start", "index": index, "content_block": begun}
    yield {"type": "content_block_delta", "index": index, "delta": piece}
    yield {"type": "content_block_stop", "index": index}
