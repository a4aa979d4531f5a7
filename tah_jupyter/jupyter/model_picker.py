"""The model card, from the look at what there is to a name that can be used, or to nothing."""

import socket
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from urllib.parse import urlsplit

import anyio.to_thread

from tah_jupyter.core.errors import ConfigError
from tah_jupyter.core.questions import Asker, Question, Reply
from tah_jupyter.host.net import is_loopback
from tah_jupyter.host.secrets.keys import Keys
from tah_jupyter.jupyter.key_entry import KeyEntry, lock_of_provider
from tah_jupyter.jupyter.model_cards import model_card, other_services_card
from tah_jupyter.models.local_addresses import ollama_url
from tah_jupyter.models.local_servers import LOOK_S, addresses, look
from tah_jupyter.models.offers import Offers, offers_of
from tah_jupyter.models.providers import PROVIDERS
from tah_jupyter.runtime.config import Config
from tah_jupyter.runtime.config_sources import OWN_FILE
from tah_jupyter.runtime.own_config import remember
from tah_jupyter.ui.words import Words

__all__ = ["ModelPicker", "NobodyAnswers", "Put", "answered"]

_ELSEWHERE = ("JUPYTERHUB_API_URL", "COLAB_RELEASE_TAG", "KAGGLE_KERNEL_RUN_TYPE", "CODESPACES", "SSH_CONNECTION")
"""Variables of places where the kernel runs on another machine than the person's browser."""

Put = Callable[[Question], Awaitable[Reply]]
"""Puts a question to the person. Raises NobodyAnswers."""


class NobodyAnswers(Exception):
    """There is nobody to put a question to."""


def answered(ask: Asker) -> Put:
    """``ask``, with "nobody" as an exception: a question in a question then ends both."""

    async def put(question: Question) -> Reply:
        reply = await ask(question)
        if reply is None:
            raise NobodyAnswers
        return reply

    return put


class ModelPicker:
    """Shows the card until it has a name that can be used. ``say`` shows a line about what was done, ``look_s`` is how
    long the servers of this machine have for saying what they offer, in seconds.
    """

    def __init__(
        self,
        words: Words,
        keys: Keys,
        config: Config,
        put: Put,
        entry: KeyEntry,
        say: Callable[[str], None],
        look_s: float = LOOK_S,
    ) -> None:
        self._words = words
        self._keys = keys
        self._config = config
        self._put = put
        self._entry = entry
        self._say = say
        self._look_s = look_s

    async def pick(self, about: Sequence[str] = (), *, in_run: bool = False) -> str | None:
        """The name that was chosen, None when the person left it. ``about`` says what led here, a line each; ``in_run``
        that the model is to go on with a run. Raises NobodyAnswers.
        """
        while True:
            offers = await self.look()
            hints = self._where_nothing_answers(offers)
            reply = await self._put(model_card(offers, self._keys, self._words, (*about, *hints), in_run=in_run))
            key = reply.key
            if key == "other":
                key = (await self._put(other_services_card(offers, self._words))).key
                if key == "cancel":
                    continue
            if key == "cancel":
                return None
            deed, _, name = key.partition(":")
            if deed == "key":
                why_not = await self._entry.enter(lock_of_provider(PROVIDERS[name], self._keys))
                if why_not:
                    about = (why_not,)
                    continue
            if reply.remember:
                await self._remember(name)
            return name

    async def look(self) -> Offers:
        """What can be chosen now; looks at the servers of this machine."""
        local = await look(addresses(self._keys), limit_s=self._look_s)
        return offers_of(self._config.models, self._keys, local)

    def _where_nothing_answers(self, offers: Offers) -> tuple[str, ...]:
        """Why there is no local model, where a person may well expect one."""
        place = urlsplit(ollama_url(self._keys))
        if offers.local:
            return ()
        if not is_loopback(place.hostname or ""):
            return (self._words.say("nothing_answers_at", place=place.netloc, variable="OLLAMA_HOST"),)
        if any(self._keys.get(name) for name in (*_ELSEWHERE, "OLLAMA_HOST")):
            return (self._words.say("nothing_answers", place=place.netloc, host=socket.gethostname()),)
        return ()

    async def _remember(self, name: str) -> None:
        if name == "demo":  # kept in the config, a script would answer requests that are meant for a model
            self._say(self._words.say("demo_not_remembered"))
            return
        try:
            await anyio.to_thread.run_sync(partial(remember, "model", name, self._keys))
        except ConfigError as error:
            self._say(str(error))
        else:
            self._say(self._words.say("model_remembered", file=OWN_FILE))
