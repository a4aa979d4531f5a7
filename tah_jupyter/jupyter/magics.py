"""``%%tah`` and ``%tah``: reads the line by the grammar, then asks the agent or hands it to the word's own module."""

from collections.abc import Awaitable, Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError
from IPython.core.magic import no_var_expand

from tah_jupyter.core.errors import TahError
from tah_jupyter.jupyter.grammar import DEMO_REQUEST, CellOptions, parse_cell, parse_line
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.transformer import AwaitedCells

if TYPE_CHECKING:
    from tah_jupyter.jupyter.cell import Cell

__all__ = ["Magics", "Tah"]


class Tah:
    """The name ``tah`` in the notebook: ``tah.last`` is the result of the last run, None before one."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded

    @property
    def last(self) -> Any:
        """The result of the last run: text, todos, changes, usage, cost, events, session_id."""
        return self._loaded.agent.last

    def __repr__(self) -> str:
        return self._loaded.words.say("name_tah")


class Magics:
    """The two magics of one shell. ``cells`` is None in a shell without a kernel, which awaits nothing."""

    def __init__(self, loaded: Loaded, cells: AwaitedCells | None) -> None:
        self._loaded = loaded
        self._cells = cells
        self._unanswer: Callable[[], None] | None = None
        self.name = Tah(loaded)

    @no_var_expand
    def tah(self, line: str, cell: str | None = None) -> Any:
        """A coding agent in this notebook; %tah help lists what it knows."""
        if cell is not None:
            return self._ask(parse_cell(line, cell, self._loaded.words))
        command, argument = parse_line(line, self._loaded.words)
        word = command.word if command is not None else "status"
        if word == "ask":
            return self._ask(CellOptions(argument))
        if word == "demo":
            return self._ask(CellOptions(DEMO_REQUEST, new=True, model="demo"), once=True)
        run: Callable[[Loaded, str], None] = import_module(f"tah_jupyter.jupyter.commands.{word}").run
        try:
            return run(self._loaded, argument)
        except TahError as error:
            from tah_jupyter.jupyter.outcome import failed  # noqa: PLC0415 - brings msgspec

            raise failed(error, self._loaded.words) from None

    def close(self) -> None:
        """End what runs and take back what a kernel was taught."""
        self._loaded.agent.close()
        if self._unanswer is not None:
            self._unanswer()

    def _ask(self, options: CellOptions, *, once: bool = False) -> Awaitable[Any] | None:
        """Run a request; ``once`` leaves the model of later ones as it is."""
        from tah_jupyter.jupyter.cell import Cell  # noqa: PLC0415 - brings msgspec, which costs as much as all else here

        shell = self._loaded.shell
        if options.bg and self._cells is None:
            raise UsageError(self._loaded.words.say("bg_needs_kernel"))
        cell = Cell(self._loaded, options)
        keep_model = partial(self._keep_model, "" if once else options.model, cell, self._loaded.settings.model)
        if self._cells is None:
            try:
                shell.displayhook.update_user_ns(cell.block())  # returned, it would be shown as an empty Out[n]
            finally:
                keep_model()
            return None
        if not self._cells.take():
            words = self._loaded.words
            raise UsageError(words.say("not_run_because", why=words.say(self._cells.why_not() or "must_be_alone")))
        if self._unanswer is None:
            from tah_jupyter.jupyter.busy_kernel import answer_while_busy  # noqa: PLC0415 - not at load

            self._unanswer = answer_while_busy(shell.kernel)
        return self._awaited(cell, keep_model)

    async def _awaited(self, cell: "Cell", keep_model: Callable[[], None]) -> Any:
        try:
            return await cell.run()
        finally:
            keep_model()

    def _keep_model(self, named: str, cell: "Cell", before: str) -> None:
        """A model named in a cell answers later ones too, once it could be used at all; unless the person chose another
        one meanwhile, because it failed.
        """
        settings = self._loaded.settings
        if named and cell.begun and settings.model == before:
            settings.model = named
