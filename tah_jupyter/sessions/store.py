"""Where sessions are kept: a folder each, ``.tah/sessions/<id>`` under the workspace root, or the user's state folder
where the root cannot be written. This module makes folders and finds sessions; :mod:`tah_jupyter.sessions.log` writes.
"""

import hashlib
import os
import re
import secrets
import stat
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from tah_jupyter.core.errors import LogError
from tah_jupyter.core.events import RunStarted, SessionOpened
from tah_jupyter.host.secrets.redact import Redactor
from tah_jupyter.sessions.log import SessionLog
from tah_jupyter.sessions.reading import read_head

__all__ = ["Kept", "Store", "Summary", "new_id"]

LOG_NAME = "log.jsonl"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def new_id() -> str:
    """A new session id: its UTC time to the microsecond, so that ids sort by age, and 24 random bits."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}-{secrets.token_hex(3)}"


class Summary(msgspec.Struct, frozen=True):
    """A session in a list. ``started`` and ``last_used`` are seconds since the epoch; ``prompt`` is its first one."""

    session_id: str
    path: Path
    notebook: str
    root: str
    started: float
    last_used: float
    size_bytes: int
    prompt: str = ""


class Kept:
    """One session's folder: its log, and ``results/`` for results that are too long for the model."""

    def __init__(self, path: Path, redactor: Redactor, *, resumed: bool) -> None:
        self.session_id = path.name
        self.path = path
        self.log_path = path / LOG_NAME
        self.results_dir = path / "results"
        self.resumed = resumed
        self._redactor = redactor

    def open_log(self) -> SessionLog:
        """As :meth:`SessionLog.open`, with the folder for results made. Blocks; call it in a thread."""
        log = SessionLog.open(self.log_path)
        _make_folder(self.results_dir)
        return log

    def spill(self, call_id: str, text: str) -> Path:
        """Keep ``text``, masked, as the whole result of a call; returns the file. Blocks; call it in a thread.

        Raises LogError when it cannot be written; then nothing of it is left.
        """
        name = re.sub(r"[^A-Za-z0-9._-]", "_", call_id).lstrip(".") or "result"
        data = self._redactor.redact(text).encode("utf-8", "backslashreplace")
        try:
            _make_folder(self.results_dir)
            return _write_new(self.results_dir, name, data)
        except OSError as error:
            raise LogError(
                f"The whole result of {call_id} cannot be kept in {self.results_dir} ({_reason(error)}).",
                next_step="Free space there, or make it writable.",
            ) from error


class Store:
    """The sessions of one workspace. ``folder`` is used instead of ``.tah/sessions`` under ``root`` when given.

    Nothing is touched until a method is called; each one blocks, so call it in a thread. :attr:`notice` then says,
    in a sentence for the person, when sessions are not where they would look for them.
    """

    def __init__(
        self, root: Path, folder: Path | None = None, *, redactor: Redactor, environ: Mapping[str, str] | None = None
    ) -> None:
        self.notice = ""
        self._root = root
        self._wished = folder
        self._redactor = redactor
        self._environ = os.environ if environ is None else environ
        self._chosen: Path | None = None

    def open(self, *, resume: str | None = None, notebook: str = "") -> Kept:
        """The session ``resume``; else the newest of ``notebook``; else a new one. Raises LogError."""
        if resume is not None:
            return self.get(resume)
        return (self.find(notebook) if notebook else None) or self.create()

    def create(self) -> Kept:
        """A new session with an empty folder. Raises LogError when it can be made nowhere."""
        path = self.folder() / new_id()
        try:
            path.mkdir(mode=0o700)
        except OSError as error:
            raise LogError(
                f"No session can be made in {path.parent} ({_reason(error)}).",
                next_step="Make it writable, or free space on its disk.",
            ) from error
        return Kept(path, self._redactor, resumed=False)

    def get(self, session_id: str) -> Kept:
        """The session of that id. Raises LogError when there is none."""
        path = self.folder() / session_id
        if not _ID.fullmatch(session_id) or not _is_folder(path) or not (path / LOG_NAME).is_file():
            raise LogError(f"There is no session {session_id!r} in {self.folder()}.", next_step="List them first.")
        return Kept(path, self._redactor, resumed=True)

    def find(self, notebook: str) -> Kept | None:
        """The session of ``notebook`` that was used last, or None. Only the first lines of each log are read.

        It must have been opened at this root: a cloned project may bring a log along, and with it words that the model
        would take for its own. A moved folder's session is still there by its id.
        """
        for path in self._newest_first():
            summary = _summary(path)
            if summary is not None and summary.notebook == notebook and summary.root == str(self._root):
                return Kept(path, self._redactor, resumed=True)
        return None

    def summaries(self) -> list[Summary]:
        """All sessions that can be read, the last used first."""
        return [summary for path in self._newest_first() if (summary := _summary(path)) is not None]

    def folder(self) -> Path:
        """Where sessions are kept, made when it does not exist. Raises LogError when no place can be written."""
        if self._chosen is None:
            self._chosen = self._choose()
        return self._chosen

    def _choose(self) -> Path:
        wished = self._wished or self._root / ".tah" / "sessions"
        try:
            return _prepare(wished, private=None if self._wished else self._root / ".tah")
        except OSError as error:
            reason = _reason(error)
        fallback = self._state_folder() / _key(self._root) / "sessions"
        try:
            _prepare(fallback, private=None)
        except OSError as error:
            raise LogError(
                f"Sessions can be kept neither in {wished} ({reason}) nor in {fallback} ({_reason(error)}).",
                next_step="Make one of the two writable, or set session.dir in the config.",
            ) from error
        self.notice = f"{wished} cannot be used ({reason}), so sessions are kept in {fallback}."
        return fallback

    def _state_folder(self) -> Path:
        """``$XDG_STATE_HOME/tah``; the XDG Base Directory Specification has relative values ignored."""
        state = self._environ.get("XDG_STATE_HOME", "")
        home = Path(self._environ.get("HOME") or Path.home())
        return (Path(state) if os.path.isabs(state) else home / ".local" / "state") / "tah"

    def _newest_first(self) -> list[Path]:
        logs = []
        with os.scandir(self.folder()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and _ID.fullmatch(entry.name):
                    path = Path(entry.path)
                    try:
                        logs.append(((path / LOG_NAME).lstat().st_mtime_ns, path.name, path))
                    except OSError:  # a folder without a log is no session
                        continue
        return [path for _, _, path in sorted(logs, reverse=True)]


def _summary(path: Path) -> Summary | None:
    """What the first lines say; None when they cannot be read or name no session."""
    log = path / LOG_NAME
    try:
        head, facts = read_head(log), log.stat()
    except (LogError, OSError):
        return None
    opened = next((event for event in head if isinstance(event, SessionOpened)), None)
    if opened is None:
        return None
    prompt = next((event.prompt for event in head if isinstance(event, RunStarted)), "")
    return Summary(
        session_id=path.name,
        path=path,
        notebook=opened.notebook,
        root=opened.root,
        started=opened.ts,
        last_used=facts.st_mtime,
        size_bytes=facts.st_size,
        prompt=prompt,
    )


def _prepare(folder: Path, *, private: Path | None) -> Path:
    """Make ``folder``; ``private`` is the part of it that is ours inside a project, and is kept out of its git."""
    if private is not None:
        _make_folder(private)
        ignore = private / ".gitignore"
        if not os.path.lexists(ignore):
            _write_new(private, ".gitignore", b"*\n", suffix="")
    else:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _make_folder(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError("it is not writable")
    return folder


def _make_folder(path: Path) -> None:
    """Make a folder for this user alone. A link in its place is refused: a cloned project could point it anywhere."""
    path.mkdir(mode=0o700, exist_ok=True)
    if not _is_folder(path):
        raise NotADirectoryError(f"{path} is a link, not a folder")


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def _write_new(folder: Path, name: str, data: bytes, *, suffix: str = ".txt") -> Path:
    """Write a file that did not exist; nothing of it stays when that fails."""
    for number in range(1, 10_000):
        path = folder / f"{name}{'' if number == 1 else f'-{number}'}{suffix}"
        try:
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            continue
        try:
            with open(fd, "wb") as file:
                file.write(data)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return path
    raise FileExistsError(f"{folder / name}{suffix} exists 10,000 times")


def _key(root: Path) -> str:
    """A folder name for a workspace: its own name for people, a digest of its whole path against confusion."""
    name = re.sub(r"[^A-Za-z0-9._-]", "_", root.name).strip(".") or "root"
    return f"{name[:40]}-{hashlib.sha256(os.fsencode(root.absolute())).hexdigest()[:12]}"


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
