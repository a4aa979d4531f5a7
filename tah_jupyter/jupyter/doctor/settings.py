"""The settings: what is wrong with them, a line each."""

from collections.abc import Iterator

from tah_jupyter.jupyter.doctor.finding import Check, Finding, Here, State

__all__ = ["CHECKS"]


def _problems(here: Here) -> Iterator[Finding]:
    for problem in here.config.problems:
        state: State = "problem" if problem.fatal else "note"
        yield Finding("config", state, here.words.say("doctor_about_config"), str(problem), "%tah config")
    if not here.config.problems:
        sources = sorted({row.source for row in here.config.rows if row.source != "default"})
        told = ", ".join(map(here.words.told, sources)) or here.words.told("default")
        yield here.find("config", "good", "doctor_config_good", sources=told)


CHECKS: tuple[Check, ...] = (_problems,)
