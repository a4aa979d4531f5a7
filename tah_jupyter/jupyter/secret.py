"""Having a person type what nobody may see."""

import getpass
import warnings

from IPython.core.error import StdinNotImplementedError

__all__ = ["read_secret"]


def read_secret(prompt: str) -> str | None:
    """What is typed after ``prompt``, which is not shown; None where nobody can be asked so. Main thread, while a cell
    runs: only then ipykernel has put the front end's password field in the place of ``getpass.getpass``, which is
    therefore looked up at each call.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)  # else it would go on and show what is typed
        try:
            return getpass.getpass(prompt)
        except (StdinNotImplementedError, EOFError, getpass.GetPassWarning):
            return None
