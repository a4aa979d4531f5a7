"""The questions about models as values: which model, whose key, a window that is too small, a model that failed.

Names that servers sent are shown with nothing hidden in them. The key of a choice says what it does: ``use:NAME`` takes
a model, ``key:PROVIDER`` needs a key first, the others are single words.
"""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.questions import Choice, Question
from tah_jupyter.host.secrets.keys import Keys
from tah_jupyter.models.local_addresses import LOCAL_SERVERS
from tah_jupyter.models.offers import ENOUGH_TOKENS, LocalModel, Offers
from tah_jupyter.models.providers import Provider
from tah_jupyter.runtime.config_sources import OWN_FILE
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = [
    "LARGER_WINDOW",
    "SUGGESTED",
    "key_card",
    "local_words",
    "model_card",
    "other_services_card",
    "place_of_key",
    "rescue_card",
    "window_card",
]

SUGGESTED = "qwen3:8b"
"""A model of Ollama's library that calls tools and runs on most machines (experience, section A3)."""

LARGER_WINDOW = "OLLAMA_CONTEXT_LENGTH=32768 ollama serve"
"""How Ollama is given a larger window (its FAQ, "How can I specify the context window size?")."""

_HAS_KEY_BUTTON = ("key_missing", "key_refused")
_NO_RETRY = ("context_too_long",)  # the same request again is as long


def model_card(
    offers: Offers, keys: Keys, words: Words, about: Sequence[str] = (), *, in_run: bool = False
) -> Question:
    """Which model answers; ``about`` says what led to the question, a line each. A model that is to go on with a run
    (``in_run``) must be able to use its tools, and is not the demo, which has a folder of its own.
    """
    demo = Choice("use:demo", words.say("model_demo"), group=words.say("model_none"))
    return Question(
        _new_id(),
        words.say("model_title"),
        (
            *(_local(model, words, in_run=in_run) for model in offers.local),
            *_configured(offers, words),
            *_with_key(offers, keys, words),
            *(() if in_run else (demo,)),
            Choice("cancel", words.say("cancel")),
        ),
        about=(*about, *_hints(offers, words)),
        layout="list",
        confirm=words.say("model_use"),
        remember=words.say("model_remember"),
        remembers=True,
    )


def other_services_card(offers: Offers, words: Words) -> Question:
    """The services that the first card has no room for."""
    services = (_without_key(provider, words, "") for provider in offers.others)
    return Question(
        _new_id(),
        words.say("model_others_title"),
        (*services, Choice("cancel", words.say("model_back"))),
        about=(words.say("model_own_server", file=OWN_FILE),),
        layout="list",
        confirm=words.say("key_enter"),
    )


def key_card(variable: str, words: Words, about: Sequence[str] = ()) -> Question:
    """The model that was named needs a key, and there is none."""
    return Question(
        _new_id(),
        words.say("key_title", variable=variable),
        (
            Choice("key", words.say("key_enter")),
            Choice("choose", words.say("fail_choose")),
            Choice("cancel", words.say("cancel")),
        ),
        about=(words.say("key_elsewhere"), *about),
    )


def window_card(window: int, words: Words) -> Question:
    """Ollama gives a model ``window`` tokens, which is too few."""
    return Question(
        _new_id(),
        words.say("window_title", tokens=f"{window:,}", needed=f"{ENOUGH_TOKENS:,}"),
        (
            Choice("again", words.say("window_again")),
            Choice("anyway", words.say("window_anyway")),
            Choice("choose", words.say("fail_choose")),
            Choice("cancel", words.say("cancel")),
        ),
        about=(words.say("window_how"), LARGER_WINDOW),
    )


def rescue_card(
    error: ModelError,
    words: Words,
    *,
    untouched: bool,
    can_enter_key: bool,
    listed: Mapping[str, str],
    about: Sequence[str] = (),
) -> Question:
    """A model failed inside a run (experience, C3b). ``untouched`` says that nothing was changed; ``listed`` are models
    to switch to, shown name by the name that settles it.
    """
    asks_key = error.kind in _HAS_KEY_BUTTON
    next_step = words.say("key_elsewhere") if error.kind == "key_missing" else words.told(error.next_step)
    lines = (words.say("untouched") if untouched else "", "" if error.kind == "key_refused" else next_step, *about)
    models = [Choice(f"use:{name}", _line(shown), group=words.say("fail_lists")) for name, shown in listed.items()]
    return Question(
        _new_id(),
        words.told(error.message).rstrip("."),
        (*models, *_ways_on(error, words, can_enter_key=asks_key and can_enter_key, listed=bool(models))),
        about=tuple(filter(None, lines)),
        detail=error.raw,
        layout="list" if models else "buttons",
        confirm=words.say("fail_confirm") if models else "",
    )


def _ways_on(error: ModelError, words: Words, *, can_enter_key: bool, listed: bool) -> Iterator[Choice]:
    """What else can be done. Where the cause may pass, trying again comes first."""
    group = words.say("fail_ways") if listed else ""
    choose = Choice("choose", words.say("fail_choose"), group=group)
    retry = [] if error.kind in _NO_RETRY else [Choice("retry", words.say("fail_retry"), group=group)]
    if can_enter_key:
        yield Choice("key", words.say("key_enter" if error.kind == "key_missing" else "key_another"))
    yield from (*retry, choose) if error.retryable else (choose, *retry)
    yield Choice("cancel", words.say("fail_end"), group=group)


def local_words(model: LocalModel, words: Words) -> str:
    """What is known of a local model, in one line."""
    parts = [LOCAL_SERVERS[model.server].title]
    if model.can_use_tools is not None:
        parts.append(words.say("tools_yes" if model.can_use_tools else "tools_no"))
    if model.window is not None:
        parts.append(words.say("window_small" if model.is_small else "window_loaded", tokens=f"{model.window:,}"))
    return " · ".join(parts)


def place_of_key(variable: str, keys: Keys, words: Words) -> str:
    """The variable of a key, and where it is kept when that is not the environment."""
    place = keys.place_of(variable)
    return words.say(f"key_in_{place}", key=variable) if place in ("kernel", "keyring") else variable


def _local(model: LocalModel, words: Words, *, in_run: bool) -> Choice:
    can = not in_run or model.can_use_tools is not False
    about, group = local_words(model, words), words.say("model_local")
    return Choice(f"use:{model.name}", _line(model.label), about, group, enabled=can)


def _configured(offers: Offers, words: Words) -> Iterator[Choice]:
    for endpoint in offers.configured:
        host = urlsplit(endpoint.base_url).netloc.rpartition("@")[2]
        yield Choice(f"use:{endpoint.name}", _line(endpoint.name), _line(host), words.say("model_config"))


def _with_key(offers: Offers, keys: Keys, words: Words) -> Iterator[Choice]:
    group = words.say("model_key")
    for provider in offers.ready:
        variable = provider.key_variable(keys.with_unread()) or provider.base_url_env
        found = words.say("key_found", key=place_of_key(variable, keys, words))
        yield Choice(f"use:{provider.name}", provider.title, found, group)
    for provider in offers.main:
        yield _without_key(provider, words, group)
    yield Choice("other", words.say("model_other"), group=group)


def _without_key(provider: Provider, words: Words, group: str) -> Choice:
    return Choice(f"key:{provider.name}", provider.title, words.say("key_none"), group)


def _hints(offers: Offers, words: Words) -> Iterator[str]:
    if offers.local and not offers.fit:
        yield words.say("tools_none_fit", name=SUGGESTED)
    if not (offers.local or offers.configured or offers.ready):
        yield words.say("key_elsewhere")


def _line(text: str) -> str:
    return visible_line(text).text


def _new_id() -> str:
    return uuid.uuid4().hex
