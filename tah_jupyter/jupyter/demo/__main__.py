"""The demo as a command. It ends with ``demo: ok`` and 0, or with ``demo: FAILED``, what did not happen, and 1."""

import argparse
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from tah_jupyter.core.errors import TahError, ToolError
from tah_jupyter.core.events import Event, MessageFinished
from tah_jupyter.host.files.workspace import Workspace
from tah_jupyter.jupyter.demo.checks import Evidence, counts, files_of, missing_parts, run_tests
from tah_jupyter.jupyter.demo.keepsake import as_notebook, as_page
from tah_jupyter.jupyter.demo.page import Card, Cell, Page
from tah_jupyter.jupyter.demo.read_only import read_only
from tah_jupyter.jupyter.demo.terminal import Terminal
from tah_jupyter.jupyter.grammar import DEMO_REQUEST
from tah_jupyter.models.sample.project import Sample, is_sample, new_seed, write_sample
from tah_jupyter.sessions.reading import read_log

__all__ = ["main"]

_REFUSAL = "this demo was started with --deny"


class _Options(NamedTuple):
    seed: int
    out: Path
    model: str
    deny: bool
    read_only: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; the result is the exit code."""
    options = _read(arguments)
    terminal = Terminal()
    try:
        seen = _show(options, terminal)
    except (TahError, ToolError, OSError) as error:
        terminal.line(f"demo: FAILED: {error}", "bad")
        return 1
    if missing := missing_parts(seen):
        for part in missing[1:]:  # most follow from the first
            terminal.line(f"  ✕ {part}")
        terminal.line(f"demo: FAILED: {missing[0]}", "bad")
        return 1
    terminal.line(f"demo: ok · {counts(seen)}", "bold")
    return 0


def _read(arguments: Sequence[str] | None) -> _Options:
    parser = argparse.ArgumentParser(
        prog="python -m tah_jupyter.jupyter.demo",
        description="Run the main job in a real kernel, on a sample project, and check from outside that it happened.",
    )
    parser.add_argument("--seed", type=int, help="draw the project of this seed (default: a new one, which is printed)")
    parser.add_argument(
        "--out", default="demo-out", help="where project, notebook and page are left (default: demo-out)"
    )
    parser.add_argument("--model", default="demo", help="what answers: demo, or scripted:FILE")
    parser.add_argument("--deny", action="store_true", help="deny the edit; the demo then ends with FAILED")
    parser.add_argument("--read-only", action="store_true", help="write-protect the project; ends with FAILED, too")
    given = parser.parse_args(arguments)
    model = given.model
    if model.startswith("scripted:"):
        model = f"scripted:{Path(model.removeprefix('scripted:')).resolve()}"
    seed = new_seed() if given.seed is None else given.seed
    return _Options(seed, Path(given.out), model, given.deny, given.read_only)


def _show(options: _Options, terminal: Terminal) -> Evidence:
    """The whole demo, up to what was seen of it."""
    terminal.line(f"demo: seed {options.seed} (again: --seed {options.seed})")
    project, session = options.out / "project", options.out / "session"
    sample = _prepare(options, project, session)
    files_before, tests_before = files_of(project), run_tests(project)
    terminal.line(f"demo: {len(sample.files)} files in {project}; their tests: {tests_before.summary}")
    cards: list[Card] = []
    with ExitStack() as stack:
        if options.read_only:
            stack.enter_context(read_only(project))
            terminal.line(f"demo: {project} is write-protected")
        answer = _answerer(options, cards, terminal)
        cells = _run_cells(options, project, stack.enter_context(_environment(session)), terminal, answer)
    log = _log(session)
    terminal.answer(next((event.text for event in reversed(log) if isinstance(event, MessageFinished)), ""))
    tests_after = run_tests(project)
    intro = (
        f"The demo of tah, seed {options.seed}: a small project with one mistake, and an agent in a real kernel. "
        f"Afterwards, outside of the agent, the project's tests say: {tests_after.summary}."
    )
    _leave(options.out, intro, cells)
    terminal.line()
    terminal.line(f"The tests again, outside of the agent: {tests_after.summary}")
    terminal.line(f"To look at: {options.out / 'demo.ipynb'}, {options.out / 'demo.html'}, {session}")
    return Evidence(
        sample,
        files_before,
        files_of(project),
        tests_before,
        tests_after,
        log,
        cards,
        cell_status=cells[-1].status,
        last_line=cells[-1].text.strip().rpartition("\n")[2],
    )


def _prepare(options: _Options, project: Path, session: Path) -> Sample:
    """A new project; that of an earlier demo makes room, anything else does not."""
    if project.exists() and not is_sample(project):
        raise TahError(f"{project} is no sample project.", next_step="Choose another folder with --out.")
    for old in (project, session):
        if old.exists():
            shutil.rmtree(old)
    options.out.mkdir(parents=True, exist_ok=True)
    return write_sample(project, options.seed)


@contextmanager
def _environment(session: Path) -> Iterator[dict[str, str]]:
    """The kernel's environment: none of the person's settings, which could answer for the person; a known log."""
    with tempfile.TemporaryDirectory(prefix="tah-demo-home-") as home:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("TAH_", "JPY_"))}
        folders = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_STATE_HOME", "IPYTHONDIR"), home)
        yield kept | folders | {"TAH_SESSION_DIR": str(session.resolve())}


def _answerer(options: _Options, cards: list[Card], terminal: Terminal) -> Callable[[Card], tuple[str, str]]:
    """The person: looks at the card, then answers."""

    def answer(card: Card) -> tuple[str, str]:
        cards.append(card)
        is_edit = not card.title.startswith("Run ")
        changes = any(sign in "+-" for sign, _ in card.diff)
        if is_edit and (options.deny or not changes):
            reason = _REFUSAL if options.deny else "the card shows no change"
            terminal.card(card, f"denied: {reason}")
            return "deny", reason
        terminal.card(card, "allowed once")
        return "allow", ""

    return answer


def _run_cells(
    options: _Options,
    project: Path,
    env: dict[str, str],
    terminal: Terminal,
    answer: Callable[[Card], tuple[str, str]],
) -> list[Cell]:
    sources = ("%load_ext tah_jupyter", f"%%tah --model {shlex.quote(options.model)}\n{DEMO_REQUEST}")
    cells: list[Cell] = []
    page = Page(project, env, told=terminal.told, answer=answer)
    try:
        for number, source in enumerate(sources, start=1):
            terminal.source(number, source)
            cells.append(page.run(source))
            if number == 1 or cells[-1].status != "ok":
                terminal.text(cells[-1].text)
            if cells[-1].status != "ok":
                break
    finally:
        page.close()
    return cells


def _leave(out: Path, intro: str, cells: Sequence[Cell]) -> None:
    workspace = Workspace(out)
    for name, text in (("demo.ipynb", as_notebook(intro, cells)), ("demo.html", as_page("tah demo", intro, cells))):
        workspace.write(name, text.encode(), base=workspace.read_if_exists(name))


def _log(session: Path) -> list[Event]:
    """The records of the one session. Raises TahError when there is none."""
    logs = sorted(session.rglob("log.jsonl"))
    if not logs:
        raise TahError("No session log was written.", next_step="See what the last cell says.")
    return read_log(logs[-1]).events


if __name__ == "__main__":
    sys.exit(main())
