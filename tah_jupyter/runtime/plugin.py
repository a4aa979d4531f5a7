"""Plugins of other packages: entry points of the group ``tah_jupyter.plugins``."""

from importlib.metadata import entry_points
from inspect import isawaitable, isclass, isfunction
from typing import Any

from tah_jupyter.runtime.context import Context, Plugin

__all__ = ["GROUP", "load_plugins"]

GROUP = "tah_jupyter.plugins"


def load_plugins() -> tuple[list[Plugin], list[str]]:
    """The plugins that installed packages offer, and what could not be loaded, as sentences.

    An entry point names a plugin (``name``, ``requires``, ``setup``), or a class or function without arguments that
    makes one. A plugin that breaks is left out and said; it never takes the session with it.
    """
    plugins: list[Plugin] = []
    problems: list[str] = []
    for point in entry_points(group=GROUP):
        try:
            loaded = point.load()
            plugin: Any = loaded() if isclass(loaded) or isfunction(loaded) else loaded
            plugins.append(_Contained(plugin, point.value, problems))
        except Exception as error:  # someone else's code
            problems.append(f"The plugin {point.name} ({point.value}) could not be loaded: {error}")
    return plugins, problems


class _Contained:
    """A plugin whose failure to start is noted instead of ending the session."""

    def __init__(self, plugin: Plugin, value: str, problems: list[str]) -> None:
        self._plugin = plugin
        self._value = value
        self._problems = problems
        self.name = plugin.name
        self.requires = tuple(plugin.requires)

    async def setup(self, ctx: Context) -> None:
        try:
            started = self._plugin.setup(ctx)
            if isawaitable(started):
                await started
        except Exception as error:  # someone else's code
            self._problems.append(f"The plugin {self.name} ({self._value}) could not start: {error}")
