"""What one shell has since ``%load_ext``: its settings, its folder, its agent. Every command works with this."""

import os
from typing import Any

from tah_jupyter.core.errors import ConfigError
from tah_jupyter.host.secrets.keys import Keys
from tah_jupyter.jupyter.grammar import CellOptions
from tah_jupyter.jupyter.kernel_agent import KernelAgent
from tah_jupyter.jupyter.place import Place
from tah_jupyter.jupyter.settings import Settings
from tah_jupyter.runtime.config import Config, load
from tah_jupyter.ui.language import language_of
from tah_jupyter.ui.words import Words

__all__ = ["Loaded"]


class Loaded:
    """The state of one loaded shell; light, and without a thread until the first request."""

    def __init__(self, shell: Any, settings: Settings, place: Place) -> None:
        self.shell = shell
        self.settings = settings
        self.place = place
        self.keys = Keys()
        self.page_drawn: bool | None = None
        """Whether the last page that should draw a frame did; None before one should."""
        self.agent = KernelAgent(self)

    def config(self, options: CellOptions | None = None) -> Config:
        """The config as it stands, with the options of one cell on top. Raises ConfigError for a wrong option."""
        given = self.settings.from_session
        if options is not None:
            cell = {
                "model": options.model,
                "permissions.mode": options.mode,
                "permissions.allow": list(options.allow),
                "budget.maxTurns": options.max_turns,
            }
            given |= {key: value for key, value in cell.items() if value}
        return load(self.place.root, jupyter=self.settings.from_files, session=given)

    def language(self, config: Config) -> str:
        """The language of what is shown."""
        return language_of(config, os.environ)

    @property
    def words(self) -> Words:
        """The words of what is shown; they are there also for telling that a setting is wrong."""
        try:
            config = self.config()
        except ConfigError:
            config = Config()
        return Words(self.language(config))
