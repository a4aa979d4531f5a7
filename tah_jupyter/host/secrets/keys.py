"""The keys of model providers as this kernel has them: typed here, in its environment, or in the system keyring.

One mapping over the environment, so that whoever looks a key up need not know where it is kept. The keyring itself is
in :mod:`tah_jupyter.host.secrets.system_keyring`: here is only which variables are kept there, by name, one empty file
each in the person's state folder. So ``%load_ext`` can say that there is a key without asking the keyring.

Only the standard library is used: this is imported at load (law 9).
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias

__all__ = ["KeyPlace", "Keys", "clean_key"]

KeyPlace: TypeAlias = Literal["", "kernel", "environment", "keyring"]
"""Where a key is kept; empty when there is none."""

_MAX_KEY_CHARS = 8_000  # most servers take no head of more than 8 KiB; a longer text is a file, not a key
_UNREAD = "(kept in the system keyring)"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


def clean_key(typed: str) -> str:
    """``typed`` without the white space that copying leaves around it; empty when it cannot be a key, which is one word
    of visible ASCII characters that fits into a request's header.

    >>> clean_key("  s3cr3t-v4lue\\n"), clean_key("two words"), clean_key("s3cr3t…")
    ('s3cr3t-v4lue', '', '')
    """
    key = typed.strip()
    return key if key.isascii() and key.isprintable() and " " not in key and len(key) <= _MAX_KEY_CHARS else ""


class Keys(Mapping[str, str]):
    """The environment with the keys of this person over and under it.

    A key typed in this kernel goes before the environment (it was typed because that one would not do), the environment
    before the keyring (it is what holds after a restart). ``environ`` is read at each look, so ``%env`` counts at once.
    Making one lists a folder; looking a key up reads no disk.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._environ = environ
        self._typed: dict[str, str] = {}
        self._kept: dict[str, str] = {}
        self._marks = _state_folder(environ) / "keyring"
        self._listeners: list[Callable[[str, str], None]] = []
        self.remembered = self._remembered()
        self.keyring_failed = False
        """Whether the keyring was asked for keys and did not give them; it is not asked again in this kernel."""

    def __getitem__(self, name: str) -> str:
        place = self.place_of(name)
        if place == "kernel":
            return self._typed[name]
        return self._kept[name] if place == "keyring" and name in self._kept else self._environ[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._kept, **self._environ, **self._typed})

    def __len__(self) -> int:
        return len({*self._kept, *self._environ, *self._typed})

    def __repr__(self) -> str:
        return f"Keys(typed={sorted(self._typed)}, keyring={sorted(self.remembered)})"

    def place_of(self, name: str) -> KeyPlace:
        """Where the key ``name`` is kept. One that the keyring holds counts before it was read."""
        if name in self._typed:
            return "kernel"
        if self.in_environment(name):
            return "environment"
        return "keyring" if name in self.remembered else ""

    def in_environment(self, name: str) -> bool:
        """Whether the kernel's environment holds ``name``, whatever goes before it."""
        return bool(self._environ.get(name, "").strip())

    def with_unread(self) -> Mapping[str, str]:
        """The same with a stand-in for each key of the keyring that was not read yet: to see what is there, not to
        send.
        """
        return {**self, **{name: self.get(name, "").strip() or _UNREAD for name in self.remembered}}

    def type_in(self, name: str, key: str) -> None:
        """Hold a key until the kernel restarts. Raises ValueError for what :func:`clean_key` does not take."""
        if not _VARIABLE.fullmatch(name) or clean_key(key) != key or not key:
            raise ValueError(f"{name!r} is no variable, or what was typed for it is no key.")
        self._typed[name] = key
        self._tell(name, key)

    def hold_kept(self, name: str, key: str) -> None:
        """Note that the keyring holds ``key``, which from now on comes from there."""
        self._kept[name] = key
        self._typed.pop(name, None)
        self.remembered |= {name}
        self._tell(name, key)

    def forget(self, name: str) -> None:
        """Drop the key that was typed or read from the keyring; what the environment holds stays."""
        self._typed.pop(name, None)
        self._kept.pop(name, None)
        self.remembered -= {name}

    def mark(self, name: str, *, kept: bool) -> None:
        """Write down for other kernels whether the keyring has a key of this name. Blocks. A folder that cannot be
        written only means that they do not know.
        """
        with suppress(OSError):
            if kept:
                self._marks.mkdir(mode=0o700, parents=True, exist_ok=True)
                (self._marks / name).touch(mode=0o600)
            else:
                (self._marks / name).unlink()

    def look_again(self) -> frozenset[str]:
        """The variables that the keyring holds and that were not read yet, those of other kernels too. Blocks."""
        self.remembered |= self._remembered()
        return self.remembered - set(self._kept)

    def on_new(self, callback: Callable[[str, str], None]) -> Callable[[], None]:
        """Call ``callback(name, key)`` for each key that arrives from now on, as whoever masks secrets must know it.
        Returns what ends that. It is called on the thread that brought the key.
        """
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback)

    def _tell(self, name: str, key: str) -> None:
        for callback in tuple(self._listeners):
            callback(name, key)

    def _remembered(self) -> frozenset[str]:
        try:
            return frozenset(filter(_VARIABLE.fullmatch, os.listdir(self._marks)))
        except OSError:  # nothing was ever kept
            return frozenset()


def _state_folder(environ: Mapping[str, str]) -> Path:
    """XDG Base Directory Specification: a relative path there is to be ignored."""
    told = environ.get("XDG_STATE_HOME", "")
    home = environ.get("HOME") or os.path.expanduser("~")
    return (Path(told) if os.path.isabs(told) else Path(home, ".local", "state")) / "tah"
