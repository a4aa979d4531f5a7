"""The system's own Chromium, headless, for tests that click."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

__all__ = ["browser", "find_chromium"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

ARGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def find_chromium() -> str:
    """The path of the first Chromium on PATH. Raises FileNotFoundError saying what to install."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    raise FileNotFoundError(f"No Chromium on PATH ({', '.join(NAMES)}); `make setup` installs one.")


@contextmanager
def browser() -> Iterator[Browser]:
    """A headless Chromium. While it is open the thread has a running event loop: keep it no longer than a module."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=list(ARGS))
        try:
            yield chromium
        finally:
            chromium.close()
