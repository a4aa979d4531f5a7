"""The one place that makes HTTP clients, and what the environment says about the way out."""

import ipaddress
import os
import ssl
import urllib.request
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

import httpx

__all__ = ["is_loopback", "offline_client", "plain_client", "proxy_in_force"]


def plain_client(base_url: str, *, headers: Mapping[str, str], timeout: httpx.Timeout) -> httpx.AsyncClient:
    """A client for one service that the person chose (a model provider), kept alive between requests.

    Proxies and certificates of the environment are honoured (``HTTPS_PROXY``, ``NO_PROXY``, ``SSL_CERT_FILE``), as
    whoever runs the machine expects; a server on this machine is reached directly, because a proxy elsewhere cannot
    reach it. Redirects are not followed: a key is sent only where it was meant to go. Blocks while certificates are
    read: call it in a thread.
    """
    address = urlsplit(base_url)
    return httpx.AsyncClient(
        headers=headers,
        timeout=timeout,
        trust_env=not is_loopback(address.hostname or ""),
        # Reading the system's certificates takes 20 ms and more; without TLS there is nothing to verify.
        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if _plain_and_direct(address.scheme, address.hostname) else True,
        limits=httpx.Limits(keepalive_expiry=60.0),
    )


def offline_client(answer: Callable[[httpx.Request], httpx.Response]) -> httpx.AsyncClient:
    """A client that reaches no network: ``answer`` answers each request in this process."""
    return httpx.AsyncClient(transport=httpx.MockTransport(answer))


def is_loopback(host: str) -> bool:
    """Whether ``host`` is this machine by name or address.

    >>> is_loopback("localhost"), is_loopback("127.8.0.1"), is_loopback("::1"), is_loopback("192.168.0.2")
    (True, True, True, False)
    """
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):  # RFC 6761, section 6.3
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def proxy_in_force(url: str) -> tuple[str, str] | None:
    """The environment variable that sends ``url`` through a proxy and the proxy without its password, or None."""
    address = urlsplit(url)
    host = address.hostname or ""
    if is_loopback(host) or urllib.request.proxy_bypass(host):
        return None
    for name in (f"{address.scheme}_proxy", "all_proxy"):
        for variable in (name, name.upper()):
            if value := os.environ.get(variable, "").strip():
                scheme, mark, place = value.rpartition("://")
                return variable, scheme + mark + place.rpartition("@")[2]
    return None


def _plain_and_direct(scheme: str, host: str | None) -> bool:
    return scheme == "http" and is_loopback(host or "")
