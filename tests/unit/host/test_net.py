"""The way out: loopback, proxies, clients."""

import httpx
import pytest

from tah_jupyter.host.net import is_loopback, plain_client, proxy_in_force

PROXY_NAMES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXY_NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("app.localhost", True),
        ("127.0.0.1", True),
        ("127.255.0.9", True),
        ("::1", True),
        ("[::1]", True),
        ("::ffff:127.0.0.1", True),
        ("::ffff:10.0.0.1", False),
        ("10.0.0.1", False),
        ("0.0.0.0", False),
        ("localhost.example", False),
        ("notlocalhost", False),
        ("", False),
    ],
)
def test_only_this_machine_is_loopback(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


@pytest.mark.parametrize(
    ("environ", "url", "expected"),
    [
        ({}, "https://a.example/v1", None),
        ({"HTTPS_PROXY": "http://p:1"}, "https://a.example/v1", ("HTTPS_PROXY", "http://p:1")),
        ({"HTTPS_PROXY": "http://me:secret@p:1"}, "https://a.example/v1", ("HTTPS_PROXY", "http://p:1")),
        ({"https_proxy": "http://low:1", "HTTPS_PROXY": "http://up:1"}, "https://a/", ("https_proxy", "http://low:1")),
        ({"ALL_PROXY": "socks5://p:1"}, "http://a.example", ("ALL_PROXY", "socks5://p:1")),
        ({"HTTP_PROXY": "http://p:1"}, "https://a.example", None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "a.example"}, "https://a.example/v1", None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "*"}, "https://a.example/v1", None),
        ({"HTTP_PROXY": "http://p:1"}, "http://127.0.0.1:8080/v1", None),
    ],
)
def test_the_variable_in_force_is_named_without_a_password(
    environ: dict[str, str], url: str, expected: tuple[str, str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert proxy_in_force(url) == expected


@pytest.mark.anyio
@pytest.mark.parametrize(("url", "trusts"), [("http://127.0.0.1:1/v1", False), ("http://a.example/v1", True)])
async def test_a_client_honours_the_environment_except_on_this_machine(url: str, trusts: bool) -> None:
    client = plain_client(url, headers={"x": "y"}, timeout=httpx.Timeout(1.0))
    assert (client.trust_env, client.headers["x"], client.follow_redirects) == (trusts, "y", False)
    await client.aclose()
