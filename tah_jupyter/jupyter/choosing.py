"""Choosing a model with the person: at a first request, where a key is missing, where a local model does not fit, and
where a model fails inside a run. The request is kept meanwhile, and no model is ever put in place of another.
"""

import difflib
from collections.abc import Callable

from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.questions import Asker
from tah_jupyter.host.secrets.keys import Keys
from tah_jupyter.host.secrets.system_keyring import recall
from tah_jupyter.jupyter.key_entry import KeyEntry, Lock, Secret, lock_of_name, lock_of_provider, lock_of_spec
from tah_jupyter.jupyter.local_fit import KnownModels, LocalFit
from tah_jupyter.jupyter.model_cards import key_card, rescue_card
from tah_jupyter.jupyter.model_picker import ModelPicker, NobodyAnswers, answered
from tah_jupyter.models.choose import Missing, ModelSpec, choose
from tah_jupyter.models.key_check import listed_models
from tah_jupyter.models.local_servers import LOOK_S
from tah_jupyter.models.offers import Offers
from tah_jupyter.models.open import error_of_missing
from tah_jupyter.models.providers import PROVIDERS
from tah_jupyter.runtime.config import Config
from tah_jupyter.ui.words import Words

__all__ = ["Chooser"]

_MAX_LISTED = 6  # near names, not a catalogue


class Chooser:
    """Belongs to the agent's loop; made for one request. ``secret`` has the person type a key, ``say`` shows a line,
    ``known`` is what the kernel has learnt of its local models, ``look_s`` how long they may take to show themselves.
    """

    def __init__(
        self,
        words: Words,
        keys: Keys,
        config: Config,
        ask: Asker,
        secret: Secret,
        say: Callable[[str], None],
        known: KnownModels,
        look_s: float = LOOK_S,
    ) -> None:
        self._words = words
        self._keys = keys
        self._config = config
        self._put = answered(ask)
        self._say = say
        self._entry = KeyEntry(words, keys, secret, say)
        self._picker = ModelPicker(words, keys, config, self._put, self._entry, say, look_s)
        self._fit = LocalFit(words, keys, known, self._put, say)

    async def ready(self) -> str | None:
        """All that a request needs of a model before it can begin: the keys of the keyring read, a model settled, a
        local one fit. The name to go on with, empty for the one that the config settles, None when the person took the
        request back. Raises ModelError, which names variable and config key, where nobody can be asked.
        """
        if await recall(self._keys):
            self._say(self._words.say("key_unread"))
        chosen = self._chosen("")
        name = await self.settle(chosen) if isinstance(chosen, Missing) else ""
        return None if name is None else await self._fitting(name)

    async def settle(self, missing: Missing) -> str | None:
        """The name of a model that can be used, None when the person left the question. Raises ModelError where nobody
        can answer.
        """
        wanted = self._config.model or ""
        lock = lock_of_name(wanted, self._config, self._keys)
        try:
            if missing.reason == "key_missing" and lock is not None:
                return await self._with_key(wanted, lock)
            return await self._picker.pick(tuple(map(self._words.told, _led_here(missing))))
        except NobodyAnswers:
            raise error_of_missing(missing) from None

    async def rescue(self, error: ModelError, model: str, *, untouched: bool) -> str | None:
        """What to do when ``model`` (as it is shown) failed inside a run: the name to go on with, empty for the same
        once more, None to end. ``untouched`` says that the run has changed nothing.
        """
        spec = self._shown_as(model)
        lock = self._lock(spec, error)
        listed = await self._listed(spec) if error.kind == "model_unknown" and spec is not None else {}
        about: tuple[str, ...] = ()
        try:
            while True:
                card = rescue_card(
                    error, self._words, untouched=untouched, can_enter_key=bool(lock), listed=listed, about=about
                )
                key, about = (await self._put(card)).key, ()
                if key in ("cancel", "retry"):
                    return None if key == "cancel" else ""
                if key == "key" and lock is not None:
                    why_not = await self._entry.enter(lock)
                    if not why_not:
                        return ""
                    about = (why_not,)
                elif (name := await self._another(key)) is not None:
                    return name
        except NobodyAnswers:
            return None

    async def look(self) -> Offers:
        """What can be chosen now."""
        return await self._picker.look()

    def only_answers(self, name: str) -> bool:
        """Whether no tools may be offered to the model that ``name`` settles (empty: the config's), as far as known."""
        spec = self._chosen(name)
        return isinstance(spec, ModelSpec) and self._fit.only_answers(spec)

    def _chosen(self, name: str) -> ModelSpec | Missing:
        return choose(name, self._config.models, self._keys, config_model=self._config.model or "")

    async def _with_key(self, wanted: str, lock: Lock) -> str | None:
        """The model that was named, once its key is there, or another one."""
        about: tuple[str, ...] = ()
        while True:
            reply = await self._put(key_card(lock.variable, self._words, about))
            if reply.key == "cancel":
                return None
            if reply.key == "choose":
                if (name := await self._picker.pick()) is not None:
                    return name
                about = ()
                continue
            why_not = await self._entry.enter(lock)
            if not why_not:
                return wanted
            about = (why_not,)

    async def _fitting(self, name: str, *, in_run: bool = False) -> str | None:
        """``name``, or the one that the person chose when it did not fit; None when they left it."""
        while True:
            spec = self._chosen(name)
            if isinstance(spec, Missing):  # opening it says why
                return name
            match await self._fit.fits(spec):
                case "yes":
                    return name
                case "no":
                    return None
                case "choose":
                    try:
                        name = await self._picker.pick(in_run=in_run) or name
                    except NobodyAnswers:
                        return None

    async def _another(self, key: str) -> str | None:
        """The model that a choice of the failure card leads to; None to show the card again."""
        name = await self._picker.pick(in_run=True) if key == "choose" else key.removeprefix("use:")
        return None if name is None else await self._fitting(name, in_run=True)

    def _shown_as(self, model: str) -> ModelSpec | None:
        """The settled model that is shown as ``model``."""
        names = ("", *self._config.fallback_models, model)
        specs = (self._chosen(name) for name in names)
        return next((spec for spec in specs if isinstance(spec, ModelSpec) and spec.name == model), None)

    def _lock(self, spec: ModelSpec | None, error: ModelError) -> Lock | None:
        """Which key would help; where the model cannot be settled for want of one, the error names its variable."""
        if spec is not None:
            return lock_of_spec(spec, self._config, self._keys)
        named = lock_of_name(self._config.model or "", self._config, self._keys)
        meant = (each for each in PROVIDERS.values() if each.key_env in error.message)
        return named or next((lock_of_provider(each, self._keys) for each in meant), None)

    async def _listed(self, spec: ModelSpec) -> dict[str, str]:
        """Models of the same service, by the name that settles each, the most alike first."""
        listed = await listed_models(spec, self._keys)
        wanted = spec.model.removeprefix(f"{listed.prefix}/")
        near = difflib.get_close_matches(wanted, listed.models, n=_MAX_LISTED, cutoff=0.0)
        return {f"{listed.prefix}/{model}": model for model in near} if listed.prefix else {}


def _led_here(missing: Missing) -> tuple[str, ...]:
    """What a person must know who is asked for a model; where several would do, the card says what to do."""
    lines = {"none": (), "several": (missing.message,)}
    return lines.get(missing.reason, (missing.message, missing.next_step))
