"""Which values of an environment are secret, and the forms in which a secret value turns up in text."""

import base64
import json
import re
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import quote, quote_plus, urlsplit

__all__ = ["MIN_SECRET_CHARS", "forms_of", "secrets_in"]

MIN_SECRET_CHARS: Final = 8
"""Shorter values are not masked by value: they would be found inside ordinary text."""

_SECRET_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(?:^|_)(?:PASS|PAT|AUTH)(?:_|$)", re.IGNORECASE
)
_HARMLESS_NAME = re.compile(
    r"^KEY(?:BOARD|MAP|TIMEOUT)|TOKENIZER|(?:^|_)(?:MAX|MIN|NUM)_\w*TOKENS?$"
    r"|_(?:FILE|PATH|DIR|SOCK|NAME|TYPE|BACKEND|STORE)$",
    re.IGNORECASE,
)
_COMMON_WORD = re.compile(
    "anonymous|administrator|automatic|changeme|credentials|default|development|disabled|enabled|example|external"
    "|interactive|internal|keychain|keyring|localhost|metadata|optional|parallel|password|passphrase|placeholder"
    "|postgres|postgresql|preferred|production|required|sandbox|secretservice|standard|undefined|unlimited|username"
    "|workspace",
    re.IGNORECASE,
)


def secrets_in(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of ``environ`` that hold a secret, by their names and the look of their values.

    Names hold KEY, TOKEN, SECRET, PASSWORD and the like; values of fewer than :data:`MIN_SECRET_CHARS` characters,
    common words, numbers with a harmless name, paths and plain addresses are no secrets.

    >>> secrets_in({"OPENAI_API_KEY": "s3cr3t-v4lue", "KEY_FILE": "/etc/app/key.pem", "MAX_TOKENS": "100000000"})
    {'OPENAI_API_KEY': 's3cr3t-v4lue'}
    """
    return {
        name: value.strip()
        for name, value in environ.items()
        if _SECRET_NAME.search(name) and not _HARMLESS_NAME.search(name) and is_maskable(value) and not _is_place(value)
    }


def is_maskable(value: str) -> bool:
    """Whether ``value`` can be masked wherever it stands without hiding ordinary words."""
    value = value.strip()
    return len(value) >= MIN_SECRET_CHARS and not _COMMON_WORD.fullmatch(value) and len(set(value)) > 2


def forms_of(value: str) -> set[str]:
    """``value`` as it is, inside JSON (once and twice), in URLs (once and twice), in HTML, in Python's ``repr``, and
    inside base64 at each of the three alignments.

    Long lines of a value count on their own, as programs print them one by one; so do the parts between bytes that
    are not UTF-8 (lone surrogates in Python).
    """
    parts = {value.strip(), *(line.strip() for line in value.splitlines() if len(line.strip()) >= 20)}
    parts = {part for whole in parts for part in re.split("[\ud800-\udfff]+", whole) if len(part) >= MIN_SECRET_CHARS}
    return {form for part in parts if not part.startswith("-----") for form in _spellings(part)}


def _spellings(value: str) -> set[str]:
    quoted = quote(value, safe="")
    forms = {value, quoted, quote(value), quote_plus(value), quote(quoted, safe="")}
    forms |= {re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), form) for form in forms}
    forms |= {value.translate(table) for table in _AS_HTML}
    forms |= {repr(value)[1:-1], repr(value.encode())[2:-1]}
    forms |= {form for ascii_only in (False, True) for form in _in_json(value, ascii_only=ascii_only)}
    for shift in range(3):
        forms |= _base64_core(value.encode(), shift)
    return forms


def _in_json(value: str, *, ascii_only: bool) -> Iterator[str]:
    """As encoders write it: most of them; PHP's, which escapes the slash; Go's, which escapes what HTML would read."""
    plain = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
    for once in {plain, plain.replace("/", "\\/"), plain.translate(_AS_GO)}:
        yield once
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]


_BRACKETS = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_AS_HTML = [
    str.maketrans(_BRACKETS | quotes) for quotes in ({}, *({'"': "&quot;", "'": one} for one in ("&#x27;", "&#39;")))
]
_AS_GO = str.maketrans({character: f"\\u{ord(character):04x}" for character in "&<>"})


def _base64_core(data: bytes, shift: int) -> set[str]:
    """The characters of a base64 text that depend on ``data`` alone, when ``shift`` other bytes (mod 3) go before."""
    encoded = base64.b64encode(b"\0" * shift + data).decode()
    whole_bits = (shift + len(data)) * 8
    core = encoded[-(-shift * 8 // 6) : whole_bits // 6]
    if len(core) < MIN_SECRET_CHARS:
        return set()
    return {core, core.replace("+", "-").replace("/", "_")}


def _is_place(value: str) -> bool:
    """Whether ``value`` is a path or an address without credentials, not a key that happens to begin with a slash."""
    value = value.strip()
    if re.match(r"https?://", value):
        address = urlsplit(value)
        return not (address.username or address.password or address.query or _random_part(address.path))
    return re.match(r"(?:~|\.{1,2})?/|[A-Za-z]:\\", value) is not None and not _random_part(value)


def _random_part(path: str) -> bool:
    return any(
        len(part) >= 16 and re.search("[a-z]", part) and re.search("[A-Z]", part) and re.search("[0-9]", part)
        for part in re.split(r"[/\\]", path)
    )
