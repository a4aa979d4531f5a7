"""Whether a model of Ollama fits the work: its window, which is small on most machines and drops older text without a
word, and whether it can use tools. Found out before the first request is sent.
"""

from collections.abc import Callable, Mapping
from typing import Literal

from tah_jupyter.jupyter.model_cards import SUGGESTED, window_card
from tah_jupyter.jupyter.model_picker import NobodyAnswers, Put
from tah_jupyter.models.choose import ModelSpec
from tah_jupyter.models.local_servers import can_use_tools, loaded_window, look, ollama_at
from tah_jupyter.models.offers import ENOUGH_TOKENS
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = ["KnownModels", "LocalFit"]

_LOOK_S = 5.0  # the person waits for a model to be loaded anyway

_Model = tuple[str, str]  # Ollama's address, and the model's name there


class KnownModels:
    """What one kernel has learnt of its local models, so that nothing is asked or said twice."""

    def __init__(self) -> None:
        self.accepted: set[_Model] = set()
        """Those whose window is large enough, or was taken all the same."""
        self.without_tools: set[_Model] = set()


class LocalFit:
    """The questions before the first use of a model of Ollama. ``say`` shows a line about what takes time."""

    def __init__(
        self, words: Words, environ: Mapping[str, str], known: KnownModels, put: Put, say: Callable[[str], None]
    ) -> None:
        self._words = words
        self._environ = environ
        self._known = known
        self._put = put
        self._say = say

    async def fits(self, spec: ModelSpec) -> Literal["yes", "choose", "no"]:
        """Load the model and look at its window; ask where that is small. ``choose`` is another model, ``no`` none.
        Where nobody can answer the model is used, and what is wrong with it is said.
        """
        model = self._model(spec)
        if model is None or model in self._known.accepted:
            return "yes"
        await self._learn_of_tools(*model)
        loading = self._words.say("window_loading", model=visible_line(spec.model).text)
        while True:
            window = await loaded_window(*model, on_load=lambda: self._say(loading))
            if window is None or window >= ENOUGH_TOKENS:
                break
            answer = await self._answer(window)
            if answer == "choose":
                return "choose"
            if answer == "cancel":
                return "no"
            if answer == "anyway":
                break
        self._known.accepted.add(model)
        return "yes"

    def only_answers(self, spec: ModelSpec) -> bool:
        """Whether it is known that the model cannot use tools: Ollama refuses a request that offers it some."""
        return self._model(spec) in self._known.without_tools

    def _model(self, spec: ModelSpec) -> _Model | None:
        url = ollama_at(spec.base_url, self._environ) if spec.route == "direct" else ""
        return (url, spec.model) if url else None

    async def _learn_of_tools(self, url: str, model: str) -> None:
        if (url, model) not in self._known.without_tools and await can_use_tools(url, model) is False:
            self._known.without_tools.add((url, model))
            words, shown = self._words, visible_line(model).text
            fitting = words.say("tools_fitting", name=await self._fitting(url))
            self._say(f"{words.say('tools_answers_only', model=shown)} {fitting}")

    async def _fitting(self, url: str) -> str:
        """How to get a model that can use tools: by the name of one that is there, else of one to fetch."""
        able = [each for each in await look({"ollama": url}, limit_s=_LOOK_S) if each.can_use_tools]
        return visible_line(f"%tah model {able[0].name}" if able else f"ollama pull {SUGGESTED}").text

    async def _answer(self, window: int) -> str:
        card = window_card(window, self._words)
        try:
            return (await self._put(card)).key
        except NobodyAnswers:
            self._say(card.title)
            return "anyway"
