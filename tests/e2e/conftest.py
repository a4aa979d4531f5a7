"""One JupyterLab for all browser tests, a page for each; a failed test leaves its picture and the server's log."""

import re
import shutil
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.kernel.project import Project
from tests.support.chromium import browser
from tests.support.frame_page import FramePage
from tests.support.lab import Lab, Theme, running_lab
from tests.support.notebook_page import NotebookPage, write_notebook

RESULTS = Path(__file__).parents[2] / "test-results"

SECRET = "tah-e2e-Zq8Lw3Xn5Rt7Yv2BpK4m"
"""A value that looks like nothing known; it is a secret by the name of its variable."""

FRONT_ENDS = ("/static/lab/", "/static/notebook/", "Comm not found for comm id")
"""Signs of the front ends' own scripts, which fail now and then by themselves; the frame's come from a blob. The last
is what they say when a kernel that is being restarted closes a widget that the page has dropped already.
"""

OpenNotebook = Callable[..., NotebookPage]

_failed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash[_failed] = item.stash.get(_failed, False) or report.failed
    return report


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with running_lab(tmp_path_factory.mktemp("lab"), env={"SEEDED_SERVICE_TOKEN": SECRET}) as running:
        yield running


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser for the frame alone."""
    with browser() as opened:
        yield opened


@pytest.fixture
def frame(chromium: Browser) -> Iterator[FramePage]:
    """The frame alone, without a kernel."""
    opened = FramePage(chromium)
    yield opened
    opened.page.context.close()


@pytest.fixture
def timed(chromium: Browser) -> Iterator[FramePage]:
    """A frame whose page has a clock that goes only when it is told to."""
    opened = FramePage(chromium, clock="2026-11-30T14:00:00")
    yield opened
    opened.page.context.close()


@pytest.fixture(scope="module")
def window() -> Iterator[BrowserContext]:
    """A window whose pages share what the browser has fetched: Lab's scripts are several megabytes."""
    with browser() as chromium:
        yield chromium.new_context()


@pytest.fixture
def project(lab: Lab, request: pytest.FixtureRequest) -> Project:
    """A project below the folder that the server serves."""
    folder = lab.root / re.sub(r"\W+", "-", request.node.name).strip("-")
    folder.mkdir()
    return Project(folder)


@pytest.fixture
def open_notebook(
    lab: Lab, window: BrowserContext, project: Project, request: pytest.FixtureRequest
) -> Iterator[OpenNotebook]:
    """Opens a notebook of the project with these cells, the extension's own cell first, in a page of its own."""
    opened: list[NotebookPage] = []

    def open_notebook(
        *cells: str, width: int = 1000, height: int = 760, theme: Theme = "light", plain: bool = False
    ) -> NotebookPage:
        path = project.folder / "work.ipynb"
        if cells:
            write_notebook(path, ["%load_ext tah_jupyter", *cells])
        lab.set_theme(theme)
        page = window.new_page()
        page.set_viewport_size({"width": width, "height": height})
        notebook = NotebookPage(page, lab.plain_address(path) if plain else lab.address(path), path)
        opened.append(notebook)
        notebook.open()
        return notebook

    yield open_notebook
    if request.node.stash.get(_failed, False):
        _keep(request.node.name, opened, lab)
    for notebook in opened:
        notebook.page.close()
    lab.end_kernels()
    assert [error for notebook in opened for error in notebook.errors if not _is_the_front_ends(error)] == []


def _is_the_front_ends(error: str) -> bool:
    return any(place in error for place in FRONT_ENDS) and "blob:" not in error


def _keep(name: str, opened: list[NotebookPage], lab: Lab) -> None:
    folder = RESULTS / re.sub(r"\W+", "-", name).strip("-")
    folder.mkdir(parents=True, exist_ok=True)
    for number, notebook in enumerate(opened):
        notebook.page.screenshot(path=folder / f"page-{number}.png")
        (folder / f"console-{number}.txt").write_text("\n".join(notebook.errors))
    shutil.copy(lab.log, folder / "jupyter.log")
