"""The rewriting, in a real shell: what is awaited, and what is left for the magic to refuse."""

from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from tah_jupyter.jupyter.transformer import AwaitedCells, keep_question
from tah_jupyter.ui.words import Words


class Shell:
    """A real shell with a magic that notes whether it was awaited."""

    def __init__(self) -> None:
        self.ip = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
        self.cells = AwaitedCells(self.ip)
        self.cells.install()
        self.ip.input_transformers_cleanup.append(keep_question)
        self.awaited: list[bool] = []
        self.ip.register_magic_function(self._tah, "line_cell", "tah")

    def _tah(self, line: str, cell: str | None = None) -> Any:
        taken = self.cells.take()
        self.awaited.append(taken)

        async def nothing() -> None:
            return None

        return nothing() if taken else None


@pytest.fixture
def shell() -> Iterator[Shell]:
    shell = Shell()
    yield shell
    shell.ip.restore_sys_module_state()


@pytest.mark.parametrize(
    "cell",
    [
        "%%tah\nhello",
        "%%tah --new\nhello\n\n%time is a word here",
        "\n\n%%tah\nhello",
        "%tah ask what is here",
        "%tah ask what is here?",
        "%tah ask 'what' is\\here ??",
        "# first look\n%tah ask what is here?\n",
        '%%tah\nit\'s "quoted" \\ and \u00fcnicode',
    ],
)
def test_a_cell_that_only_asks_is_awaited(shell: Shell, cell: str) -> None:
    assert shell.ip.run_cell(cell).success
    assert shell.awaited == [True]


@pytest.mark.parametrize(
    "cell",
    [
        "%%time\n%tah ask hello",
        "%%capture out\n%tah ask hello",
        "%time get_ipython().run_line_magic('tah', 'ask hello')",
        "for _ in range(2):\n    %tah ask hello",
        "def f():\n    %tah ask hello\nf()",
        "x = 1\n%tah ask hello",
        "%tah ask hello\nx = 1",
        "answer = %tah ask hello",
        "get_ipython().run_cell('%tah ask hello')",
        "get_ipython().run_cell('')\nget_ipython().run_cell('%tah ask hello')",
        "%autoawait off\n%tah ask hello",
    ],
)
def test_a_request_inside_something_else_is_not_awaited(shell: Shell, cell: str) -> None:
    shell.ip.run_cell(cell)
    assert shell.awaited
    assert not any(shell.awaited)


@pytest.mark.parametrize("cell", ["%tah", "%tah help", "%tah mode plan", "%tah asking"])
def test_a_command_is_not_awaited(shell: Shell, cell: str) -> None:
    shell.ip.run_cell(cell)
    assert shell.awaited == [False]


@pytest.mark.parametrize("runner", ["off", "sync"])
def test_without_asyncio_autoawait_nothing_is_awaited_and_it_is_said_why(shell: Shell, runner: str) -> None:
    shell.ip.run_cell(f"%autoawait {runner}")
    shell.ip.run_cell("%%tah\nhello")
    assert shell.awaited == [False]
    assert "%autoawait asyncio" in Words().say(shell.cells.why_not())


def test_a_cell_after_a_failing_or_refused_one_is_awaited_again(shell: Shell) -> None:
    for cell in ("1 / 0", "%%time\n%tah ask a", "def (", "", "%%tah\nb"):
        shell.ip.run_cell(cell)
    assert shell.awaited == [False, True]


def test_looking_at_a_cell_does_not_make_another_one_awaited(shell: Shell) -> None:
    shell.ip.transform_cell("%%tah\nhello")
    shell.ip.run_cell("for _ in range(1):\n    %tah ask hello")
    assert shell.awaited == [False]


def test_an_awaited_cell_is_awaited_once(shell: Shell) -> None:
    shell.ip.user_ns["again"] = lambda: shell.cells.take()
    shell.ip.run_cell("%%tah\nhello")
    assert shell.cells.take() is False


def test_other_cells_are_left_as_they_are(shell: Shell) -> None:
    for lines in (
        ["x = 1\n"],
        ["get_ipython().run_cell_magic('tahini', '', '')\n"],
        ["get_ipython().run_line_magic('tah',"],
    ):
        assert shell.cells.transform(lines) is lines


def test_removing_it_takes_everything_back(shell: Shell) -> None:
    before = len(shell.ip.input_transformers_post)
    shell.cells.remove()
    assert len(shell.ip.input_transformers_post) == before - 1
    shell.ip.run_cell("%%tah\nhello")
    assert shell.awaited == [False]
