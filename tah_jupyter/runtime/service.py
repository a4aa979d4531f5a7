"""Service keys: how rooms that are strangers to each other name what they share."""

from typing import Generic, Protocol, TypeVar

__all__ = ["ServiceKey", "Services"]

T = TypeVar("T")


class ServiceKey(Generic[T]):
    """The name and type of a service; keys of one name are one service. ``for_tools`` opens it to tools, which
    otherwise see no service.
    """

    __slots__ = ("for_tools", "name")

    def __init__(self, name: str, *, for_tools: bool = False) -> None:
        self.name = name
        self.for_tools = for_tools

    def __repr__(self) -> str:
        return f"ServiceKey({self.name!r})"


class Services(Protocol):
    """Where services are looked up."""

    def get(self, key: ServiceKey[T]) -> T:
        """The service. Raises ServiceError when nobody provides it."""
        ...

    def try_get(self, key: ServiceKey[T]) -> T | None:
        """The service, or None."""
        ...
