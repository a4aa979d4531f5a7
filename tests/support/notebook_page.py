"""A notebook as a person has it: a page of JupyterLab or Notebook 7, its cells, and the frame of a run with its card.

Everything is done with the mouse and the keyboard. The page's own API is only asked whether it is ready.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from playwright.sync_api import Locator, Page, expect

__all__ = ["LIMIT_MS", "NotebookPage", "write_notebook"]

LIMIT_MS = 30_000
"""Longest wait for anything that a page or a kernel does."""

CARD_DEAD_MS = 450
"""A little longer than a card takes no answer after it appears."""

expect.set_options(timeout=LIMIT_MS)

_READY = """() => {
  const panel = window.jupyterapp?.shell?.currentWidget;
  const kernel = panel?.sessionContext?.session?.kernel;
  return panel?.context?.isReady && kernel?.connectionStatus === 'connected'
    && ['idle', 'busy'].includes(kernel.status);
}"""

_SAVED_AT = "() => window.jupyterapp.shell.currentWidget.context.contentsModel.last_modified"
_SAVED_SINCE = "before => window.jupyterapp.shell.currentWidget.context.contentsModel.last_modified !== before"

_MODE = "() => window.jupyterapp.shell.currentWidget.content.mode"

_NUMBERED = re.compile(r"\[\d+\]:")


def write_notebook(path: Path, cells: Sequence[str]) -> None:
    """A notebook file with these code cells, never run."""
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in cells],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
    nbformat.write(notebook, path)


class NotebookPage:
    """One notebook in one page. Cells are numbered from 0."""

    def __init__(self, page: Page, address: str, path: Path) -> None:
        page.set_default_timeout(LIMIT_MS)
        self.page = page
        self.path = path
        self._address = address
        self.errors: list[str] = []
        """What went wrong in the page's scripts, in the words of its console."""
        page.on("pageerror", lambda error: self.errors.append(f"{error}\n{error.stack}"))
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)

    def open(self) -> None:
        """Show it, with its kernel connected."""
        self.page.goto(self._address)
        self.wait_ready()

    def reload(self) -> None:
        """Load the page anew, as F5 does."""
        self.page.reload()
        self.wait_ready()

    def wait_ready(self) -> None:
        self.page.wait_for_function(_READY)
        expect(self.cells.first).to_be_visible()

    # -- cells

    @property
    def cells(self) -> Locator:
        return self.page.locator(".jp-Notebook .jp-CodeCell")

    @property
    def mode(self) -> str:
        """``command`` or ``edit``."""
        return str(self.page.evaluate(_MODE))

    def editor(self, cell: int) -> Locator:
        return self.cells.nth(cell).locator(".jp-InputArea .cm-content")

    def output(self, cell: int) -> Locator:
        return self.cells.nth(cell).locator(".jp-Cell-outputArea")

    def prompt(self, cell: int) -> Locator:
        return self.cells.nth(cell).locator(".jp-InputPrompt")

    def run(self, *cells: int) -> None:
        """Put the caret into each cell and press Shift+Enter; goes on when the page has sent it."""
        for cell in cells:
            self.editor(cell).click()
            self.page.keyboard.press("Shift+Enter")
            expect(self.prompt(cell)).not_to_have_text("[ ]:")

    def menu(self, name: str, entry: str) -> None:
        """Choose ``entry`` of the menu ``name``."""
        self.page.locator(".lm-MenuBar-item").get_by_text(name, exact=True).click()
        self.page.locator(".lm-Menu-item", has_text=entry).first.click()

    def wait_done(self, *cells: int, limit_ms: float = LIMIT_MS) -> None:
        """Until each cell has its number, which it gets when its run is over."""
        for cell in cells:
            expect(self.prompt(cell)).to_have_text(_NUMBERED, timeout=limit_ms)

    # -- the frame of a run

    @property
    def frame(self) -> Locator:
        return self.page.locator(".tah-frame")

    @property
    def card(self) -> Locator:
        return self.page.locator(".tah-card")

    def wait_card(self, title: str) -> Locator:
        """Until the card whose title begins so has been there long enough to be answered."""
        card = self.page.locator(".tah-card:not(:has([aria-disabled=true]))", has=self.page.get_by_text(title))
        card.wait_for()
        self.page.evaluate("ms => new Promise(resolve => setTimeout(resolve, ms))", CARD_DEAD_MS)
        return card

    def wait_question(self, title: str) -> Locator:
        """Until the card of the question that begins so has been there long enough to be answered."""
        card = self.page.locator(".tah-question", has=self.page.get_by_text(title))
        card.wait_for()
        self.page.evaluate("ms => new Promise(resolve => setTimeout(resolve, ms))", CARD_DEAD_MS)
        return card

    def press_choice(self, label: str) -> None:
        """Press the button of a question's card once it can be answered; returns when the card takes no more."""
        button = self.card.get_by_role("button", name=label).and_(self.page.locator(":not([aria-disabled=true])"))
        button.wait_for()
        self.page.evaluate("ms => new Promise(resolve => setTimeout(resolve, ms))", CARD_DEAD_MS)
        button.click()

    @property
    def focus(self) -> str:
        """The name of what has focus, else its text or its look."""
        name: str = self.page.evaluate(
            "(e => e.getAttribute('aria-label') || e.textContent.trim() || e.className)(document.activeElement)"
        )
        return name

    def press(self, button: str) -> None:
        """Click the button of the card or frame with this label, by its accessible name, which starts with it."""
        name = re.compile(rf"^{re.escape(button.removesuffix('…'))}(:| run \d+$|$)")
        self.frame.get_by_role("button", name=name).click()

    def answer(self, title: str, button: str) -> None:
        """Wait for the card, click, and wait until the card is gone or is another one."""
        card = self.wait_card(title)
        question = card.get_attribute("aria-describedby")
        self.press(button)
        self.page.locator(f".tah-card[aria-describedby='{question}']").wait_for(state="detached")

    # -- the file

    def save(self) -> dict[str, Any]:
        """Ctrl+S; the file as it is on disk afterwards."""
        before = self.page.evaluate(_SAVED_AT)
        self.page.keyboard.press("Control+s")
        self.page.wait_for_function(_SAVED_SINCE, arg=before)
        saved: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8"))
        return saved
