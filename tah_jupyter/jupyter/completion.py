"""Tab after ``%tah`` and ``%%tah``: the words of :mod:`grammar`, the names of models and providers, nothing else."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from IPython.core import completer

from tah_jupyter.core.errors import ConfigError
from tah_jupyter.jupyter.grammar import COMMANDS, OPTIONS
from tah_jupyter.models.providers import PROVIDERS

if TYPE_CHECKING:
    from tah_jupyter.jupyter.loaded import Loaded

__all__ = ["Names", "add_completer", "candidates", "names_in", "remove_completer"]

_NAME = "tah"


class Names(NamedTuple):
    """Names that a word may take: models that could answer, and whose keys there are."""

    models: Sequence[str] = ()
    providers: Sequence[str] = ()


def names_in(loaded: "Loaded") -> Names:
    """The names of this kernel: models of the config, providers with a key, the demo. Reads the config's two files."""
    try:
        models = loaded.config().models
    except ConfigError:  # told where it is used
        return Names()
    known = loaded.keys.with_unread()
    ready = [name for name, provider in PROVIDERS.items() if provider.key_variable(known)]
    with_key = [name for name, endpoint in models.items() if endpoint.api_key_env]
    return Names((*models, *ready, "demo"), (*with_key, *PROVIDERS))


def candidates(line: str, names: Callable[[], Names] = Names) -> list[str]:
    """What may stand where ``line`` (up to the cursor) ends. ``names()`` is asked only where a name may stand.

    >>> candidates("%tah show t"), candidates("%tah model m", lambda: Names(("mine", "demo")))
    (['todos', 'tools'], ['mine'])
    """
    words = line.split()
    last = words.pop() if words and not line[-1].isspace() else ""
    if words[:1] == ["%%tah"] and "=" in last:  # --model=NAME is --model NAME
        name, _, last = last.partition("=")
        words.append(name)
    offered: Sequence[str] = ()
    if words == ["%tah", "model"] or (words[:1] == ["%%tah"] and words[-1] == "--model"):
        offered = names().models
    elif words in (["%tah", "key"], ["%tah", "key", "forget"]):
        offered = names().providers if words[-1] == "forget" else (*names().providers, "forget")
    elif words[:1] == ["%%tah"]:
        option = OPTIONS.get(words[-1])
        offered = option.values if option is not None and option.value else list(OPTIONS)
    elif words == ["%tah"]:
        offered = list(COMMANDS)
    elif len(words) == 2 and words[0] == "%tah" and words[1] in COMMANDS:
        offered = COMMANDS[words[1]].subjects or COMMANDS[words[1]].offered
    return [word for word in offered if word.startswith(last)]


def add_completer(shell: Any, names: Callable[[], Names] = Names) -> None:
    """Join the shell's completer."""

    def match(context: Any) -> dict[str, Any]:
        """For IPython 8.6 and later, which lets it be the only answer: Python's own words mean nothing here."""
        words = candidates(context.text_until_cursor.lstrip(), names)
        completions = [completer.SimpleCompletion(text=word, type="magic") for word in words]
        return {"completions": completions, "suppress": bool(words), "ordered": True}

    def complete(shell: Any, event: SimpleNamespace) -> list[str]:
        return candidates(event.text_until_cursor.lstrip(), names)

    if _takes_matchers():
        match.matcher_api_version = 2  # type: ignore[attr-defined]  # what tells IPython how to call it
        match.matcher_identifier = _NAME  # type: ignore[attr-defined]
        shell.Completer.custom_matchers.append(match)
        return
    complete.matcher_identifier = _NAME  # type: ignore[attr-defined]  # by which it is found again
    for magic in ("%tah", "%%tah"):  # up to IPython 8.5
        shell.set_hook("complete_command", complete, str_key=magic)


def remove_completer(shell: Any) -> None:
    """Leave it."""
    if _takes_matchers():
        matchers = shell.Completer.custom_matchers
        matchers[:] = [matcher for matcher in matchers if not _is_ours(matcher)]
        return
    strings = shell.strdispatchers["complete_command"].strs
    for magic in ("%tah", "%%tah"):
        chain = strings.get(magic)
        if chain is not None:
            chain.chain = [link for link in chain.chain if not _is_ours(getattr(link[1], "__func__", link[1]))]
            if not chain.chain:
                del strings[magic]


def _takes_matchers() -> bool:
    """Whether this IPython knows matchers of our kind; before 8.6 the list of that name holds others."""
    return hasattr(completer, "SimpleCompletion")


def _is_ours(function: Any) -> bool:
    return getattr(function, "matcher_identifier", "") == _NAME
