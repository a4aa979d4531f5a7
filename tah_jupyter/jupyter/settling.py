"""What a request needs before it can begin: a folder and a model. Asked once, while the request is kept."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.questions import Asker
from tah_jupyter.jupyter.outcome import Withdrawn
from tah_jupyter.jupyter.place_question import settle_folder
from tah_jupyter.models.choose import Missing, choose
from tah_jupyter.runtime.config import Config
from tah_jupyter.ui.words import Words

if TYPE_CHECKING:
    from tah_jupyter.jupyter.choosing import Chooser
    from tah_jupyter.jupyter.loaded import Loaded

__all__ = ["Settling"]


class Settling:
    """Asks for what is missing, and keeps what was answered in the kernel's settings."""

    def __init__(
        self,
        loaded: "Loaded",
        ask: Asker,
        secret: Callable[[str], Awaitable[str | None]],
        say: Callable[[str], None],
    ) -> None:
        self._loaded = loaded
        self._ask = ask
        self._secret = secret
        self._say = say

    async def settled(self, config: Config) -> Config:
        """``config`` with a model that can be used, in a folder that is meant. Raises Withdrawn, and TahError when
        nobody can be asked.
        """
        if not (config.model or "").startswith("demo"):  # which works in a folder of its own
            place = await settle_folder(self._loaded.place, self._ask, self._loaded.words)
            if place is None:
                raise Withdrawn
            self._loaded.place = place
        chosen = choose(config_models=config.models, environ=self._loaded.keys, config_model=config.model or "")
        if not isinstance(chosen, Missing):
            return config
        name = await self._chooser(config).settle(config, chosen)
        if name is None:
            raise Withdrawn
        self._loaded.settings.model = name
        return config._replace(model=name)

    async def rescue(self, error: ModelError, model: str, *, untouched: bool) -> str | None:
        """As ``core.ports.Person.rescue``; a model that is chosen answers later runs too."""
        name = await self._chooser(self._loaded.config()).rescue(error, model, untouched=untouched)
        if name:
            self._loaded.settings.model = name
        return name

    def _chooser(self, config: Config) -> "Chooser":
        from tah_jupyter.jupyter.choosing import Chooser  # noqa: PLC0415 - only where something is missing

        return Chooser(Words(self._loaded.language(config)), self._loaded.keys, self._ask, self._secret, self._say)
