"""A server on loopback in the place of somebody else's: each request in a thread, what was asked is kept."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

__all__ = ["GATE_S", "Handler", "StandIn", "running"]

GATE_S = 100.0
"""Longest wait for a test to let an answer go."""


class StandIn(ThreadingHTTPServer):
    """``bodies`` are the requests to the model, in order; ``may_answer`` holds the answers back while it is not set."""

    def __init__(self, handler: type["Handler"]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.bodies: list[Any] = []
        self.may_answer = threading.Event()
        self.may_answer.set()

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.server_port}"


Server = TypeVar("Server", bound=StandIn)


@contextmanager
def running(server: Server) -> Iterator[Server]:
    """Serve until the end."""
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.may_answer.set()
        server.shutdown()
        server.server_close()
        thread.join()


class Handler(BaseHTTPRequestHandler):
    """Answers with JSON or a stream, and keeps the connection."""

    protocol_version = "HTTP/1.1"

    def body(self) -> Any:
        """The JSON that was sent."""
        return json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"null")

    def answer(self, value: Any, status: int = 200) -> None:
        """``value`` as JSON; bytes are a stream of server-sent events."""
        stream = isinstance(value, bytes)
        content = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "text/event-stream" if stream else "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:
            return  # the client went away, which is its right

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""
