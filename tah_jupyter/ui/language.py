"""Which language people are spoken to in. Read at ``%load_ext``: settings and environment, no file, nothing heavy."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tah_jupyter.runtime.config import Config

__all__ = ["language_of"]

_LOCALES = ("LC_ALL", "LC_MESSAGES", "LANG")
"""The first that is not empty settles the language of messages (POSIX, Base Definitions, section 8.2)."""


def language_of(config: "Config", environ: Mapping[str, str]) -> str:
    """``en`` or ``zh``: what ``ui.language`` says; where it says ``auto``, the language of the front end if that tells
    its kernels (VS Code does), else that of the kernel's locale. Chinese for ``zh`` of any kind, else English.
    """
    if config.ui.language != "auto":
        return config.ui.language
    told = _of_vscode(environ) or next(filter(None, map(environ.get, _LOCALES)), "")
    return "zh" if told.lower().replace("_", "-").split("-")[0].split(".")[0] == "zh" else "en"


def _of_vscode(environ: Mapping[str, str]) -> str:
    """The locale of VS Code, which its kernels inherit as JSON (microsoft/vscode-jupyter#3364); empty elsewhere."""
    try:
        told = json.loads(environ.get("VSCODE_NLS_CONFIG", ""))
    except ValueError:
        return ""
    locale = told.get("locale") if isinstance(told, dict) else None
    return locale if isinstance(locale, str) else ""
