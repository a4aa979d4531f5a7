"""The environment of the processes we start: an allow-list, so that no key or token of the kernel is inherited.

A list of what may pass, because a list of what must not can never be complete (case EXEC-14).
"""

import os
import re
import sys
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

__all__ = ["environment"]

_ALLOWED = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TZDIR|TMPDIR|TEMP|TMP|XDG_\w+_(?:HOME|DIRS?)"
    r"|VIRTUAL_ENV|CONDA_\w+|MAMBA_\w+|PYTHON\w+|PYENV_\w+|UV_\w+|JAVA_HOME|GOPATH|GOROOT|GOCACHE|GOMODCACHE|CARGO_HOME"
    r"|RUSTUP_HOME|NVM_DIR|NODE_PATH|R_HOME|R_LIBS\w*|JULIA_\w+|LD_LIBRARY_PATH|DYLD_\w+|PKG_CONFIG_PATH|MANPATH"
    r"|CUDA_\w+|OMP_\w+|MKL_\w+|OPENBLAS_\w+|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE"
)
_PROXY = re.compile(r"(?:https?|ftp|all|no)_proxy", re.IGNORECASE)
_LOGIN = re.compile(r"https?://[^/\s?#]*@", re.IGNORECASE)
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|INDEX_URL", re.IGNORECASE)

_OURS = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",  # there is nobody at a terminal to answer
    "PYTHONUNBUFFERED": "1",  # so that the live output is live
}


def environment(pass_names: Iterable[str] = (), source: Mapping[str, str] | None = None) -> dict[str, str]:
    """What of ``source`` (default: this process's environment) a command may see, and ``pass_names`` beyond that.

    Of the PATH only absolute folders count, so that no program of a project passes for a tool; the folder of this
    kernel's Python comes first when it is not on it. Proxies and addresses pass unless they hold a password.
    """
    source = os.environ if source is None else source
    kept = {name: value for name, value in source.items() if _passes(name, value)}
    kept["PATH"] = _search_path(source.get("PATH", os.defpath))
    return kept | _OURS | {name: source[name] for name in pass_names if name in source}


def _passes(name: str, value: str) -> bool:
    if _PROXY.fullmatch(name):
        return "@" not in value and urlsplit(value).password is None
    return bool(_ALLOWED.fullmatch(name)) and not _SECRET.search(name) and not _LOGIN.search(value)


def _search_path(path: str) -> str:
    folders = [folder for folder in path.split(os.pathsep) if os.path.isabs(folder)]
    own = os.path.dirname(sys.executable)
    if sys.prefix != sys.base_prefix and own not in folders:
        folders.insert(0, own)
    return os.pathsep.join(folders)
