"""What a request needs before it can begin: a folder and a model. Asked once, while the request is kept."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple

from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.questions import Asker
from tah_jupyter.host.secrets.keys import Keys
from tah_jupyter.jupyter.choosing import Chooser
from tah_jupyter.jupyter.local_fit import KnownModels
from tah_jupyter.jupyter.outcome import Withdrawn
from tah_jupyter.jupyter.place_question import settle_folder
from tah_jupyter.models.choose import ModelSpec, choose
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
        self._config = Config()  # of the request that runs, with the options of its cell
        self._instead = ""

    async def settled(self, config: Config) -> Settled:
        """``config`` with a model that can be used, in a folder that is meant. Raises Withdrawn, and TahError when
        nobody can be asked.
        """
        if not _is_demo(config, self._loaded.keys):  # which works in a folder of its own
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
        self._config = config
        return Settled(config, has_tools=not chooser.only_answers(name))

    async def rescue(self, error: ModelError, model: str, *, untouched: bool) -> str | None:
        """As ``core.ports.Person.rescue``. A model that is chosen answers later runs too, once it could be opened."""
        name = await self._chooser(self._config).rescue(error, model, untouched=untouched)
        self._instead = name or ""
        return name

    def model_changed(self) -> None:
        """Another model goes on with the run: the next one of the config, or the one that :meth:`rescue` named."""
        if self._instead:
            self._loaded.settings.model = self._instead
            self._config = self._config._replace(model=self._instead)
        self._instead = ""

    def _chooser(self, config: Config) -> Chooser:
        words, keys = Words(self._loaded.language(config)), self._loaded.keys
        return Chooser(words, keys, config, self._ask, self._secret, self._say, self._known)


def _is_demo(config: Config, keys: Keys) -> bool:
    """Whether the demo answers, and not a model whose name only begins so."""
    chosen = choose(config.model or "", config.models, keys)
    return isinstance(chosen, ModelSpec) and chosen.route == "demo"
