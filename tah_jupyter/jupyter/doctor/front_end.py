"""Which front end shows the notebook, and who there can answer: a page with buttons, ``input()``, or nobody."""

import sys
from collections.abc import Iterator

from tah_jupyter.jupyter.doctor.finding import Check, Finding, Here
from tah_jupyter.jupyter.doctor.versions import version_of
from tah_jupyter.ui.visible import visible_line

__all__ = ["CHECKS"]


def _which(here: Here) -> Iterator[Finding]:
    name, notebook = _name(here), visible_line(here.place.notebook).text
    if here.kernel is None:
        yield here.find("front_end", "good", "doctor_is_terminal")
    elif notebook:
        yield here.find("front_end", "good", "doctor_front_end_is", name=name, notebook=notebook)
    else:
        yield here.find("front_end", "note", "doctor_no_notebook", name=name)


def _name(here: Here) -> str:
    """What can be told apart from inside a kernel: VS Code and Jupyter Server name the notebook, Colab has a module."""
    if "google.colab" in sys.modules:
        return "Google Colab"
    if "__vsc_ipynb_file__" in here.shell.user_ns:
        return "VS Code"
    if here.environ.get("JPY_SESSION_NAME") or here.environ.get("JPY_PARENT_PID"):
        return "Jupyter Server"
    return here.words.say("doctor_is_other")


def _answers(here: Here) -> Iterator[Finding]:
    if here.kernel is None:
        yield here.find("answers", "good", "doctor_answers_terminal")
    elif not here.stdin:
        yield here.find("answers", "note", "doctor_answers_nobody", "%%tah --allow TOOL")
    elif not version_of("anywidget"):
        yield here.find("answers", "problem", "doctor_answers_no_widgets", "%pip install anywidget")
    elif here.page is None:
        yield here.find("answers", "good", "doctor_answers_untried", version=version_of("anywidget"))
    elif here.page:
        yield here.find("answers", "good", "doctor_answers_page", version=version_of("anywidget"))
    else:
        yield here.find("answers", "problem", "doctor_answers_stdin", "pip install anywidget")


CHECKS: tuple[Check, ...] = (_which, _answers)
