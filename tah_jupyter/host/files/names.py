r"""File names as text that any model and any JSON can carry, and back.

A name on disk is bytes. One that is plain UTF-8 without control characters is its own form. Any other is written with
``\xff`` for each byte that is not UTF-8 or is a control character, and then, so that the way back is unique, with
``\\`` for each backslash. A name that merely looks like such a form is escaped too. Both directions work on each part
of a path by itself, so paths and joined names agree.
"""

import os
import re

__all__ = ["decode_name", "encode_name"]

_ESCAPE = r"\\x(?:[01][0-9a-f]|7f|[89a-f][0-9a-f])"
_LOOKS_ESCAPED = re.compile(_ESCAPE)
_NEEDS_ESCAPE = re.compile(rf"[\x00-\x1f\x7f\ud800-\udfff]|{_ESCAPE}")
_ESCAPED_UNIT = re.compile(rf"\\\\|{_ESCAPE}".encode())


def encode_name(name: str) -> str:
    r"""The valid UTF-8 form of a name or path as Python's ``os`` gives it.

    >>> encode_name("caf\udce9.md"), encode_name("plain\\name")
    ('caf\\xe9.md', 'plain\\name')
    """
    if _NEEDS_ESCAPE.search(name) is None:
        return name
    return "/".join(_encode_part(part) for part in name.split("/"))


def decode_name(text: str) -> str:
    r"""The name or path, as Python's ``os`` takes it, of a form that :func:`encode_name` made.

    Raises UnicodeEncodeError when ``text`` holds surrogates that stand for no byte.

    >>> decode_name("caf\\xe9.md")
    'caf\udce9.md'
    """
    if _LOOKS_ESCAPED.search(text) is None:
        os.fsencode(text)
        return text
    return "/".join(_decode_part(part) for part in text.split("/"))


def _encode_part(part: str) -> str:
    if _NEEDS_ESCAPE.search(part) is None:
        return part
    pieces = []
    for char in part:
        if char == "\\":
            pieces.append("\\\\")
        elif char < " " or char == "\x7f" or "\udc80" <= char <= "\udcff":
            pieces.append(f"\\x{os.fsencode(char)[0]:02x}")
        else:
            pieces.append(char)
    return "".join(pieces)


def _decode_part(part: str) -> str:
    raw = os.fsencode(part)
    if _LOOKS_ESCAPED.search(part) is None:
        return part
    return os.fsdecode(_ESCAPED_UNIT.sub(lambda m: b"\\" if m[0] == b"\\\\" else bytes([int(m[0][2:], 16)]), raw))
