"""What a file that is not text is: its kind by its first bytes, and the size of a picture."""

import struct
from typing import Literal, TypeAlias

import msgspec

__all__ = ["Image", "ImageType", "image_in", "kind_of_bytes"]

ImageType: TypeAlias = Literal["image/png", "image/jpeg", "image/gif", "image/webp"]


class Image(msgspec.Struct, frozen=True):
    """A picture: its media type and its size in pixels."""

    mime: ImageType
    width: int
    height: int


_KINDS = (
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "ZIP archive (or an Office file, a wheel, an .npz)"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ\0", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (b"\x7fELF", "program or library (ELF)"),
    (b"MZ", "program or library (Windows)"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"PAR1", "Parquet file"),
    (b"ARROW1", "Arrow file"),
    (b"\x89HDF\r\n\x1a\n", "HDF5 file"),
    (b"\x93NUMPY", "NumPy array"),
    (b"\x80\x04\x95", "Python pickle"),
    (b"\x80\x05\x95", "Python pickle"),
    (b"II*\0", "TIFF picture"),
    (b"MM\0*", "TIFF picture"),
    (b"BM", "BMP picture"),
    (b"OggS", "Ogg sound or film"),
    (b"ID3", "MP3 sound"),
    (b"fLaC", "FLAC sound"),
)


def kind_of_bytes(data: bytes) -> str:
    """The kind of a file in words, by the signature it begins with; ``binary file`` when it has none that is known.

    >>> kind_of_bytes(b"PAR1\\0\\0")
    'Parquet file'
    """
    if data.startswith(b"RIFF") and data[8:12] in (b"WAVE", b"AVI "):
        return "WAVE sound" if data[8:12] == b"WAVE" else "AVI film"
    if data[4:8] == b"ftyp":
        return "MP4 film or sound"
    return next((kind for signature, kind in _KINDS if data.startswith(signature)), "binary file")


def image_in(data: bytes) -> Image | None:
    """The picture in ``data`` if it is a PNG, JPEG, GIF or WebP whose header is whole, else None."""
    try:
        return _png(data) or _gif(data) or _jpeg(data) or _webp(data)
    except (struct.error, IndexError):
        return None


def _png(data: bytes) -> Image | None:
    if not data.startswith(b"\x89PNG\r\n\x1a\n"):
        return None
    width, height = struct.unpack_from(">II", data, 16)
    return Image("image/png", width, height)


def _gif(data: bytes) -> Image | None:
    if data[:6] not in (b"GIF87a", b"GIF89a"):
        return None
    width, height = struct.unpack_from("<HH", data, 6)
    return Image("image/gif", width, height)


_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of a frame header, ITU-T T.81 table B.1: all of C0 to CF but DHT, JPG and DAC."""


def _jpeg(data: bytes) -> Image | None:
    if not data.startswith(b"\xff\xd8\xff"):
        return None
    at = 2
    while data[at] == 0xFF:
        marker = data[at + 1]
        (length,) = struct.unpack_from(">H", data, at + 2)
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return Image("image/jpeg", width, height)
        at += 2 + length
    return None


def _webp(data: bytes) -> Image | None:
    if not (data.startswith(b"RIFF") and data[8:12] == b"WEBP"):
        return None
    form = data[12:16]
    if form == b"VP8X":
        width, height = (int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27))
    elif form == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    else:
        width, height = (size & 0x3FFF for size in struct.unpack_from("<HH", data, 26))
    return Image("image/webp", width, height)
