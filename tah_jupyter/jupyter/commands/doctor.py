"""``%tah doctor [--check] [--json]``: what works here, what does not, and how to mend it."""

import time

from IPython.core.error import UsageError

from tah_jupyter.jupyter.doctor.examine import examine
from tah_jupyter.jupyter.doctor.finding import here
from tah_jupyter.jupyter.doctor.report import as_json, as_text
from tah_jupyter.jupyter.grammar import COMMANDS
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.printing import tell

__all__ = ["run"]


def run(loaded: Loaded, argument: str) -> None:
    """Print the report; ``--check`` also tries the key at its service, for free, ``--json`` is for programs."""
    options, words = argument.split(), loaded.words
    if not {"--check", "--json"}.issuperset(options):
        raise UsageError(words.say("write_usage", usage=COMMANDS["doctor"].usage))
    began = time.perf_counter()
    findings = examine(here(loaded, ask_service="--check" in options))
    took_s = time.perf_counter() - began
    tell(as_json(findings, took_s=took_s) if "--json" in options else as_text(findings, words, took_s=took_s))
