"""What a request needs before it can begin: a folder and a model. Asked once, while the request is kept."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple

from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.questions import Asker
from tah_jupyter.jupyter.choosing import Chooser
from tah_jupyter.jupyter.local_fit import KnownModels
from tah_jupyter.jupyter.outcome import Withdrawn
from tah_jupyter.jupyter.place_question import settle_folder
from tah_jupyter.runtime.config import Config
from tah_jupyter.ui.words import Words

if TYPE_CHECKING:
    from tah_jupyter.jupyter.loaded import Loaded

__all__ = ["Settled", "Settling"]


class Settled(NamedTuple):
    """What a request needs. A model that only answers is offered no tools."""

    config: Config
    has_tools: bool


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
        self._known = KnownModels()

    async def settled(self, config: Config) -> Settled:
        """``config`` with a model that can be used, in a folder that is meant. Raises Withdrawn, and TahError when
        nobody can be asked.
        """
        if not (config.model or "").startswith("demo"):  # which works in a folder of its own
            place = await settle_folder(self._loaded.place, self._ask, Words(self._loaded.language(config)))
            if place is None:
                raise Withdrawn
            self._loaded.place = place
        chooser = self._chooser(config)
        name = await chooser.ready()
        if name is None:
            raise Withdrawn
        if name:
            self._loaded.settings.model = name
            config = config._replace(model=name)
        return Settled(config, has_tools=not chooser.only_answers(name))

    async def rescue(self, error: ModelError, model: str, *, untouched: bool) -> str | None:
        """As ``core.ports.Person.rescue``; a model that is chosen answers later runs too."""
        name = await self._chooser(self._loaded.config()).rescue(error, model, untouched=untouched)
        if name:
            self._loaded.settings.model = name
        return name

    def _chooser(self, config: Config) -> Chooser:
        words, keys = Words(self._loaded.language(config)), self._loaded.keys
        return Chooser(words, keys, config, self._ask, self._secret, self._say, self._known)
