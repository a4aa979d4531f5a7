"""The lines of a text: what ends them, how they are counted, and where a long text is cut."""

__all__ = ["line_ends", "lines_of", "whole_lines"]

_MAX_LOST_SHARE = 0.25
"""A cut may take no more of either end than this to fall between two lines."""


def line_ends(text: str) -> str:
    """What the lines of ``text`` end with: ``CRLF``, ``LF``, ``CR``, ``mixed``, or nothing when it has one line."""
    if "\r" not in text:
        return "LF" if "\n" in text else ""
    crlf = text.count("\r\n")
    counts = {"CRLF": crlf, "LF": text.count("\n") - crlf, "CR": text.count("\r") - crlf}
    present = [name for name, count in counts.items() if count]
    return "mixed" if len(present) > 1 else "".join(present)


def lines_of(text: str) -> list[str]:
    """The lines of ``text`` as its numbers count them: they end at LF or CRLF, at CR where there is nothing else.

    >>> lines_of("a\\x0cb\\r\\nc\\n"), lines_of("a\\rb")
    (['a\\x0cb', 'c'], ['a', 'b'])
    """
    lines = text.split("\r") if line_ends(text) == "CR" else text.replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def whole_lines(head: str, tail: str) -> tuple[str, str]:
    """The two ends of a text whose middle is left out, without the halves of lines beside the gap; with them where a
    line is so long that little else would be left.

    >>> whole_lines("one\\ntwo\\nth", "e\\nfour\\nfive\\n")
    ('one\\ntwo\\n', 'four\\nfive\\n')
    >>> whole_lines("a\\nlong lo", "ng long\\nz")
    ('a\\nlong lo', 'ng long\\nz')
    """
    last, first = head.rfind("\n") + 1, tail.find("\n") + 1
    kept_head = head[:last] if len(head) - last <= _MAX_LOST_SHARE * len(head) else head
    return kept_head, tail[first:] if first <= _MAX_LOST_SHARE * len(tail) else tail
