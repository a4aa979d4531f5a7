"""What answers and with which key (never the key itself), and what else could: servers on this machine."""

import platform
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import anyio

from tah_jupyter.host.secrets.keys import Keys
from tah_jupyter.jupyter.doctor.finding import Check, Finding, Here
from tah_jupyter.models.choose import DEMO_LABEL, Missing, ModelSpec, choose
from tah_jupyter.models.local_servers import addresses, look

__all__ = ["CHECKS"]

T = TypeVar("T")


def _chosen(here: Here) -> ModelSpec | Missing:
    known = here.keys.with_unread() if isinstance(here.keys, Keys) else here.keys
    return choose(config_models=here.config.models, environ=known, config_model=here.config.model or "")


def _model(here: Here) -> Iterator[Finding]:
    chosen = _chosen(here)
    if isinstance(chosen, Missing):
        yield _missing(here, chosen)
        return
    name = here.words.told(DEMO_LABEL) if chosen.route == "demo" else chosen.name
    yield here.find("model", "good", "doctor_model_is", name=name, source=here.words.told(_source(here, chosen)))
    if chosen.key_env:
        yield from _key(here, chosen)


def _missing(here: Here, chosen: Missing) -> Finding:
    fix = f"%tah model {chosen.ready[0]}" if chosen.ready else "%tah key"
    if chosen.reason in ("none", "several"):
        return here.find("model", "note", "no_model_yet", fix)
    about = here.words.say("doctor_about_model")
    return Finding("model", "problem", about, f"{chosen.message} {chosen.next_step}", fix)


def _source(here: Here, chosen: ModelSpec) -> str:
    return here.config.provenance.get("model", chosen.source) if here.config.model else chosen.source


def _key(here: Here, chosen: ModelSpec) -> Iterator[Finding]:
    place = here.keys.place_of(chosen.key_env) if isinstance(here.keys, Keys) else "environment"
    where = here.words.say(f"doctor_key_in_{place or 'environment'}")
    if not here.ask_service:
        yield here.find("key", "good", "doctor_key_is", "%tah doctor --check", variable=chosen.key_env, where=where)
        return
    from tah_jupyter.jupyter.doctor.key import tried  # noqa: PLC0415 - only who asks for it waits for it

    yield in_thread(partial(tried, here, chosen, where))


def _local(here: Here) -> Iterator[Finding]:
    found = in_thread(partial(look, addresses(here.environ)))
    if found:
        names = ", ".join(model.name for model in found[:5])
        yield here.find("local", "good", "doctor_local_are", n=len(found), names=names)
    else:
        yield here.find("local", "good", "doctor_local_none", machine=platform.node() or "localhost")


def in_thread(work: Callable[[], Awaitable[T]]) -> T:
    """The result of ``await work()``: on a thread and a loop of its own, for the kernel's loop waits for this cell."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(anyio.run, work).result()


CHECKS: tuple[Check, ...] = (_model, _local)
