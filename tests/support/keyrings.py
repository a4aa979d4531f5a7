"""Backends of the ``keyring`` package, by the interface that it documents for other people's keyrings."""

import threading

from keyring.backend import KeyringBackend

__all__ = ["MemoryKeyring", "OpenFile", "StuckKeyring"]


class MemoryKeyring(KeyringBackend):
    """Keeps entries in memory."""

    priority: float = 5

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.entries: dict[tuple[str, str], str] = {}

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]


class StuckKeyring(MemoryKeyring):
    """Waits for a window that nobody sees."""

    def __init__(self, released: threading.Event) -> None:
        super().__init__()
        self.released = released

    def set_password(self, service: str, username: str, password: str) -> None:
        self.released.wait(20)


class OpenFile(MemoryKeyring):
    """One that the package itself does not recommend, as everyone may read what it keeps."""

    priority: float = 0.5
