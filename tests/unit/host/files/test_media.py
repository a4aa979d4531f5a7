"""Files that are not text are named by what they are."""

import struct

import pytest

from tah_jupyter.host.files.media import Image, image_in, kind_of_bytes

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 480)
GIF = b"GIF89a" + struct.pack("<HH", 3, 4)
JPEG = b"\xff\xd8\xff\xe0" + struct.pack(">H", 4) + b"xx" + b"\xff\xc2" + struct.pack(">HBHH", 17, 8, 20, 30)
RIFF = b"RIFF\0\0\0\0WEBP"
LOSSY = RIFF + b"VP8 " + bytes(4) + b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 7, 8)
LOSSLESS = RIFF + b"VP8L" + bytes(4) + b"\x2f" + struct.pack("<I", (9 - 1) | (10 - 1) << 14)
EXTENDED = RIFF + b"VP8X" + bytes(8) + (10).to_bytes(3, "little") + (11).to_bytes(3, "little")


@pytest.mark.parametrize(
    ("data", "image"),
    [
        (PNG, Image("image/png", 640, 480)),
        (GIF, Image("image/gif", 3, 4)),
        (JPEG, Image("image/jpeg", 30, 20)),
        (LOSSY, Image("image/webp", 7, 8)),
        (LOSSLESS, Image("image/webp", 9, 10)),
        (EXTENDED, Image("image/webp", 11, 12)),
    ],
)
def test_pictures_have_a_size(data: bytes, image: Image) -> None:
    assert image_in(data) == image
    for cut in range(len(data)):
        image_in(data[:cut])  # a header that is cut off is no picture, and no crash


@pytest.mark.parametrize("data", [b"", b"text", b"\xff\xd8\xff\xd9", b"\xff\xd8\xff\xe0\0\x02\0", PNG[:20]])
def test_what_is_no_picture_is_none(data: bytes) -> None:
    assert image_in(data) is None


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.7", "PDF document"),
        (b"\x80\x05\x95", "Python pickle"),
        (b"RIFF\0\0\0\0WAVEfmt", "WAVE sound"),
        (b"RIFF\0\0\0\0AVI LIST", "AVI film"),
        (b"\0\0\0\x20ftypisom", "MP4 film or sound"),
        (b"\0\1\2", "binary file"),
    ],
)
def test_kinds_are_told_by_their_first_bytes(data: bytes, kind: str) -> None:
    assert kind_of_bytes(data) == kind
