import os
from pathlib import Path

import pytest

from tah_jupyter.core.errors import LogError
from tah_jupyter.core.events import Notice, RunStarted, SessionOpened, TurnStarted, encode
from tah_jupyter.sessions.reading import HEADER, read_head, read_log, read_tail


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


def lines(*events) -> bytes:
    return HEADER + b"".join(encode(event) + b"\n" for event in events)


def test_a_log_is_read_while_another_writes_its_last_line(path: Path) -> None:
    path.write_bytes(lines(Notice(text="one")) + b'{"type":"notice","te')
    before = path.read_bytes()
    reading = read_log(path)
    assert reading.events == [Notice(text="one")]
    assert [(problem.kind, problem.line) for problem in reading.problems] == [("torn", 3)]
    assert path.read_bytes() == before


def test_a_last_line_that_lacks_its_newline_counts(path: Path) -> None:
    path.write_bytes(lines(Notice(text="one"), Notice(text="two"))[:-1])
    assert read_log(path).events == [Notice(text="one"), Notice(text="two")]
    assert read_log(path).problems == []


def test_types_and_fields_of_a_newer_version_are_tolerated_with_a_notice(path: Path) -> None:
    body = b'{"type":"moon.phase","phase":"full"}\n{"type":"notice","text":"hi","colour":"red"}\n'
    path.write_bytes(lines(SessionOpened(root="/ws", version="999.1.0")) + body)
    reading = read_log(path)
    assert reading.events[1:] == [Notice(text="hi")]
    assert [(problem.kind, problem.line) for problem in reading.problems] == [("unknown_type", 3), ("newer_version", 0)]
    assert "moon.phase" in reading.problems[0].text
    assert "999.1.0" in reading.problems[1].text


@pytest.mark.parametrize(
    "bad", [b"", b"null", b"[]", b'{"text":"no type"}', b'{"type":"notice"}', b"\xff", b'{"type":7}']
)
def test_bad_lines_never_stop_the_others(path: Path, bad: bytes) -> None:
    path.write_bytes(lines(Notice(text="one")) + bad + b"\n" + encode(Notice(text="two")) + b"\n")
    reading = read_log(path)
    assert reading.events == [Notice(text="one"), Notice(text="two")]
    assert [(problem.kind, problem.line) for problem in reading.problems] == ([("unreadable", 3)] if bad else [])


def test_a_log_that_has_only_begun(path: Path) -> None:
    for begun in range(len(HEADER) + 1):
        path.write_bytes(HEADER[:begun])
        reading = read_log(path)
        assert reading.events == []
        assert len(reading.problems) == (0 < begun < len(HEADER))
        assert read_tail(path) == read_head(path) == []


def test_a_log_of_a_newer_format_is_refused(path: Path) -> None:
    path.write_bytes(b'{"format":2,"more":true}\n')
    for read in (read_log, read_head, read_tail):
        with pytest.raises(LogError, match="newer tah_jupyter"):
            read(path)


def test_a_missing_log_and_a_link_are_clear_errors(path: Path, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"cannot be read \(No such file or directory\)"):
        read_log(path)
    (tmp_path / "real").write_bytes(lines())
    path.symlink_to(tmp_path / "real")
    with pytest.raises(LogError, match="cannot be read"):
        read_log(path)


def test_the_head_reads_only_the_beginning(path: Path) -> None:
    path.write_bytes(lines(SessionOpened(root="/ws"), RunStarted(prompt="go")))
    os.truncate(path, 1 << 33)  # 8 GB of nothing
    assert read_head(path, limit=2) == [SessionOpened(root="/ws"), RunStarted(prompt="go")]
    assert read_head(path, limit=1) == [SessionOpened(root="/ws")]


@pytest.mark.parametrize("size", [10, 300_000, 2_000_000])
def test_the_tail_is_the_last_turn_however_long_it_is(path: Path, size: int) -> None:
    last = [TurnStarted(turn=2), Notice(text="y" * size), Notice(text="end")]
    path.write_bytes(lines(RunStarted(prompt="go"), TurnStarted(turn=1), Notice(text="x" * 400_000), *last) + b'{"torn')
    assert read_tail(path) == last


def test_the_tail_of_a_log_without_turns_is_all_of_it(path: Path) -> None:
    path.write_bytes(lines(Notice(text="z" * 600_000), Notice(text="end")))
    assert [event.text[:3] for event in read_tail(path)] == ["zzz", "end"]
