"""Paths that always ask, whatever was allowed: what they hold runs later, loosens the rules, or is secret."""

from itertools import pairwise

from tah_jupyter.core.approvals import PathSubject

__all__ = ["protected"]

_FOLDERS = {".git", ".tah", ".claude", ".vscode", ".ipython", ".jupyter"}
_FILES = {
    "tah.config.json", ".mcp.json", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc",
    ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".cshrc", ".tcshrc", ".kshrc", ".envrc", ".gitconfig", ".gitmodules",
    "ipython_config.py", "ipython_kernel_config.py", "jupyter_config.py", "jupyter_lab_config.py",
    "jupyter_server_config.py", "jupyter_notebook_config.py", "sitecustomize.py", "usercustomize.py",
}  # fmt: skip
_OWN_CONFIG = ("tah", "config.json")
"""The person's own file, wherever XDG_CONFIG_HOME puts it; it can allow anything."""

_START_UP = (("fish", "config.fish"), ("profile_default", "startup"), ("etc", "jupyter"))


def protected(subject: PathSubject) -> str:
    """Why editing (or, for ``.env`` files, also reading) this path always asks; empty when it does not.

    Names are compared without case: on the file systems of macOS and Windows ``.GIT`` is ``.git``.

    >>> protected(PathSubject("edit", ".git/config"))
    'it is inside .git/, a protected folder'
    >>> protected(PathSubject("read", ".git/config")), protected(PathSubject("read", "app/.env.local"))
    ('', 'it may hold secrets (.env.local)')
    """
    parts = [part.casefold() for part in subject.path.split("/") if part not in ("", ".")]
    name = parts[-1] if parts else ""
    if name == ".env" or name.startswith(".env."):
        return f"it may hold secrets ({name})"
    if subject.access == "read":
        return ""
    if folder := next((part for part in parts if part in _FOLDERS), ""):
        return f"it is inside {folder}/, a protected folder"
    if name in _FILES:
        return f"{name} is a protected file: what it says runs or is obeyed later"
    if _OWN_CONFIG in pairwise(parts):
        return "it is a settings file of tah"
    if any(pair in _START_UP for pair in pairwise(parts)):
        return "it is a start-up file"
    return ""
