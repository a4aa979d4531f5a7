"""Markdown in, a safe tree out; streamed or whole, the same."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tah_jupyter.ui.markdown import MAX_OPEN_CHARS, MarkdownStream, render
from tah_jupyter.ui.nodes import text_of, to_html

DOCUMENT = """# Title

Text with *em*, **strong**, ~~gone~~, `code` and a [link](https://example.org/a?b=1&c=2 "title").
Soft line\\
hard line

- one
- two

  more
  1. deep

3. three
4. four

> quote
lazy

| a | b |
|---|--:|
| 1 | `x` |

```python
def f():

    return "<b>"
```

---

last
"""


def test_blocks_and_spans_become_elements() -> None:
    html = to_html(render(DOCUMENT))
    for part in (
        "<h3>Title</h3>",
        "<em>em</em>",
        "<strong>strong</strong>",
        "<s>gone</s>",
        '<a href="https://example.org/a?b=1&amp;c=2" rel="noopener noreferrer" target="_blank">link</a>',
        "Soft line<br>hard line",
        '<ol start="3"><li>three</li><li>four</li></ol>',
        "<blockquote><p>quote\nlazy</p></blockquote>",
        "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><code>x</code></td></tr>",
        '<pre><code>def f():&#10;\n    return "&lt;b&gt;"\n</code></pre>',
        "<hr>",
    ):
        assert part in html
    assert "title" not in html


def test_a_picture_is_its_words_and_a_link() -> None:
    assert to_html(render("![a cat](http://example.org/cat.png)")) == (
        '<p><a href="http://example.org/cat.png" rel="noopener noreferrer" target="_blank">a cat</a></p>'
    )
    assert (
        to_html(render("![](data:image/png;base64,AAAA)")) == "<p><span>image (data:image/png;base64,AAAA)</span></p>"
    )


@pytest.mark.parametrize("size", [1, 3, 17, 1_000])
def test_streamed_in_any_pieces_it_is_the_same_document(size: int) -> None:
    stream = MarkdownStream()
    for end in range(size, len(DOCUMENT) + size, size):
        stream.feed(DOCUMENT[:end])
    streamed = "".join(to_html(block) for block in stream.blocks)
    assert streamed == to_html(render(DOCUMENT))


@given(
    st.lists(
        st.sampled_from(
            ["# h", "para", "- a", "  b", "1. x", "> q", "```", "~~~", "---", "", "    code", "|a|b|", "|-|-|"]
        )
    ),
    st.integers(),
)
def test_any_document_streams_to_what_it_is(lines: list[str], seed: int) -> None:
    text = "\n".join(lines)
    rng = random.Random(seed)
    stream, end = MarkdownStream(), 0
    while end < len(text):
        end += rng.randint(1, 9)
        first = stream.feed(text[:end])
        assert first <= len(stream.blocks)
    assert "".join(to_html(block) for block in stream.blocks) == to_html(render(text))


def test_settled_blocks_are_not_told_again() -> None:
    stream = MarkdownStream()
    assert stream.feed("one\n\ntwo\n\nthr") == 0
    assert stream.feed("one\n\ntwo\n\nthree") == 1
    assert len(stream.blocks) == 2
    assert stream.feed("one\n\ntwo\n\nthree\n\nfour\n") == 1
    assert stream.feed("one\n\ntwo\n\nthree\n\nfour\n\n") == 3


@pytest.mark.parametrize(
    "text", ["```\n" + "x = 1\n" * 9_000, "word " * 9_000, "y" * 30_000, "```\n" + "z" * 20_000, "- item\n" * 5_000]
)
def test_a_long_open_block_is_cut_and_keeps_all_its_text(text: str) -> None:
    stream = MarkdownStream()
    for end in range(5_000, len(text) + 5_000, 5_000):
        stream.feed(text[:end])
    assert len(stream.blocks) > 2
    blocks = [text_of(block) for block in stream.blocks]
    assert max(map(len, blocks)) <= MAX_OPEN_CHARS + 10
    kept = "".join("".join(blocks).split())
    assert kept == "".join(text.replace("```", "").replace("- ", "").split())
    if text.startswith("```"):
        assert all(to_html(block).startswith("<pre>") for block in stream.blocks)
