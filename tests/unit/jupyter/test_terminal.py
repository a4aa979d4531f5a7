"""What is written to a place that is no window, or one that cannot say everything."""

import io

from tah_jupyter.jupyter.terminal import Screen
from tah_jupyter.ui.terminal_text import Line


def written(*lines: Line, live: list[Line], encoding: str) -> str:
    """What reaches the other end of a pipe."""
    pipe = io.BytesIO()
    out = io.TextIOWrapper(pipe, encoding=encoding)
    Screen(out, colours=True).show(lines, live)
    return pipe.getvalue().decode(encoding)


def test_a_pipe_gets_lines_without_colour_and_none_that_still_change() -> None:
    assert written(Line("added", "added"), Line(""), live=[Line("0:07")], encoding="utf-8") == "added\n\n"


def test_what_an_encoding_cannot_say_is_written_as_an_escape() -> None:
    assert written(Line("done · 三月"), live=[], encoding="ascii") == "done \\xb7 \\u4e09\\u6708\n"
