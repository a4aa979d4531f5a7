"""``%%tah`` and ``%tah``: reads the line by the grammar, then asks the agent or prints where things stand."""

import os
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError
from IPython.core.magic import no_var_expand

from tah_jupyter.core.errors import TahError
from tah_jupyter.jupyter.grammar import DEMO_REQUEST, CellOptions, help_text, parse_cell, parse_line
from tah_jupyter.jupyter.kernel import answer_pages_while_busy
from tah_jupyter.jupyter.kernel_agent import KernelAgent
from tah_jupyter.jupyter.output import Output
from tah_jupyter.jupyter.place import Place
from tah_jupyter.jupyter.settings import Settings
from tah_jupyter.jupyter.status import mode_words, model_advice, model_words
from tah_jupyter.jupyter.transformer import AwaitedCells
from tah_jupyter.runtime.config import Config, load

if TYPE_CHECKING:
    from tah_jupyter.jupyter.cell import Cell
    from tah_jupyter.jupyter.shown import Look

__all__ = ["Magics", "Tah"]

_ALONE = (
    "a request must be alone in its cell, so that clicks and interrupts arrive while it runs: "
    "%%time, %%capture, loops, functions and other lines cannot hold it"
)


class Tah:
    """The name ``tah`` in the notebook: ``tah.last`` is the result of the last run, None before one."""

    def __init__(self, agent: KernelAgent) -> None:
        self._agent = agent

    @property
    def last(self) -> Any:
        """The result of the last run: text, todos, changes, usage, cost, events, session_id."""
        return self._agent.last

    def __repr__(self) -> str:
        return "tah: %tah help lists the commands, tah.last is the last result"


class Magics:
    """The two magics of one shell. ``cells`` is None in a shell without a kernel, which awaits nothing."""

    def __init__(self, shell: Any, settings: Settings, place: Place, cells: AwaitedCells | None) -> None:
        self._shell = shell
        self._settings = settings
        self._place = place
        self._cells = cells
        self._agent = KernelAgent(place)
        self._unanswer: Callable[[], None] | None = None
        self.name = Tah(self._agent)

    @no_var_expand
    def tah(self, line: str, cell: str | None = None) -> Any:
        """A coding agent in this notebook; %tah help lists what it knows."""
        if cell is not None:
            return self._ask(parse_cell(line, cell))
        command, argument = parse_line(line)
        word = command.word if command is not None else "status"
        if word == "ask":
            return self._ask(CellOptions(argument))
        if word == "demo":
            return self._ask(CellOptions(DEMO_REQUEST, model="demo"), once=True)
        look: Callable[[str], None] = getattr(self, f"_{word}")
        try:
            return look(argument)
        except TahError as error:
            from tah_jupyter.jupyter.outcome import failed  # noqa: PLC0415 - brings msgspec

            raise failed(error) from None

    def close(self) -> None:
        """End what runs and take back what a kernel was taught."""
        self._agent.close()
        if self._unanswer is not None:
            self._unanswer()

    def config(self, options: CellOptions | None = None) -> Config:
        """The config as it stands, with the options of one cell on top. Raises ConfigError for a wrong option."""
        given = self._settings.from_session
        if options is not None:
            cell = {
                "model": options.model,
                "permissions.mode": options.mode,
                "permissions.allow": list(options.allow),
                "budget.maxTurns": options.max_turns,
            }
            given |= {key: value for key, value in cell.items() if value}
        return load(self._place.root, jupyter=self._settings.from_files, session=given)

    def _ask(self, options: CellOptions, *, once: bool = False) -> Awaitable[Any] | None:
        """Run a request; ``once`` leaves the model of later ones as it is."""
        from tah_jupyter.jupyter.cell import Cell  # noqa: PLC0415 - brings msgspec, which costs as much as all else here

        cell = Cell(self._shell, self._agent, options, self.config)
        if self._cells is None:
            try:
                self._shell.displayhook.update_user_ns(cell.block())  # returned, it would be shown as an empty Out[n]
            finally:
                self._keep_model(options, cell, once=once)
            return None
        if not self._cells.take():
            raise UsageError(f"%%tah was not run: {self._cells.why_not() or _ALONE}.")
        if self._unanswer is None:
            self._unanswer = answer_pages_while_busy(self._shell.kernel)
        return self._awaited(options, cell, once=once)

    async def _awaited(self, options: CellOptions, cell: "Cell", *, once: bool) -> Any:
        try:
            return await cell.run()
        finally:
            self._keep_model(options, cell, once=once)

    def _keep_model(self, options: CellOptions, cell: "Cell", *, once: bool) -> None:
        """A model named in a cell answers later ones too, once it could be used at all."""
        if options.model and cell.begun and not once:
            self._settings.model = options.model

    def _status(self, argument: str) -> None:
        print("\n".join(self._standing()))

    def _standing(self) -> Iterator[str]:
        config, talk = self.config(), self._agent.conversation
        session = talk.session if talk is not None else None
        yield f"model    {model_advice(config, os.environ) or model_words(config, os.environ)}"
        yield f"folder   {self._place}"
        yield f"mode     {mode_words(config)}"
        yield (
            f"session  {session.session_id} · run {session.tally.runs}" if session is not None else "session  none yet"
        )
        yield from (f"config   {problem}" for problem in config.problems)

    def _help(self, argument: str) -> None:
        print(help_text())

    def _model(self, name: str) -> None:
        before = self._settings.model
        self._settings.model = name or before
        config = self.config()
        advice = model_advice(config, os.environ)
        if name and advice:
            self._settings.model = before
            raise UsageError(f"{advice} The model was not changed.")
        print(advice or model_words(config, os.environ))

    def _mode(self, mode: str) -> None:
        if mode:
            self._settings.mode = mode
        print(mode_words(self.config()))

    def _config(self, argument: str) -> None:
        config = self.config()
        width = max(len(row.key) for row in config.rows)
        for row in config.rows:
            print(f"{row.key:<{width}}  {row.value}  ({row.source})")
        for problem in config.problems:
            print(problem)

    def _show(self, subject: str) -> None:
        from tah_jupyter.jupyter import shown  # noqa: PLC0415 - brings the renderers

        print("\n".join(shown.SUBJECTS[subject](self._look())))

    def _sessions(self, argument: str) -> None:
        from tah_jupyter.jupyter import shown  # noqa: PLC0415 - brings the renderers

        number = argument.split()[1:]
        if len(number) != 1 or not number[0].isdecimal():
            raise UsageError("Write %tah sessions show N, where N is the number of a run.")
        Output(self._shell).show(shown.run(self._look(), int(number[0])))

    def _look(self) -> "Look":
        """The open session, else what the log tells of this notebook's."""
        from tah_jupyter.jupyter import shown  # noqa: PLC0415 - brings the renderers

        talk = self._agent.conversation
        look = shown.open_now(talk) if talk is not None else None
        return look or shown.not_open(self._place, self.config())
