"""Where model servers of one's own machine answer, by the names they have in ``NAME/MODEL``. Plain data and no socket:
imported at ``%load_ext``.
"""

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

__all__ = ["LOCAL_SERVERS", "LocalAddress", "local_server_at", "ollama_url"]

_OLLAMA_PORT = 11434


class LocalAddress(NamedTuple):
    """A kind of server. ``url`` is where it answers OpenAI's chat completions unless it was told otherwise; ``start``
    is the command that starts it, empty where there is a window for that. One that ``serves_one`` model needs no name.
    """

    name: str
    title: str
    url: str
    start: str = ""
    serves_one: bool = False

    def url_in(self, environ: Mapping[str, str]) -> str:
        """Where it answers here."""
        return f"{ollama_url(environ)}/v1" if self.name == "ollama" else self.url


# The ports are the defaults of each server's own documentation.
LOCAL_SERVERS: dict[str, LocalAddress] = {
    server.name: server
    for server in (
        LocalAddress("ollama", "Ollama", f"http://localhost:{_OLLAMA_PORT}/v1", "ollama serve"),
        LocalAddress("lmstudio", "LM Studio", "http://localhost:1234/v1", "lms server start"),
        LocalAddress("llamacpp", "llama.cpp", "http://localhost:8080/v1", "llama-server", serves_one=True),
    )
}


def ollama_url(environ: Mapping[str, str]) -> str:
    """The address of Ollama: ``OLLAMA_HOST`` as Ollama itself reads it (host, port, scheme, each may be missing), with
    the addresses that mean "every one of this machine" read as this machine.

    >>> ollama_url({}), ollama_url({"OLLAMA_HOST": "0.0.0.0"}), ollama_url({"OLLAMA_HOST": "https://gpu-1/"})
    ('http://localhost:11434', 'http://localhost:11434', 'https://gpu-1:443')
    """
    given = environ.get("OLLAMA_HOST", "").strip().strip("\"'")
    scheme, mark, rest = given.partition("://")
    if not mark:
        scheme, rest = "http", given
    try:
        address = urlsplit(f"//{rest}")
        port = address.port
    except ValueError:  # no address at all: Ollama's own default then
        return f"http://localhost:{_OLLAMA_PORT}"
    host = address.hostname or ""
    host = "localhost" if host in ("", "0.0.0.0", "::") else host  # noqa: S104 - read, never bound
    host = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}[scheme] if mark and scheme in ("http", "https") else _OLLAMA_PORT
    return f"{scheme}://{host}:{port or usual}{address.path.rstrip('/')}"


def local_server_at(port: int | None) -> LocalAddress | None:
    """The kind of server that usually answers on ``port``."""
    return next((server for server in LOCAL_SERVERS.values() if urlsplit(server.url).port == port), None)
