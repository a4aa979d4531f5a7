"""A notebook reads as cells with ids and shortened outputs."""

import json
from typing import Any

import pytest

from tah_jupyter.core.notebook_text import notebook_lines


def lines_of(*cells: dict[str, Any]) -> list[str]:
    return notebook_lines(json.dumps({"cells": list(cells)}))


def code(*outputs: Any) -> dict[str, Any]:
    return {"cell_type": "code", "id": "c", "source": "x", "execution_count": None, "outputs": list(outputs)}


def test_outputs_are_named_and_shown_as_text() -> None:
    assert lines_of(
        code(
            {"output_type": "stream", "name": "stderr", "text": ["one\n", "two\n"]},
            {"output_type": "execute_result", "data": {"text/plain": "42", "text/html": "<b>"}},
            {"output_type": "display_data", "data": {"image/png": "AAAA"}},
            {"output_type": "display_data", "data": 7},
            {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[31mred\x1b[0m", "end"]},
            "not an output",
        )
    )[2:] == [
        "# output · stderr", "one", "two",
        "# output · execute_result · text/plain, text/html", "42",
        "# output · display_data · image/png",
        "# output · display_data · empty",
        "# output · error · E: v", "red", "end",
    ]  # fmt: skip


def test_long_outputs_are_shortened_and_say_so() -> None:
    lines = lines_of(code({"output_type": "stream", "text": "1234\n" * 100}))
    assert len(lines) == 2 + 1 + 12 + 1
    assert lines[-1] == "# … 440 more characters"
    lines = lines_of(code({"output_type": "stream", "text": "x" * 5000}))
    assert lines[-2:] == ["x" * 1000, "# … 4,000 more characters"]


def test_an_old_or_odd_cell_is_shown_as_far_as_it_goes() -> None:
    assert lines_of({"source": "a\nb", "outputs": 3}) == ["# cell 1 of 1 · unknown", "a", "b"]
    assert lines_of() == ["# no cells"]


@pytest.mark.parametrize("text", ["", "{", "3", "{}", '{"cells": {}}', '{"cells": [3]}', "[" * 100_000])
def test_what_is_no_notebook_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        notebook_lines(text)


@pytest.mark.parametrize("traceback", [None, 5, "text", {"a": 1}, [None, 5]])
def test_an_error_whose_traceback_is_none_is_shown_without_it(traceback: Any) -> None:
    lines = lines_of(code({"output_type": "error", "ename": "E", "evalue": "v", "traceback": traceback}))
    assert lines[2] == "# output · error · E: v"


@pytest.mark.parametrize("source", [None, 5, {"a": 1}])
def test_a_source_that_is_no_text_is_shown_as_none(source: Any) -> None:
    assert lines_of({"cell_type": "code", "source": source})[1:] == [""]
