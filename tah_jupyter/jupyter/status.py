"""Where things stand, in words. Used by the line of ``%load_ext`` and by ``%tah``."""

from collections.abc import Mapping

from tah_jupyter.models.choose import DEMO_LABEL, Missing, ModelSpec, choose
from tah_jupyter.runtime.config import Config

__all__ = ["mode_words", "model_advice", "model_words"]

_MODES = {
    "default": "asks before it changes anything",
    "accept_edits": "edits in this folder pass, the rest asks",
    "plan": "plans only, changes nothing",
    "dont_ask": "denies what would ask",
    "bypass": "allows everything",
}


def model_words(config: Config, environ: Mapping[str, str]) -> str:
    """Which model answers and where its key comes from."""
    chosen = _chosen(config, environ)
    if isinstance(chosen, Missing):
        settled_nothing = chosen.reason in ("none", "several")
        return "no model chosen" if settled_nothing else f"no model: {chosen.message.rstrip('.')}"
    if chosen.route == "demo":
        return DEMO_LABEL
    return f"{chosen.name} ({chosen.key_env})" if chosen.key_env else chosen.name


def model_advice(config: Config, environ: Mapping[str, str]) -> str:
    """Why no model is settled, and what to do; empty when one is."""
    chosen = _chosen(config, environ)
    return f"{chosen.message} {chosen.next_step}" if isinstance(chosen, Missing) else ""


def _chosen(config: Config, environ: Mapping[str, str]) -> ModelSpec | Missing:
    return choose(config_models=config.models, environ=environ, config_model=config.model or "")


def mode_words(config: Config) -> str:
    """What passes without a question."""
    words = _MODES[config.permissions.mode]
    return f"{words}, and asks before it reads too, until its settings are mended" if config.fail_closed else words
