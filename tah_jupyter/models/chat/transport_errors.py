"""What a broken connection means: each error of the HTTP client as a ModelError that says what to do next."""

import os
import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx

from tah_jupyter.core.errors import ModelError
from tah_jupyter.host.net import is_loopback, proxy_in_force
from tah_jupyter.models.chat.provider_errors import Target, model_error
from tah_jupyter.models.local_addresses import local_server_at

__all__ = ["error_of_cut", "error_of_settings", "error_of_transport"]


def error_of_transport(error: Exception, target: Target) -> ModelError:
    """The error of a connection that could not be made, or that broke before the answer began."""
    causes = list(_chain(error))
    raw = " · ".join(f"{type(cause).__name__}: {cause}" for cause in causes)
    last = " ".join(str(causes[-1]).split()).rstrip(".") or type(causes[-1]).__name__
    host = urlsplit(target.base_url).hostname or ""
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return _untrusted(cause.verify_message, raw, target)
    if isinstance(error, (httpx.ProxyError, httpx.ConnectError, httpx.ConnectTimeout)):
        proxy = proxy_in_force(target.base_url)
        if proxy is not None:
            message = f"The proxy {proxy[1]}, set by {proxy[0]}, does not lead to {target.title}: {last}."
            step = f"Correct {proxy[0]}, or add {host} to NO_PROXY."
            return model_error("connection", message, target, raw, next_step=step)
    if isinstance(error, httpx.TimeoutException):
        return model_error("timeout", f"{target.title} did not answer in time.", target, raw)
    if isinstance(error, (httpx.UnsupportedProtocol, httpx.InvalidURL, httpx.LocalProtocolError)):
        return model_error("bad_request", f"The request to {target.base_url} cannot be sent: {last}.", target, raw)
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return model_error("connection", f"The name {host} cannot be found.", target, raw)
    if isinstance(error, httpx.ConnectError):
        if is_loopback(host):
            return _nothing_local(raw, target)
        return model_error("connection", f"Nothing answers on {target.title}.", target, raw)
    return model_error("connection", f"The connection to {target.title} broke before it answered.", target, raw)


def error_of_cut(error: Exception | None, target: Target) -> ModelError:
    """The error of an answer that began and did not end: by ``error``, or by a stream that simply stopped."""
    timed_out = isinstance(error, (TimeoutError, httpx.TimeoutException))
    how = "stopped coming" if timed_out else "was cut off"
    raw = f"{type(error).__name__}: {error}" if error else "the stream ended without a finish reason"
    return ModelError(
        f"The answer of {target.title} {how} before it was complete.",
        kind="cut",
        next_step="What came is kept; run the cell again to go on.",
        retryable=True,
        raw=target.redact(raw),
    )


def error_of_settings(error: Exception, target: Target) -> ModelError:
    """The error of a client that could not be made: a proxy or a certificate file of the environment is no such
    thing.
    """
    proxy = proxy_in_force(target.base_url)
    if proxy is not None and not isinstance(error, OSError):
        message = f"The proxy {proxy[1]}, set by {proxy[0]}, cannot be used: {str(error).rstrip('.')}."
        return model_error("bad_request", message, target, next_step=f"Correct {proxy[0]} and restart the kernel.")
    message = f"The certificates of this machine cannot be read: {str(error).rstrip('.')}."
    step = f"Correct {_named_certificates() or 'SSL_CERT_FILE'} and restart the kernel."
    return model_error("bad_request", message, target, next_step=step)


def _nothing_local(raw: str, target: Target) -> ModelError:
    """People start a server where their browser is, and the kernel is somewhere else."""
    server = local_server_at(urlsplit(target.base_url).port)
    title = server.title if server else "A server"
    message = (
        f"Nothing answers on {target.title} of {socket.gethostname()}, where your kernel runs. "
        f"{title} on your laptop is not reachable from there."
    )
    start = f" ({server.start})" if server and server.start else ""
    step = f"Start the server there{start}, or correct its address; then run the cell again."
    return model_error("connection", message, target, raw, next_step=step)


def _untrusted(why: str, raw: str, target: Target) -> ModelError:
    named = _named_certificates()
    step = (
        f"The certificates come from {named}: it needs those of the company proxy too. Then restart the kernel."
        if named
        else "Behind a company proxy, set SSL_CERT_FILE to a file with its certificates, and restart the kernel."
    )
    error = model_error(
        "connection", f"The certificate of {target.title} is not trusted here: {why}.", target, raw, next_step=step
    )
    error.retryable = False
    return error


def _named_certificates() -> str:
    """The variables that say which certificates are trusted, with their values; empty when none does."""
    given = {name: os.environ.get(name, "").strip() for name in ("SSL_CERT_FILE", "SSL_CERT_DIR")}
    return " and ".join(f"{name} ({value})" for name, value in given.items() if value)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
