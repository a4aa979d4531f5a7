"""A tree as Markdown again: it means the same, and text can never become more than text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tah_jupyter.ui.markdown import render
from tah_jupyter.ui.markdown_text import code_span, escape, paragraph, to_markdown
from tah_jupyter.ui.nodes import element, to_html
from tests.unit.ui.test_markdown import DOCUMENT


def html_on(text: str) -> str:
    """As a careless front end would draw it: raw HTML and everything on."""
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)


def test_a_document_survives_the_way_there_and_back() -> None:
    once, twice = render(DOCUMENT), render(to_markdown(render(DOCUMENT)))
    assert to_html(twice).replace("h5>", "h3>") == to_html(once)  # headings of an answer rank below a cell's own


@given(st.text(alphabet="ab1 .<>&*_`[]()#+-=|~!\\\n$:/", max_size=40))
def test_text_stays_text_even_with_html_on(text: str) -> None:
    drawn = html_on(paragraph(escape(" ".join(text.split()))))
    assert MarkdownIt().parse(drawn) is not None
    inside = drawn.removeprefix("<p>").removesuffix("</p>\n")
    assert "<" not in inside


@given(st.text(alphabet="a`\n <", min_size=1, max_size=12))
def test_code_spans_hold_any_text(text: str) -> None:
    span = code_span(text)
    assert span == "" or html_on(span).startswith("<p><code>")


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "<img src=x onerror=y>", "a <b>c</b>", "&lt;b&gt;", "[x](javascript:y)"]
)
def test_hostile_markdown_has_no_tags_left(text: str) -> None:
    html = html_on(to_markdown(render(text)))
    assert "<script" not in html
    assert "<img" not in html
    assert "<b>" not in html
    assert 'javascript:y"' not in html


def test_a_line_break_and_stray_elements_are_kept() -> None:
    assert to_markdown([element("p", "a", element("br"), "b")]) == "a\\\nb"
    assert to_markdown(["x ", element("strong", " a "), element("ul", element("li", "1. b"))]) == "x  a \n\n- &#49;. b"
    assert to_markdown([element("table", element("tbody"))]) == ""
