"""What rooms of one rung need of each other, as protocols. ``app`` hands over what fulfils them."""

from collections.abc import AsyncGenerator
from typing import Protocol

from tah_jupyter.core.calls import Usage
from tah_jupyter.core.messages import ModelEvent, ModelRequest

__all__ = ["Model"]


class Model(Protocol):
    """A way to a language model (or to a script that stands in for one by name).

    ``name`` and ``host`` are shown in every frame: they say what answers and where the data goes; ``host`` is empty
    when nothing leaves the kernel. ``context_window`` is in tokens, None when unknown.
    """

    @property
    def name(self) -> str: ...
    @property
    def host(self) -> str: ...
    @property
    def context_window(self) -> int | None: ...
    @property
    def vision(self) -> bool: ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Send ``request`` and yield what comes. A complete answer ends with Finish. Raises ModelError; closing the
        generator closes the connection.
        """
        ...

    def cost_usd(self, usage: Usage) -> float | None:
        """The price of one request's ``usage``, None when it is not known; 0.0 only for what is known to be free."""
        ...

    async def aclose(self) -> None:
        """Close connections; the model is not used after it."""
        ...
