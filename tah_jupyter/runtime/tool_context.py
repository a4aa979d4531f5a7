"""What one call may see of the house: a restricted context. It can get listed services and emit, and can provide
nothing.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tah_jupyter.core.errors import ServiceError
from tah_jupyter.core.events import Event, Notice, ToolProgress
from tah_jupyter.core.messages import Message
from tah_jupyter.core.views import View
from tah_jupyter.host.files.read_state import ReadState
from tah_jupyter.runtime.bus import Emitter
from tah_jupyter.runtime.service import ServiceKey, Services

__all__ = ["AppState", "Options", "RestrictedContext", "Signal", "ToolContext"]

T = TypeVar("T")
AppState = Mapping[str, Any]


class Signal:
    """Says to code in a thread that its call is cancelled. Async code is cancelled as usual and needs none."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.reason = ""

    def cancel(self, reason: str = "cancelled") -> None:
        """Set it; the first reason stays."""
        self.reason = self.reason or reason
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """Whether the call should end as soon as it can."""
        return self._event.is_set()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Block the calling thread until it is cancelled or ``timeout_s`` is over; returns :attr:`cancelled`."""
        return self._event.wait(timeout_s)


class Options(msgspec.Struct, frozen=True):
    """Facts about the session that a tool may want: the names of the tools and commands, the model, whether it can see
    pictures,
    and ``pass_env``, names of environment variables that commands may see beyond the usual ones."""

    tools: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    model: str = ""
    vision: bool = False
    mcp_clients: tuple[str, ...] = ()
    agent_definitions: tuple[str, ...] = ()
    max_budget_usd: float | None = None
    refresh_tools: Callable[[], Sequence[str]] | None = None
    pass_env: tuple[str, ...] = ()


class RestrictedContext:
    """``get`` and ``try_get`` of the services whose key says ``for_tools``, and ``emit``; no ``provide``."""

    __slots__ = ("_services", "emit")

    def __init__(self, services: Services, emit: Callable[[Event], Event]) -> None:
        self._services = services
        self.emit = emit

    def get(self, key: ServiceKey[T]) -> T:
        """The service. Raises ServiceError when it is missing or not for tools."""
        _check(key)
        return self._services.get(key)

    def try_get(self, key: ServiceKey[T]) -> T | None:
        """The service or None. Raises ServiceError when it is not for tools."""
        _check(key)
        return self._services.try_get(key)


def _check(key: ServiceKey[Any]) -> None:
    if not key.for_tools:
        raise ServiceError(
            f"A tool may not use the service {key.name!r}.",
            next_step="Only keys made with for_tools=True are open to tools.",
        )


class ToolContext:
    """One call's view of the house. Tools get it as their second argument.

    ``results_dir`` is where whole outputs may be kept (None outside a session); ``approved_by_person`` is set by the
    pipeline when a person allowed exactly this call after seeing its preview.
    """

    __slots__ = (
        "agent_id",
        "agent_type",
        "approved_by_person",
        "call_id",
        "emitter",
        "messages",
        "options",
        "read_state",
        "results_dir",
        "runtime",
        "session_id",
        "signal",
        "so_far",
        "state",
    )

    def __init__(
        self,
        *,
        session_id: str,
        call_id: str,
        services: Services,
        emitter: Emitter,
        options: Options,
        read_state: ReadState | None = None,
        messages: Sequence[Message] = (),
        state: dict[str, Any] | None = None,
        agent_id: str = "main",
        agent_type: str = "main",
        results_dir: Path | None = None,
    ) -> None:
        self.session_id = session_id
        self.call_id = call_id
        self.signal = Signal()
        self.emitter = emitter
        self.runtime = RestrictedContext(services, emitter.emit)
        self.options = options
        self.read_state = read_state if read_state is not None else ReadState()
        self.messages = messages
        self.agent_id = agent_id
        self.agent_type = agent_type
        self.results_dir = results_dir
        self.approved_by_person = False
        self.so_far: tuple[str, View] | None = None
        self.state = {} if state is None else state

    def progress(self, text: str = "", *, view: View | None = None, fraction: float | None = None) -> None:
        """Show news of the call: more output text, a whole new view, or how far it is (0 to 1). Loop thread only."""
        self.emitter.emit(ToolProgress(call=self.call_id, text=text, view=view, fraction=fraction))

    def keep_so_far(self, text: str, view: View) -> None:
        """Leave what the call has come to, for the model and for people, in case it fails or is cut short."""
        self.so_far = (text, view)

    def set_view(self, view: View) -> None:
        """Replace the call's live view."""
        self.progress(view=view)

    def add_notification(self, text: str, *, level: str = "info") -> None:
        """Tell the person something that is not the call's result."""
        self.emitter.emit(Notice(text=text, level="warning" if level == "warning" else "info", code="tool"))

    def get_app_state(self) -> AppState:
        """What earlier calls of the session left with :meth:`set_app_state`."""
        return self.state

    def set_app_state(self, change: Callable[[AppState], AppState]) -> None:
        """Replace the state by ``change(state)``."""
        new = dict(change(self.state))
        self.state.clear()
        self.state.update(new)
