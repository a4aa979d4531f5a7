"""A shell of IPython's own, without the history that would write into the home of whoever runs the tests."""

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

__all__ = ["quiet_shell"]


def quiet_shell() -> InteractiveShell:
    return InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
