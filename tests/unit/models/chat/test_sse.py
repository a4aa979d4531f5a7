"""Server-sent events: whatever the cut, the line ends, the extras; and an end to what does not end."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tah_jupyter.core.errors import ModelError
from tah_jupyter.models.chat.sse import EventStream


def read(*parts: bytes) -> list[tuple[bytes, bytes]]:
    stream = EventStream()
    return [event for part in parts for event in stream.feed(part)] + stream.close()


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"data: a\n\ndata:b\n\n", [(b"", b"a"), (b"", b"b")]),
        (b"data: a\ndata: b\n\n", [(b"", b"a\nb")]),
        (b"event: error\ndata: a\n\ndata: b\n\n", [(b"error", b"a"), (b"", b"b")]),
        (b": ping\n\n: ping\n\ndata: a\n\n", [(b"", b"a")]),
        (b"id: 1\nretry: 5\ndata: a\n\n", [(b"", b"a")]),
        (b"data: a", [(b"", b"a")]),
        (b"data:  two\n\n", [(b"", b" two")]),
        (b"data\n\n", []),
        (b"event: lonely\n\ndata: a\n\n", [(b"", b"a")]),
        (b'{"error": "x"}\n', [(b"", b'{"error": "x"}')]),
        (b'{"error": "x"}', [(b"", b'{"error": "x"}')]),
        (b"\xef\xbb\xbfdata: a\n\n", [(b"", b"a")]),
        (b"\n\n\n", []),
        (b"", []),
    ],
)
def test_each_form_is_read_as_the_standard_says(raw: bytes, expected: list[tuple[bytes, bytes]]) -> None:
    assert read(raw) == expected
    assert read(*(raw[i : i + 1] for i in range(len(raw)))) == expected


def test_a_carriage_return_ends_a_line_at_once() -> None:
    assert EventStream().feed(b"data: a\r\r") == [(b"", b"a")]


lines = st.sampled_from([b"data: x", b"data:", b"data: \xc3\xa9{}", b": c", b"event: e", b"", b"", b"junk", b"{1}"])


@settings(max_examples=200, deadline=None)
@given(st.lists(lines, max_size=12), st.sampled_from([b"\n", b"\r\n", b"\r"]), st.data())
def test_cuts_and_line_ends_never_change_what_is_read(parts: list[bytes], end: bytes, data: st.DataObject) -> None:
    plain = b"".join(part + b"\n" for part in parts)
    raw = b"".join(part + end for part in parts)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(raw)), max_size=6)))
    pieces = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    assert read(*pieces) == read(plain)


@pytest.mark.parametrize("part", [b"x" * 999, b": ping\n\n" * 99, b"data: x\n" * 99])
def test_an_event_that_does_not_end_is_an_error(part: bytes) -> None:
    stream = EventStream(max_event_bytes=10_000)
    for _ in range(10_000 // len(part)):
        assert stream.feed(part) == []
    with pytest.raises(ModelError, match="one event of more than 10,000 bytes") as caught:
        stream.feed(part)
    assert caught.value.kind == "protocol"


def test_many_small_events_are_no_large_one() -> None:
    stream = EventStream(max_event_bytes=100)
    assert sum(len(stream.feed(b"data: x\n\n" * 5)) for _ in range(50)) == 250
