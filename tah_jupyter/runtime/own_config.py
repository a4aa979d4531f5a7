"""Writing one setting into the person's own config file, and nothing else of it."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tah_jupyter.core.errors import ConfigError, ToolError
from tah_jupyter.host.files.workspace import Workspace
from tah_jupyter.runtime.config_sources import OWN_FILE, user_file
from tah_jupyter.runtime.located_json import JsonError, parse

__all__ = ["remember"]


def remember(key: str, value: Any, environ: Mapping[str, str]) -> Path:
    """Set the top-level ``key`` of the person's file to ``value``, atomically, and return the file. Blocks.

    Every other key stays, in its order; the file is made when there is none, readable by its owner alone. Raises
    ConfigError, the file as it was, when it holds a mistake, changed meanwhile, or cannot be written.
    """
    path = Path(os.path.realpath(user_file(environ)))  # dot files are often links into a folder under git
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = Workspace(path.parent)
        base = folder.read_if_exists(path.name)
        settings = _object_in(base.data.decode("utf-8-sig")) if base is not None else {}
        text = json.dumps({**settings, key: value}, indent=2, ensure_ascii=False) + "\n"
        folder.write(path.name, text.encode(), base=base)
        if base is None:
            path.chmod(0o600)
    except (OSError, ToolError, ValueError) as error:
        reason = str(error).rstrip(".")
        raise ConfigError(
            f"{OWN_FILE} was not changed: {reason}.", next_step=f'Write "{key}": {json.dumps(value)} into it by hand.'
        ) from None
    return path


def _object_in(text: str) -> dict[str, Any]:
    """The JSON object of a config file. Raises ValueError for anything else, and for a key that stands twice."""
    try:
        value, _ = parse(text)
    except JsonError as error:
        raise ValueError(f"line {error.line}: {error.message}") from None
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")
    return value
