"""The tree that is drawn: only known tags, only checked addresses."""

import pytest

from tah_jupyter.ui.nodes import element, link, picture, plain, text_of, to_html


@pytest.mark.parametrize("tag", ["script", "button", "style", "iframe", "form", "input"])
def test_other_tags_cannot_be_made(tag: str) -> None:
    with pytest.raises(ValueError, match="may be drawn"):
        element(tag)


def test_other_attributes_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="onclick"):
        element("p", onclick="x")


@pytest.mark.parametrize("address", ["https://example.org", "http://a.b/c?d=e", "mailto:a@b.c", "HTTPS://A.B"])
def test_known_schemes_are_linked(address: str) -> None:
    assert to_html([link(address, "x")]).startswith(f'<a href="{address}" rel="noopener noreferrer"')


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "java\tscript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.example",
        "/relative",
        "http:evil",
        "https://[bad",
        "blob:https://x",
        "\x01javascript:x",
    ],
)
def test_everything_else_is_shown_as_text(address: str) -> None:
    assert "<a" not in to_html([link(address, "x")])
    assert address in text_of([link(address, "x")])


def test_an_empty_address_is_only_its_words() -> None:
    assert to_html([link("", "x")]) == "<span>x</span>"


@pytest.mark.parametrize(
    ("mime", "data"), [("image/svg+xml", "AAAA"), ("image/png", 'A"A'), ("image/png", ""), ("image/png", "Ä")]
)
def test_a_picture_that_is_not_one_is_its_words(mime: str, data: str) -> None:
    assert picture(mime, data, "words") == "words"


def test_text_and_values_are_escaped_once() -> None:
    assert to_html([element("p", "a & <b>", href='"x"')]) == '<p href="&quot;x&quot;">a &amp; &lt;b&gt;</p>'
    assert plain([element("p", "a", look="k", role="r")]) == [["p", "k", {"role": "r"}, ["a"]]]


def test_html_has_no_blank_line_so_that_markdown_around_it_cannot_end_it() -> None:
    html = to_html([element("pre", "a\n\n# b\n  \n\n", "\nc")])
    assert html == "<pre>a&#10;\n# b&#10;  &#10;&#10;\nc</pre>"
