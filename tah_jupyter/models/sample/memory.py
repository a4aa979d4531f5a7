"""What the demo's script knows: the last request of the person, the calls made for it, and the files read so far.

All of it comes out of the messages of one model request, as a language model would have it; nothing is kept between
requests.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tah_jupyter.core.messages import AssistantMessage, CallPart, Message, ModelRequest, ToolMessage, UserMessage

__all__ = ["Called", "Memory", "recall"]

_NOTICE = "[tah notice "
_NUMBERED = re.compile(r"^ *\d+\t(.*)$", re.MULTILINE)
_NOT_RUN = "Not run: "


class Called(NamedTuple):
    """One call and what came back."""

    tool: str
    args: dict[str, Any]
    result: str

    @property
    def refusal(self) -> str:
        """Why it was not run, in the words of whoever refused it; empty when it ran."""
        return self.result.removeprefix(_NOT_RUN).rstrip(".") if self.result.startswith(_NOT_RUN) else ""


class Memory(NamedTuple):
    """``prompt`` is the person's last request, ``calls`` what was done for it, ``files`` the texts read in the whole
    conversation by path, ``tools`` the names on offer.
    """

    prompt: str
    calls: tuple[Called, ...]
    files: Mapping[str, str]
    tools: frozenset[str]

    def of(self, tool: str) -> list[Called]:
        """The calls of one tool, in order."""
        return [call for call in self.calls if call.tool == tool]


def recall(request: ModelRequest) -> Memory:
    """Read the messages of ``request``."""
    prompt, calls, files = "", list[Called](), dict[str, str]()
    waiting: dict[str, CallPart] = {}
    for message in request.messages:
        if _is_prompt(message):
            prompt, calls = message.text, []
        elif isinstance(message, AssistantMessage):
            waiting = {call.call_id: call for call in message.calls}
        elif isinstance(message, ToolMessage) and message.call_id in waiting:
            part = waiting[message.call_id]
            calls.append(Called(part.tool, json.loads(part.arguments), message.text))
            _remember(files, calls[-1])
    return Memory(prompt, tuple(calls), files, frozenset(tool.name for tool in request.tools))


def _is_prompt(message: Message) -> bool:
    return isinstance(message, UserMessage) and not message.text.startswith(_NOTICE)


def _remember(files: dict[str, str], call: Called) -> None:
    """A file that is not repeated is as it was read before; one that could not be read is not known any more."""
    path = str(call.args.get("path", ""))
    if call.tool != "read_file" or "has not changed since" in call.result.partition("\n")[0]:
        return
    lines: Sequence[str] = _NUMBERED.findall(call.result)
    if lines:
        files[path] = "\n".join(lines) + "\n"
    else:
        files.pop(path, None)
