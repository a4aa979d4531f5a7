"""Tab after ``%tah`` and ``%%tah``: the words of :mod:`grammar` and nothing else."""

from types import SimpleNamespace
from typing import Any

from tah_jupyter.jupyter.grammar import COMMANDS, OPTIONS

__all__ = ["add_completer", "candidates", "remove_completer"]


def candidates(line: str) -> list[str]:
    """What may stand where ``line`` (up to the cursor) ends.

    >>> candidates("%tah show t")
    ['todos', 'tools']
    """
    words = line.split()
    last = words.pop() if words and not line[-1].isspace() else ""
    offered: tuple[str, ...] | list[str] = []
    if words[:1] == ["%%tah"]:
        option = OPTIONS.get(words[-1])
        offered = option.values if option is not None and option.value else list(OPTIONS)
    elif words == ["%tah"]:
        offered = list(COMMANDS)
    elif len(words) == 2 and words[0] == "%tah" and words[1] in COMMANDS:
        offered = COMMANDS[words[1]].subjects
    return [word for word in offered if word.startswith(last)]


def _match(context: Any) -> dict[str, Any]:
    """The same for IPython 8.6 and later, which lets it be the only answer: Python's own words mean nothing here."""
    from IPython.core.completer import SimpleCompletion  # noqa: PLC0415 - not there before

    words = candidates(context.text_until_cursor.lstrip())
    completions = [SimpleCompletion(text=word, type="magic") for word in words]
    return {"completions": completions, "suppress": bool(words), "ordered": True}


_match.matcher_api_version = 2  # type: ignore[attr-defined]  # what tells IPython how to call it
_match.matcher_identifier = "tah"  # type: ignore[attr-defined]


def _complete(shell: Any, event: SimpleNamespace) -> list[str]:
    return candidates(event.text_until_cursor.lstrip())


def add_completer(shell: Any) -> None:
    """Join the shell's completer."""
    if hasattr(shell.Completer, "custom_matchers"):
        shell.Completer.custom_matchers.append(_match)
        return
    for magic in ("%tah", "%%tah"):  # up to IPython 8.5
        shell.set_hook("complete_command", _complete, str_key=magic)


def remove_completer(shell: Any) -> None:
    """Leave it."""
    if hasattr(shell.Completer, "custom_matchers"):
        shell.Completer.custom_matchers.remove(_match)
        return
    strings = shell.strdispatchers["complete_command"].strs
    for magic in ("%tah", "%%tah"):
        chain = strings.get(magic)
        if chain is not None:
            chain.chain = [link for link in chain.chain if getattr(link[1], "__func__", link[1]) is not _complete]
            if not chain.chain:
                del strings[magic]
