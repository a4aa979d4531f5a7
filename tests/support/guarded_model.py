"""A provider of chat completions on loopback, in a thread of its own: it wants a key and says one sentence."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.support.provider import events, finish, text, usage

__all__ = ["ANSWER", "KEY", "guarded_model"]

KEY = "key-of-a-test-9f3b7c51d2"
ANSWER = "There is one file, a.py."


class _Guarded(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer("application/json", json.dumps({"object": "list", "data": [{"id": "small"}]}).encode())

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self._answer("text/event-stream", events(text(ANSWER), finish(), usage()))

    def _answer(self, kind: str, body: bytes) -> None:
        known = self.headers["authorization"] == f"Bearer {KEY}"
        if not known:
            kind = "application/json"
            body = json.dumps({"error": {"message": "Incorrect API key provided.", "code": "invalid_api_key"}}).encode()
        self.send_response(200 if known else 401)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Print nothing."""


@contextmanager
def guarded_model() -> Iterator[str]:
    """The base URL of a running one."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Guarded) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
