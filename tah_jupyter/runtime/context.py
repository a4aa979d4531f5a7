"""Runtime and Context: plugins start in order, provide services and are disposed in reverse."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from inspect import isawaitable
from types import TracebackType
from typing import Any, Protocol, TypeVar

from tah_jupyter.core.errors import ServiceError
from tah_jupyter.core.events import Event
from tah_jupyter.host.files.read_state import ReadState
from tah_jupyter.runtime.bus import Bus, Emitter, Subscriber
from tah_jupyter.runtime.service import ServiceKey
from tah_jupyter.runtime.tool_context import Options, ToolContext

__all__ = ["Context", "Plugin", "Runtime"]

T = TypeVar("T")
Disposer = Callable[[], Awaitable[None] | None]


class Context:
    """What a plugin may do: provide and get services, emit events, listen, and ask to be cleaned up after."""

    def __init__(self, bus: Bus, emitter: Emitter) -> None:
        self._services: dict[str, tuple[Any, str]] = {}
        self._disposers: list[Disposer] = []
        self._owner = "the runtime"
        self._bus = bus
        self._emitter = emitter

    def provide(self, key: ServiceKey[T], service: T) -> None:
        """Offer a service. Raises ServiceError when another plugin already does."""
        if key.name in self._services:
            raise ServiceError(
                f"The service {key.name!r} is provided by {self._services[key.name][1]} and again by {self._owner}."
            )
        self._services[key.name] = (service, self._owner)

    def get(self, key: ServiceKey[T]) -> T:
        """The service. Raises ServiceError when nobody provides it."""
        if key.name not in self._services:
            raise ServiceError(
                f"No plugin provides the service {key.name!r}.",
                next_step=f"Provided: {', '.join(sorted(self._services)) or 'none'}.",
            )
        service: T = self._services[key.name][0]
        return service

    def try_get(self, key: ServiceKey[T]) -> T | None:
        """The service, or None."""
        found = self._services.get(key.name)
        return None if found is None else found[0]

    def emit(self, event: Event) -> Event:
        """Send an event to the log and all subscribers; returns it with its stamp. Loop thread only."""
        return self._emitter.emit(event)

    def on(self, subscriber: Subscriber) -> None:
        """Call ``subscriber(record)`` for each event from now on."""
        self._bus.subscribe(subscriber)

    def on_close(self, disposer: Disposer) -> None:
        """Call ``disposer()`` when the runtime closes, last registered first."""
        self._disposers.append(disposer)


class Plugin(Protocol):
    """A name, what it needs (names of plugins), and one setup."""

    @property
    def name(self) -> str: ...
    @property
    def requires(self) -> tuple[str, ...]: ...
    def setup(self, ctx: Context) -> Awaitable[None] | None: ...


class Runtime:
    """Starts plugins in order and disposes them in reverse, also when one of them fails to start.

    ``async with Runtime() as runtime`` starts it; plugins are added before by :meth:`use`.
    """

    def __init__(self, *, bus: Bus | None = None) -> None:
        self.bus = bus or Bus()
        self.emitter = Emitter(self.bus)
        self.read_state = ReadState()
        self._plugins: list[Plugin] = []
        self._context: Context | None = None

    def use(self, plugin: Plugin) -> "Runtime":
        """Add a plugin; returns the runtime. Raises ServiceError when its name is taken, a need is not met, or the
        runtime runs.
        """
        if self._context is not None:
            raise ServiceError(
                f"The plugin {plugin.name!r} came after the runtime started.",
                next_step="Call use() before `async with runtime`.",
            )
        names = [p.name for p in self._plugins]
        if plugin.name in names:
            raise ServiceError(f"The plugin {plugin.name!r} is added twice.")
        if missing := [need for need in plugin.requires if need not in names]:
            raise ServiceError(f"The plugin {plugin.name!r} needs {', '.join(missing)}.", next_step="Add it first.")
        self._plugins.append(plugin)
        return self

    @property
    def context(self) -> Context:
        """The context of a started runtime. Raises ServiceError before."""
        if self._context is None:
            raise ServiceError("The runtime is not started.", next_step="Use `async with runtime: …`.")
        return self._context

    def get(self, key: ServiceKey[T]) -> T:
        """As :meth:`Context.get`."""
        return self.context.get(key)

    def try_get(self, key: ServiceKey[T]) -> T | None:
        """As :meth:`Context.try_get`."""
        return self.context.try_get(key)

    def tool_context(self, *, session_id: str, call_id: str, options: Options | None = None) -> ToolContext:
        """A context for one call made from Python, outside any run."""
        return ToolContext(
            session_id=session_id,
            call_id=call_id,
            services=self.context,
            emitter=self.emitter,
            options=options or Options(),
            read_state=self.read_state,
        )

    async def __aenter__(self) -> "Runtime":
        self._context = Context(self.bus, self.emitter)
        try:
            for plugin in self._plugins:
                self._context._owner = plugin.name
                started = plugin.setup(self._context)
                if isawaitable(started):
                    await started
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close()

    async def _close(self) -> None:
        context, self._context = self._context, None
        if context is None:
            return
        async with AsyncExitStack() as stack:  # runs every disposer, whatever an earlier one raised
            for disposer in context._disposers:
                stack.push_async_callback(_dispose, disposer)


async def _dispose(disposer: Disposer) -> None:
    done = disposer()
    if isawaitable(done):
        await done
