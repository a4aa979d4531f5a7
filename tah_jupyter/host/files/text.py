"""From bytes to text and back, without changing a byte that was not meant to change.

UTF-8, then UTF-16 and UTF-32 by their byte order marks, else what charset-normalizer finds most likely. A guess counts
only when encoding it again gives the very bytes, so places in the text are places in the bytes.
"""

import codecs
import re
import unicodedata
from collections.abc import Sequence

import msgspec

from tah_jupyter.core.text_edit import Replacement

__all__ = ["UTF8", "Decoded", "Encoding", "decode", "hidden_characters", "printable", "splice"]


class Encoding(msgspec.Struct, frozen=True):
    """How a text is written down. ``label`` names it for people, ``bom`` is the byte order mark it begins with."""

    codec: str
    label: str
    bom: bytes = b""
    errors: str = "strict"

    def encode(self, text: str) -> bytes:
        """The bytes of ``text``, without the mark. Raises UnicodeEncodeError when it has no way to write them."""
        return text.encode(self.codec, self.errors)


class Decoded(msgspec.Struct, frozen=True):
    """A text, without its byte order mark, and how it was written."""

    text: str
    encoding: Encoding


UTF8 = Encoding("utf-8", "UTF-8")
_DAMAGED_UTF8 = Encoding("utf-8", "UTF-8 with invalid bytes", errors="surrogateescape")
_LATIN_1 = Encoding("latin-1", "Latin-1")
_MARKED = (
    Encoding("utf-8", "UTF-8 with BOM", codecs.BOM_UTF8),
    Encoding("utf-32-le", "UTF-32 LE", codecs.BOM_UTF32_LE),  # before UTF-16 LE, whose mark its own begins with
    Encoding("utf-32-be", "UTF-32 BE", codecs.BOM_UTF32_BE),
    Encoding("utf-16-le", "UTF-16 LE", codecs.BOM_UTF16_LE),
    Encoding("utf-16-be", "UTF-16 BE", codecs.BOM_UTF16_BE),
)
_WESTERN = "cp1252"
_GUESSED = {
    _WESTERN: "Latin-1 (Windows-1252)",
    "cp1250": "Windows-1250",
    "cp1251": "Windows-1251",
    "koi8_r": "KOI8-R",
    "cp1253": "Windows-1253",
    "cp1254": "Windows-1254",
    "cp1255": "Windows-1255",
    "cp1256": "Windows-1256",
    "cp1257": "Windows-1257",
    "gb18030": "GB 18030",
    "big5": "Big5",
    "cp932": "Shift-JIS",
    "euc_jp": "EUC-JP",
    "cp949": "EUC-KR",
}
"""Encodings without a state, in which a part of a text is written the same wherever it stands."""

_SAMPLE_BYTES = 32_768
_CONTROLS = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f]")
_MAX_CONTROL_SHARE = 0.02
_NOT_ASCII = re.compile(rb"[\x80-\xff]")


def decode(data: bytes) -> Decoded | None:
    """The text of ``data``, or None when it is not text.

    >>> decode(b"caf\\xc3\\xa9").text, decode(b"\\xff\\xfea\\0").encoding.label, decode(b"a\\0b")
    ('café', 'UTF-16 LE', None)
    """
    for encoding in _MARKED:
        if data.startswith(encoding.bom) and (found := _exactly(data[len(encoding.bom) :], encoding)):
            return found
    if b"\0" in data:
        return None
    return _exactly(data, UTF8) or _decode_without_mark(data)


def _decode_without_mark(data: bytes) -> Decoded | None:
    if len(_CONTROLS.findall(data[:_SAMPLE_BYTES])) > _MAX_CONTROL_SHARE * min(len(data), _SAMPLE_BYTES):
        return None
    if _is_damaged_utf8(data):
        return Decoded(data.decode("utf-8", "surrogateescape"), _DAMAGED_UTF8)
    guess = _guess(data)
    found = None if guess is None else _exactly(data, guess)
    return found or Decoded(data.decode("latin-1"), _LATIN_1)  # every byte is a character of it


def _exactly(body: bytes, encoding: Encoding) -> Decoded | None:
    try:
        text = body.decode(encoding.codec)
        if encoding.codec in _GUESSED and encoding.encode(text) != body:
            return None
    except UnicodeError:
        return None
    return Decoded(text, encoding)


def _is_damaged_utf8(data: bytes) -> bool:
    """Whether more characters are right UTF-8 than bytes are wrong: in no other encoding does that come about."""
    text = data.decode("utf-8", "surrogateescape")
    wrong = len(re.findall("[\udc80-\udcff]", text))
    return len(re.findall("[^\0-\x7f\udc80-\udcff]", text)) >= wrong


def _guess(data: bytes) -> Encoding | None:
    """The most likely encoding; that of Western Europe unless another is clearly better."""
    from charset_normalizer import from_bytes  # noqa: PLC0415 - some 20 ms, needed for few files

    first = _NOT_ASCII.search(data)
    start = max(0, first.start() - 1024) if first else 0
    sample = data[start : start + _SAMPLE_BYTES]
    sample = sample[: sample.rfind(b"\n") + 1] or sample
    matches = list(from_bytes(sample, cp_isolation=list(_GUESSED)))
    if not matches:
        return None
    western = [m for m in matches if m.encoding == _WESTERN or _WESTERN in m.could_be_from_charset]
    is_western = western and western[0].chaos <= 0.1 and western[0].coherence >= matches[0].coherence - 0.1
    name = _WESTERN if is_western else matches[0].encoding
    return Encoding(name, _GUESSED[name]) if name in _GUESSED else None


def splice(data: bytes, decoded: Decoded, replacements: Sequence[Replacement]) -> bytes:
    """``data`` with the replacements, given in order and in characters of its text; all other bytes are the same.

    Raises UnicodeEncodeError when a new text cannot be written in this encoding.
    """
    text, encoding = decoded.text, decoded.encoding
    pieces: list[bytes] = []
    char, byte = 0, len(encoding.bom)
    kept = 0
    for start, end, new in replacements:
        first = byte + len(encoding.encode(text[char:start]))
        pieces += data[kept:first], new.encode(encoding.codec)
        char, byte = end, first + len(encoding.encode(text[start:end]))
        kept = byte
    return b"".join((*pieces, data[kept:]))


def printable(text: str) -> str:
    """``text`` as valid Unicode: a byte that could not be decoded shows as U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def hidden_characters(text: str) -> tuple[str, ...]:
    """Characters that hide or reorder text (Unicode category Cf, but not the joiner of emoji), as ``U+202E``.

    >>> hidden_characters("a\\u202eb\\u200b")
    ('U+200B', 'U+202E')
    """
    if text.isascii():
        return ()
    return tuple(f"U+{ord(c):04X}" for c in sorted(set(text)) if unicodedata.category(c) == "Cf" and c != "\u200d")
