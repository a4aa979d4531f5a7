"""What the model knows of a file adds up, until the file changes."""

from tah_jupyter.host.files.read_state import ReadState, Seen


def page(state: ReadState, first: int, last: int, *, digest: str = "d", total: int = 10, cut: bool = False) -> bool:
    lines = None if cut else (first, last)
    state.put_page("/f", digest, page=(first, last - first + 1), lines=lines, total=total)
    return state.knows_all_of("/f", digest)


def test_pages_add_up_to_the_whole() -> None:
    state = ReadState()
    assert not page(state, 1, 3)
    assert not page(state, 8, 10)
    assert not page(state, 5, 7)
    assert page(state, 2, 4)
    assert page(state, 1, 1)


def test_a_page_with_a_cut_line_does_not_count() -> None:
    assert not page(ReadState(), 1, 10, cut=True)


def test_other_bytes_begin_anew() -> None:
    state = ReadState()
    assert page(state, 1, 10)
    assert not page(state, 1, 5, digest="e")
    assert not state.knows_all_of("/f", "d")
    assert not page(state, 6, 10)


def test_an_empty_file_is_known_at_once() -> None:
    state = ReadState()
    state.put_page("/f", "d", page=(1, 2000), lines=None, total=0)
    assert state.knows_all_of("/f", "d")


def test_the_oldest_are_forgotten() -> None:
    state = ReadState(max_files=2)
    for name in "abc":
        state.put(name, Seen(name, whole=True))
    assert (state.get("a"), state.get("c")) == (None, Seen("c", whole=True))
    state.forget(["b"])
    assert state.get("b") is None
    state.forget()
    assert state.get("c") is None
    assert not state.knows_all_of("c", "c")
