"""Runs all checks. One that breaks is a line of its own, and the others go on."""

from collections.abc import Iterator
from importlib import import_module

from tah_jupyter.host.secrets.redact import Redactor
from tah_jupyter.host.secrets.values import secrets_in
from tah_jupyter.jupyter.doctor.finding import Check, Finding, Here
from tah_jupyter.ui.visible import visible_line

__all__ = ["examine"]

_GROUPS = ("kernel", "front_end", "model", "folder", "keeping", "settings", "machine", "versions")
"""Modules of this package, in the order of the report. Each is imported here, so that one that cannot be, because a
package is broken, is a line as well.
"""


def examine(here: Here) -> list[Finding]:
    """What all checks find, safe to show: nothing secret, nothing that a screen would act on. Blocks, less than a
    second unless a service is asked.
    """
    redactor = Redactor(secrets_in(here.keys))
    return [_shown(finding, redactor) for group in _GROUPS for finding in _of_group(group, here)]


def _of_group(group: str, here: Here) -> Iterator[Finding]:
    try:
        checks: tuple[Check, ...] = import_module(f"{__package__}.{group}").CHECKS
    except Exception as error:
        yield _broken(group, error, here)
        return
    for check in checks:
        try:
            yield from check(here)
        except Exception as error:
            yield _broken(group, error, here)


def _broken(group: str, error: Exception, here: Here) -> Finding:
    about, why = here.words.say(f"doctor_group_{group}"), f"{type(error).__name__}: {error}"
    return Finding(group, "unknown", about, here.words.say("doctor_broken", why=why))


def _shown(finding: Finding, redactor: Redactor) -> Finding:
    meaning, fix = (visible_line(redactor.redact(text)).text for text in (finding.meaning, finding.fix))
    return finding._replace(meaning=meaning, fix=fix)
