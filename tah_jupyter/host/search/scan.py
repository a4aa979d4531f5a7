"""Finding a pattern in files: our own engine, which reads every line that is shown, whoever found the file.

A file is read in blocks and searched in place: a literal that every match holds is looked for first, and only the line
around it is given to RE2. Nothing is kept beyond the hits that were asked for. As in ripgrep, UTF-16 with a byte order
mark is decoded, a UTF-8 mark dropped, and a file with a NUL byte is binary and passed over. Lines are counted from 1.
"""

import codecs
import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from tah_jupyter.host.search.regex import Pattern

__all__ = ["MAX_WHOLE_BYTES", "Hit", "Line", "Scanned", "Scanner", "begins_binary"]

BLOCK_BYTES = 1 << 20
MAX_LINE_BYTES = 32 << 20
"""A longer line is searched in pieces of this size, so that memory stays bounded."""
MAX_WHOLE_BYTES = 64 << 20
"""The largest file that is searched across lines, for which all of it has to be in memory."""

MAX_MATCH_LINES = 50
"""How many lines of one match across lines are shown."""

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_HITS_BETWEEN_CHECKS = 1024


class Line(NamedTuple):
    """A shown line, cut to at most the wanted width around the match. ``cut`` counts the characters left out."""

    number: int
    text: str
    is_match: bool
    cut: int = 0


class Hit(msgspec.Struct, frozen=True):
    """One line with matches, or, across lines, one match: its lines with their context, in order. Of a match over very
    many lines the last ``more`` are left out, with the context after it.
    """

    lines: tuple[Line, ...]
    more: int = 0


class Scanned(msgspec.Struct):
    """What one file gave. ``count`` counts all hits that were seen, ``hits`` holds those that were wanted."""

    count: int = 0
    hits: list[Hit] = []
    binary: bool = False
    too_large: bool = False


class _Block(NamedTuple):
    text: bytes
    start: int  # search from here …
    stop: int  # … to here; what lies around is context
    line: int  # number of the first line of ``text``


class Scanner:
    """Searches open files for ``pattern``. ``context`` counts lines on each side, ``width`` the characters of a shown
    line; ``check()`` is called now and then and may raise to end the search.
    """

    def __init__(self, pattern: Pattern, *, context: int, width: int, check: Callable[[], None]) -> None:
        self._pattern = pattern
        self._context = context
        self._width = width
        self._check = check

    def scan(self, handle: int, *, skip: int = 0, limit: int | None = None, keep: bool = True) -> Scanned:
        """Search one open file: pass over ``skip`` hits, then take at most ``limit`` (None: all); with ``keep`` false
        they are counted only. Raises OSError.
        """
        found = Scanned()
        end = None if limit is None else skip + limit
        try:
            for block in self._blocks(handle):
                for span in self._spans(block.text, block.start, block.stop):
                    if found.count == end:
                        return found
                    found.count += 1
                    if found.count % _HITS_BETWEEN_CHECKS == 0:
                        self._check()
                    if keep and found.count > skip:
                        found.hits.append(self._hit(block, *span))
        except _Binary:
            return Scanned(binary=True)
        except _TooLarge:
            return Scanned(too_large=True)
        return found

    # reading

    def _blocks(self, handle: int) -> Iterator[_Block]:
        size = os.fstat(handle).st_size
        whole = self._pattern.multiline
        if whole and size > MAX_WHOLE_BYTES:
            raise _TooLarge
        first = os.read(handle, min(size + 1, BLOCK_BYTES))
        if len(first) == size and not first.startswith((*_UTF16, codecs.BOM_UTF8)):
            literal = self._pattern.literal
            if not first or (literal is not None and literal not in first):
                return
            if b"\0" in first:
                raise _Binary
            yield _Block(first, 0, size, 1)
            return
        pieces = _pieces(handle, first)
        if whole:
            text = _joined(pieces)
            yield _Block(text, 0, len(text), 1)
        else:
            yield from self._line_blocks(pieces)

    def _line_blocks(self, pieces: Iterator[bytes]) -> Iterator[_Block]:
        """Blocks of whole lines, with the lines of context before and after the part that is to be searched."""
        text, start, line = b"", 0, 1
        for piece in pieces:
            self._check()
            text += piece
            stop = _line_start(text, len(text), self._context)
            if stop <= start:
                if len(text) - start < MAX_LINE_BYTES:
                    continue
                stop = kept_from = len(text)
            else:
                kept_from = _line_start(text, stop, self._context)
            yield _Block(text, start, stop, line)
            line += text.count(b"\n", 0, kept_from)
            text, start = text[kept_from:], stop - kept_from
        if start < len(text):
            yield _Block(text, start, len(text), line)

    # matching

    def _spans(self, text: bytes, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """Where the pattern matches: the first match of each line, or, across lines, each match in lines of its own."""
        literal = self._pattern.literal
        if self._pattern.multiline:
            return self._regex_spans(text, start, stop)
        if literal is None:
            return self._regex_spans(text, start, stop)
        return self._literal_spans(literal, text, start, stop)

    def _literal_spans(self, literal: bytes, text: bytes, start: int, stop: int) -> Iterator[tuple[int, int]]:
        search, whole, size = self._pattern.regex.search, self._pattern.whole, len(literal)
        while (at := text.find(literal, start, stop)) >= 0:
            end = text.find(b"\n", at, stop)
            end = stop if end < 0 else end
            if whole:
                yield at, at + size
            elif match := search(text, text.rfind(b"\n", start, at) + 1 or start, end):
                yield match.span()
            start = end + 1

    def _regex_spans(self, text: bytes, start: int, stop: int) -> Iterator[tuple[int, int]]:
        search = self._pattern.regex.search
        while start < stop and (match := search(text, start, stop)):
            first, last = match.span()
            if first == stop and text[stop - 1] == 0x0A:  # after the last line there is no line
                return
            yield first, last
            end = text.find(b"\n", max(first, last - 1), stop)
            start = stop if end < 0 else end + 1

    # showing

    def _hit(self, block: _Block, first: int, last: int) -> Hit:
        text = block.text
        begin = text.rfind(b"\n", 0, first) + 1
        end = _line_end(text, max(first, last - 1))
        number = block.line + text.count(b"\n", 0, begin)
        before = _line_start(text, begin, self._context)
        lines = list(self._context_lines(text, before, begin, number - text.count(b"\n", before, begin)))
        at, last_number = begin, number + MAX_MATCH_LINES
        while at <= end:
            if number == last_number:
                return Hit(tuple(lines), more=1 + text.count(b"\n", at, end))
            stop = _line_end(text, at)
            span = max(first, at) - at, min(last, stop) - at
            lines.append(_cut(number, text[at:stop], span, self._width))
            at, number = stop + 1, number + 1
        after = end
        for _ in range(self._context):
            after = _line_end(text, after + 1) if after < len(text) else after
        lines.extend(self._context_lines(text, end + 1, after + 1, number))
        return Hit(tuple(lines))

    def _context_lines(self, text: bytes, start: int, stop: int, number: int) -> Iterator[Line]:
        stop = min(stop, len(text))
        while start < stop:
            end = _line_end(text, start)
            yield _cut(number, text[start:end], None, self._width)
            start, number = end + 1, number + 1


def begins_binary(handle: int) -> bool:
    """Whether the first block of an open file tells that it is binary. A scan does not look where no match can be."""
    first = os.pread(handle, BLOCK_BYTES, 0)
    return b"\0" in first and not first.startswith(_UTF16)


class _Binary(Exception):
    pass


class _TooLarge(Exception):
    pass


def _pieces(handle: int, first: bytes) -> Iterator[bytes]:
    """The file as UTF-8, piece by piece. Raises _Binary at the first NUL."""
    decoder = codecs.getincrementaldecoder("utf-16")("replace") if first.startswith(_UTF16) else None
    piece = first.removeprefix(codecs.BOM_UTF8)
    while piece or first:
        text = piece if decoder is None else decoder.decode(piece, final=False).encode(errors="replace")
        if b"\0" in text:
            raise _Binary
        yield text
        first = b""
        piece = os.read(handle, BLOCK_BYTES)
    if decoder is not None:
        yield decoder.decode(b"", final=True).encode(errors="replace")


def _joined(pieces: Iterator[bytes]) -> bytes:
    parts, size = [], 0
    for piece in pieces:
        parts.append(piece)
        size += len(piece)
        if size > MAX_WHOLE_BYTES:
            raise _TooLarge
    return b"".join(parts)


def _line_start(text: bytes, stop: int, lines: int) -> int:
    """Where the last ``lines`` whole lines before ``stop`` begin; what follows the last line end is no whole line."""
    at = text.rfind(b"\n", 0, stop) + 1
    for _ in range(lines):
        if at == 0:
            break
        at = text.rfind(b"\n", 0, at - 1) + 1
    return at


def _line_end(text: bytes, at: int) -> int:
    end = text.find(b"\n", at)
    return len(text) if end < 0 else end


def _cut(number: int, line: bytes, span: tuple[int, int] | None, width: int) -> Line:
    """``line`` as text of at most ``width`` characters, around the match ``span`` where there is one."""
    line = line.removesuffix(b"\r")
    if len(line) <= width:
        return Line(number, line.decode(errors="replace"), span is not None)
    text = line.decode(errors="replace")
    if len(text) <= width:
        return Line(number, text, span is not None)
    first = last = 0
    if span is not None:
        first = len(line[: span[0]].decode(errors="replace"))
        last = first + len(line[span[0] : span[1]].decode(errors="replace"))
    shown = min(last - first, width)
    begin = max(0, min(first - (width - shown) // 2, len(text) - width))
    end = begin + width
    marked = ("…" if begin else "") + text[begin:end] + ("…" if end < len(text) else "")
    return Line(number, marked, span is not None, len(text) - width)
