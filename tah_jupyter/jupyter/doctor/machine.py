"""The machine around the kernel: programs, the encoding of names, and the way out to the net."""

import locale
import os
import shutil
import sys
from collections.abc import Iterator

from tah_jupyter.host.net import proxy_in_force
from tah_jupyter.host.processes.environment import environment
from tah_jupyter.host.search.ripgrep import find_program
from tah_jupyter.jupyter.doctor.finding import Check, Finding, Here
from tah_jupyter.ui.language import language_of
from tah_jupyter.ui.visible import visible_line

__all__ = ["CERTIFICATES", "CHECKS"]

_ANY_SERVICE = "https://api.openai.com"
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
_INSTALL = {"darwin": "brew install"}


def _programs(here: Here) -> Iterator[Finding]:
    install = _INSTALL.get(sys.platform, "sudo apt-get install")
    path = environment(source=here.environ)["PATH"]
    found = {"rg": find_program(here.place.root), "git": shutil.which("git", path=path)}
    for name, where in found.items():
        if where:
            yield here.find("programs", "good", "doctor_program_is", name=name, path=visible_line(where).text)
        else:
            package = {"rg": "ripgrep"}.get(name, name)
            yield here.find("programs", "note", f"doctor_missing_{name}", f"{install} {package}")


def _encoding(here: Here) -> Iterator[Finding]:
    names, text = sys.getfilesystemencoding(), locale.getpreferredencoding(False)
    settled = next(filter(None, map(here.environ.get, ("LC_ALL", "LC_CTYPE", "LANG"))), "–")
    values = {"names": names, "text": text, "locale": visible_line(settled).text}
    if names.lower().replace("-", "") == "utf8":
        language = language_of(here.config, here.environ)
        yield here.find("encoding", "good", "doctor_encoding_is", language=language, **values)
    else:
        yield here.find("encoding", "problem", "doctor_encoding_other", "export LC_ALL=C.UTF-8", **values)


def _net(here: Here) -> Iterator[Finding]:
    proxy = proxy_in_force(_ANY_SERVICE)
    if proxy is None:
        yield here.find("net", "good", "doctor_net_direct")
    else:
        yield here.find("net", "note", "doctor_net_proxy", variable=proxy[0], proxy=visible_line(proxy[1]).text)
    for variable in CERTIFICATES:
        path = here.environ.get(variable, "")
        if path and not os.path.exists(path):
            shown = visible_line(path).text
            yield here.find(
                "net",
                "problem",
                "doctor_net_no_file",
                f"import os; del os.environ['{variable}']",
                variable=variable,
                path=shown,
            )
        elif path:
            yield here.find("net", "good", "doctor_net_own_file", variable=variable, path=visible_line(path).text)


CHECKS: tuple[Check, ...] = (_programs, _encoding, _net)
