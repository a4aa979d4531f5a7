"""Keeping keys in the system keyring (Keychain, Secret Service, KWallet, Credential Locker) by the package ``keyring``.

The package is optional and its backends are other people's code: it is imported in a thread, at first use, and may be
absent, fail or hang (a locked keyring waits for a window that nobody sees). Then a key lasts until the kernel restarts.
"""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias, TypeVar

import anyio
import anyio.to_thread

from tah_jupyter.host.secrets.keys import Keys

__all__ = ["SERVICE", "Unkept", "forget", "keep", "recall"]

T = TypeVar("T")

SERVICE = "tah_jupyter"
"""The name under which a keyring lists our entries; the account is the variable's name."""

Unkept: TypeAlias = Literal["", "no_package", "no_keyring", "failed", "environment"]
"""Why a key is not in the keyring; empty when it is. ``environment``: that has the variable too, and goes first."""

_LIMIT_S = 20.0


class _NoKeyring(Exception):
    """There is nothing to keep a key in."""

    def __init__(self, why: Unkept) -> None:
        super().__init__(why)
        self.why = why


async def keep(keys: Keys, name: str, key: str, *, limit_s: float = _LIMIT_S) -> Unkept:
    """Hold ``key`` for the variable ``name``, in the keyring when it can be kept there, else until the kernel restarts.

    ``limit_s`` is how long the keyring may take, in seconds. Raises ValueError for what is no key.
    """
    keys.type_in(name, key)
    if keys.in_environment(name):
        return "environment"

    def store() -> None:
        backend = _backend()
        backend.set_password(SERVICE, name, key)
        if backend.get_password(SERVICE, name) != key:  # some backends take everything and keep nothing
            raise _NoKeyring("no_keyring")
        keys.mark(name, kept=True)

    _, why = await _bounded(store, limit_s)
    if not why:
        keys.hold_kept(name, key)
    return why


async def recall(keys: Keys, *, limit_s: float = _LIMIT_S) -> Unkept:
    """Read the keys that are known to be in the keyring and were not read yet. An entry that is gone there is
    forgotten. Returns why they could not be read, if so: once a kernel, because a keyring that hangs costs ``limit_s``.
    """
    if keys.keyring_failed:
        return ""

    def read() -> dict[str, str | None]:
        missing = keys.look_again()
        if not missing:
            return {}
        backend = _backend()
        found: dict[str, str | None] = {name: backend.get_password(SERVICE, name) for name in sorted(missing)}
        for name in (name for name, key in found.items() if not key):
            keys.mark(name, kept=False)
        return found

    found, why = await _bounded(read, limit_s)
    keys.keyring_failed = bool(why)
    for name, key in (found or {}).items():
        if key:
            keys.hold_kept(name, key)
        else:
            keys.forget(name)
    return why


async def forget(keys: Keys, name: str, *, limit_s: float = _LIMIT_S) -> Unkept:
    """Drop the key of ``name`` here and in the keyring. When the keyring cannot be reached it is only dropped here, and
    the reason is returned.
    """

    def remove() -> None:
        keys.mark(name, kept=False)
        backend = _backend()
        if backend.get_password(SERVICE, name) is not None:
            backend.delete_password(SERVICE, name)

    why: Unkept = ""
    if name in keys.remembered:
        _, why = await _bounded(remove, limit_s)
    keys.forget(name)
    return why


def _backend() -> Any:
    """The keyring of this machine. Raises _NoKeyring when there is none that a system guards: a priority below 1 is
    how the package marks its stand-ins, and files that anyone can read.
    """
    try:
        import keyring  # noqa: PLC0415 - optional, and it looks for every backend that is installed
    except ImportError:
        raise _NoKeyring("no_package") from None
    backend = keyring.get_keyring()
    first = next(iter(getattr(backend, "backends", ())), backend)  # a chain stores in its first
    if first.priority < 1:
        raise _NoKeyring("no_keyring")
    return backend


async def _bounded(work: Callable[[], T], limit_s: float) -> tuple[T | None, Unkept]:
    """The result of ``work`` in a thread, and why there is none. A keyring that hangs is left behind."""
    try:
        with anyio.fail_after(limit_s):
            return await anyio.to_thread.run_sync(work, abandon_on_cancel=True), ""
    except _NoKeyring as error:
        return None, error.why
    except Exception:  # a backend may raise anything, and its words may hold the key
        return None, "failed"
