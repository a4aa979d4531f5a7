"""Shapes of keys and tokens that are secret wherever they stand, chosen for precision: a git SHA, a UUID, a
``${PLACEHOLDER}`` or a CSS class of scikit-learn is none of them.

Each shape comes three times, because three readers need it: ``trigger`` (RE2, over encoded bytes) says cheaply that a
record may hold one, ``match`` finds it exactly, ``partial`` (RE2) is the end of a text that could still become one.
Formats are those the vendors publish for secret scanning (GitHub, GitLab, OpenAI, Anthropic, Slack, AWS, Google,
Stripe, npm, PyPI), RFC 7519 (JWT), RFC 6750 (Bearer), RFC 7468 (PEM), RFC 3986 §3.2.1 (user information in URLs).
"""

import base64
import binascii
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import re2

__all__ = ["PARTIAL", "SECRET_PATTERNS", "SecretPattern", "compiled", "prefixes_of"]

# Where a token may begin: not inside a word, but also behind an escape that ends in a letter: a written \n, %20, or
# the colour code ESC[32m.
_START = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\[[0-9]m)|(?<=[\[;][0-9]{2}m)|(?<=;[0-9]m))"
# The same for RE2, which has no look-behind.
_BOUNDARY = r"(?:\A|[^A-Za-z0-9_-]|\\[nrt]|%[0-9A-Fa-f]{2}|\[[0-9;]*m)"


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """One shape. ``hints`` are texts without which it cannot occur (lower case); the group ``secret`` of ``match`` is
    what is masked; ``accept`` has the last word on it. The group ``tail`` of ``partial`` is what must be held back.
    """

    name: str
    hints: tuple[str, ...]
    trigger: str
    match: re.Pattern[str]
    partial: str
    accept: Callable[[str], bool] = bool


def prefixes_of(literal: str) -> str:
    """A pattern for every beginning of ``literal`` but the empty one: ``ab`` gives ``a(?:b)?``."""
    pattern = ""
    for char in reversed(literal):
        pattern = re.escape(char) + (f"(?:{pattern})?" if pattern else "")
    return pattern


def _held(tail: str) -> str:
    return f"{_BOUNDARY}(?P<tail>{tail})"


def compiled(pattern: str) -> Any:
    """``pattern`` as an RE2 that prints nothing to the person's terminal, whatever happens."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 64 << 20
    return re2.compile(pattern, options)


def _token(
    name: str, *prefixes: str, body: str = "[A-Za-z0-9]", least: int, accept: Callable[[str], bool] = bool
) -> SecretPattern:
    starts = "|".join(map(re.escape, prefixes))
    return SecretPattern(
        name=name,
        hints=tuple(prefix.lower() for prefix in prefixes),
        trigger=f"(?:{starts}){body}{{{least}}}",
        match=re.compile(f"{_START}(?P<secret>(?:{starts}){body}{{{least},}})"),
        partial=_held(f"{'|'.join(map(prefixes_of, prefixes))}|(?:{starts}){body}*"),
        accept=lambda token: not _is_placeholder(token) and accept(token),
    )


_STAND_IN = re.compile(
    r"^(?:\$\{.*|\$\(.*|\$[A-Z_][A-Z0-9_]*|\{.*\}|\[.*\]|%s|%\(.*\)s|%[A-Z_]+%)$|your[-_]?(?:own|api|key|token|secret|openai|pass)",
    re.IGNORECASE,
)


def _is_placeholder(token: str) -> bool:
    """Whether it only shows where a secret would go."""
    if set(token[-8:]) <= set("xX0.*-_"):
        return True
    return _STAND_IN.search(token) is not None


def _looks_random(token: str) -> bool:
    """Whether no person would write it: a long run without a break that holds digits, or cases and digits mixed."""
    digits = sum(char.isdigit() for char in token)
    mixed = digits >= 2 and any(c.isupper() for c in token) and any(c.islower() for c in token) and len(token) >= 20
    return mixed or any(
        len(run) >= 16 and any(char.isdigit() for char in run) for run in re.split(r"[^A-Za-z0-9]", token)
    )


def _is_model_key(token: str) -> bool:
    # scikit-learn's page styles are full of sk-toggleable__content and sk-container-id-12
    return _looks_random(token) or re.search(r"[A-Za-z0-9]{20}", token) is not None


def _is_slack(token: str) -> bool:
    return sum(char.isdigit() for char in token) >= 4


def _is_jwt(token: str) -> bool:
    """Whether its first part really is the header of a JSON Web Token, and something follows it."""
    head, _, rest = token.partition(".")
    if len(rest) < 4:
        return False
    try:
        header = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, binascii.Error):
        return False
    return isinstance(header, dict) and ("alg" in header or "enc" in header)


def _is_url_password(password: str) -> bool:
    return not _is_placeholder(password)


def _is_query_value(value: str) -> bool:
    return not _is_placeholder(value) and _looks_random(value.replace("-", "").replace("%", ""))


def _is_bearer(token: str) -> bool:
    return not _is_placeholder(token) and _looks_random(token)


def _is_basic(token: str) -> bool:
    try:
        return b":" in base64.b64decode(token + "=" * (-len(token) % 4), validate=True)
    except (ValueError, binascii.Error):
        return False


def _holds_key(block: str) -> bool:
    """Whether key material follows the marker; code that only looks for the marker has none."""
    return re.search(r"[A-Za-z0-9+/=]{40}", block) is not None


_WORDISH = "[A-Za-z0-9_-]"
_BEARER = r"[A-Za-z0-9._~+/=-]"
_IS = r"""[\\"']{0,4}\s{0,4}[:=]\s{0,4}[\\"']{0,4}"""  # the middle of `"name": "value"`, escaped or not
_IS_PART = r"""[\\"'\s:=]{0,20}"""
_USER = r"""[^\s/@:"'\\<>?#]*"""
_URL_PART = r"""[^\s/"'\\<>?#]+"""
_QUERY_NAME = (
    r"(?i:api[_-]?key|access[_-]?token|auth[_-]?token|token|client[_-]?secret|password|secret|sig|signature"
    r"|x-(?:amz|goog)-signature)"
)
_PEM_BEGIN = "-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
_PEM_END = "-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"

SECRET_PATTERNS: tuple[SecretPattern, ...] = (
    SecretPattern(
        "PRIVATE_KEY",
        ("private key",),
        "-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY",
        # to its end, or, when the end is cut off, to the last long piece of key material that follows
        re.compile(
            rf"(?P<secret>{_PEM_BEGIN}(?:(?:(?!-----)[\s\S]){{1,20000}}{_PEM_END}"
            r"|(?:(?!-----)[\s\S]){0,20000}[A-Za-z0-9+/=]{40,}))"
        ),
        rf"(?P<tail>{prefixes_of('-----BEGIN ')}|-----BEGIN [A-Z0-9 ]*-{{0,4}}"
        rf"|{_PEM_BEGIN}(?:[^-]|-{{1,4}}[^-])*(?:{prefixes_of('-----END ')}|-----END [A-Z0-9 ]*-{{0,4}})?)",
        _holds_key,
    ),
    _token("API_KEY", "sk-", body=_WORDISH, least=16, accept=_is_model_key),
    _token("GITHUB_TOKEN", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", least=30),
    _token("GITHUB_TOKEN", "github_pat_", body="[A-Za-z0-9_]", least=22),
    _token("GITLAB_TOKEN", "glpat-", body=_WORDISH, least=20, accept=_looks_random),
    _token("SLACK_TOKEN", *(f"xox{kind}-" for kind in "abceprsd"), "xapp-", body="[A-Za-z0-9-]", least=10,
           accept=_is_slack),
    _token("AWS_ACCESS_KEY_ID", "AKIA", "ASIA", body="[A-Z0-9]", least=16, accept=lambda token: len(token) == 20),
    _token("GOOGLE_API_KEY", "AIza", body=_WORDISH, least=35),
    _token("HF_TOKEN", "hf_", least=30),
    _token("NPM_TOKEN", "npm_", least=36),
    _token("PYPI_TOKEN", "pypi-AgE", body=_WORDISH, least=50),
    _token("STRIPE_KEY", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_", least=16),
    _token("API_KEY", "gsk_", "xai-", "nvapi-", "tvly-", "r8_", body=_WORDISH, least=30, accept=_looks_random),
    _token("SENDGRID_KEY", "SG.", body="[A-Za-z0-9_.-]", least=60),
    _token("TOKEN", "eyJ", body="[A-Za-z0-9_.=-]", least=20, accept=_is_jwt),
    SecretPattern(
        "TOKEN",
        ("bearer",),
        rf"(?i:bearer) +{_BEARER}{{16}}",
        re.compile(rf"\b(?i:bearer) +(?P<secret>{_BEARER}{{16,}})"),
        _held(rf"(?i:{prefixes_of('bearer ')}|bearer +{_BEARER}*)"),
        _is_bearer,
    ),
    SecretPattern(
        "BASIC_AUTH",
        ("authorization",),
        r"(?i:authorization)",
        re.compile(rf"(?i:authorization{_IS}basic +)(?P<secret>[A-Za-z0-9+/]{{8,}}={{0,2}})"),
        _held(
            rf"(?i:{prefixes_of('authorization')}|authorization{_IS_PART}(?:{prefixes_of('basic ')})?"
            rf"|authorization{_IS}basic +[A-Za-z0-9+/=]*)"
        ),
        _is_basic,
    ),
    SecretPattern(
        "PASSWORD",
        ("://",),
        rf"://{_USER}:{_URL_PART}@",
        re.compile(rf"://{_USER}:(?P<secret>{_URL_PART})@"),
        rf"(?P<tail>:(?:/|//{_USER}|//{_USER}:{_URL_PART})?)",
        _is_url_password,
    ),
    SecretPattern(
        "TOKEN",
        ("=",),
        rf"[?&;]{_QUERY_NAME}=",
        re.compile(rf"""[?&;]{_QUERY_NAME}=(?P<secret>[^&\s"'<>\\#;]{{16,}})"""),
        r"""(?P<tail>[?&;][A-Za-z_-]*(?:=[^&\s"'<>\\#;]*)?)""",
        _is_query_value,
    ),
    SecretPattern(
        "AWS_SECRET_ACCESS_KEY",
        ("aws_secret_access_key",),
        "(?i:aws_secret_access_key)",
        re.compile(rf"(?i:aws_secret_access_key){_IS}(?P<secret>[A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+=])"),
        rf"(?P<tail>(?i:{prefixes_of('aws_secret_access_key')}|aws_secret_access_key{_IS_PART}[A-Za-z0-9/+]*))",
    ),
)  # fmt: skip

# RE2 gives each name to one group only, so here the tails are numbered: group N is that of pattern N.
PARTIAL = compiled("(?:" + "|".join(p.partial.replace("?P<tail>", "") for p in SECRET_PATTERNS) + r")\z")
"""Matches a text whose end could still become one of these; the one group that took part is that end."""
