"""``%tah model [NAME]``: which model answers, and what else is ready."""

import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from IPython.core.error import UsageError

from tah_jupyter.jupyter.at_agent import at_agent
from tah_jupyter.jupyter.columns import aligned
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.printing import tell
from tah_jupyter.jupyter.pump import MainThread
from tah_jupyter.jupyter.status import model_advice, model_words
from tah_jupyter.ui.visible import visible_line

if TYPE_CHECKING:
    from tah_jupyter.models.offers import Offers

__all__ = ["run"]


def run(loaded: Loaded, name: str) -> None:
    """Settle ``name`` from now on, and print what answers; alone, look also for what else could. Raises UsageError, the
    model unchanged, for one that cannot be used.
    """
    if name:
        _settle(loaded, name)
        return
    config, keys = loaded.config(), loaded.keys
    tell(model_advice(config, keys) or model_words(config, keys, loaded.words))
    tell("\n".join(_ready(loaded, at_agent(loaded, lambda main: _look(loaded, main)))))


def _settle(loaded: Loaded, name: str) -> None:
    settings = loaded.settings
    before, settings.model = settings.model, name
    config = loaded.config()
    if advice := model_advice(config, loaded.keys):
        settings.model = before
        raise UsageError(f"{advice} {loaded.words.say('model_unchanged')}")
    tell(model_words(config, loaded.keys, loaded.words))


async def _look(loaded: Loaded, main: MainThread) -> "Offers":
    from tah_jupyter.models.local_servers import addresses, look  # noqa: PLC0415 - brings httpx
    from tah_jupyter.models.offers import offers_of  # noqa: PLC0415

    local = await look(addresses(loaded.keys))
    return offers_of(loaded.config().models, loaded.keys.with_unread(), local)


def _ready(loaded: Loaded, offers: "Offers") -> Iterator[str]:
    """A line for each model that could answer, by the name that settles it."""
    from tah_jupyter.jupyter.model_cards import local_words, place_of_key  # noqa: PLC0415 - brings msgspec

    words, keys = loaded.words, loaded.keys
    rows = [(each.name, urlsplit(each.base_url).netloc.rpartition("@")[2]) for each in offers.configured]
    for each in offers.ready:
        variable = each.key_variable(keys.with_unread()) or each.base_url_env
        rows.append((each.name, words.say("key_found", key=place_of_key(variable, keys, words))))
    rows += [(each.name, local_words(each, words)) for each in offers.local]
    if rows:
        yield words.say("ready_too")
        yield from aligned([(f"  {visible_line(name).text}", visible_line(about).text) for name, about in rows])
        yield words.say("ready_change")
    if not offers.local:
        from tah_jupyter.models.local_servers import addresses  # noqa: PLC0415

        places = ", ".join(urlsplit(url).netloc for url in addresses(keys).values())
        yield words.say("ready_nothing_local", places=places, host=socket.gethostname())
