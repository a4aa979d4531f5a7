"""Questions as a person meets them, and the states of a run around them, as records."""

from collections.abc import Iterator

from tah_jupyter.core.events import (
    Event,
    MessageStarted,
    ModelChanged,
    NoteQueued,
    Notice,
    QuestionAsked,
    RunReleased,
    RunStarted,
    TurnStarted,
)
from tah_jupyter.core.questions import Choice, Question
from tests.support import runs

__all__ = ["FAILURE", "MODEL_CARD", "held", "noted", "refused", "released", "retrying", "sending"]

_LOCAL, _KEY, _NONE = "On this machine", "With a key", "No model"

MODEL_CARD = Question(
    "model",
    "Choose a model; your request is kept and runs when you choose",
    (
        Choice("ollama/qwen3:8b", "qwen3:8b", "Ollama · can use tools · loaded, window 4,096: small", _LOCAL),
        Choice(
            "ollama/gemma3:4b", "gemma3:4b", "Ollama · cannot use tools: can answer, not act", _LOCAL, enabled=False
        ),
        Choice("anthropic", "Anthropic", "no key found", _KEY),
        Choice("openai", "OpenAI", "no key found", _KEY),
        Choice("openrouter", "OpenRouter", "no key found", _KEY),
        Choice("demo", "Scripted demo on a sample folder.", "It will not answer your request", _NONE),
        Choice("cancel", "Cancel"),
    ),
    layout="list",
    confirm="Use",
    remember="Remember for all my notebooks",
    remembers=True,
)

FAILURE = Question(
    "rescue",
    "Anthropic refused the key (401): the one ending x7Q2, from ANTHROPIC_API_KEY",
    (
        Choice("key", "Enter another key"),
        Choice("model", "Choose a model"),
        Choice("retry", "Retry"),
        Choice("cancel", "End"),
    ),
    about=("Your files are as they were.",),
    detail='{"type": "error",\n "error": {"type": "authentication_error", "message": "invalid x-api-key"}}',
)


def held() -> Iterator[Event]:
    """A request that is kept while its model is chosen: run 0."""
    yield RunStarted(prompt=runs.PROMPT)
    yield QuestionAsked(question=MODEL_CARD)


def refused() -> Iterator[Event]:
    """C3b: the provider refused the key; what was done is kept, and somebody is asked."""
    yield from runs.looked()
    yield QuestionAsked(question=FAILURE)


def noted() -> Iterator[Event]:
    """C1 with two notes that wait to be read."""
    yield from runs.streaming()
    yield NoteQueued(note="n1", text="Rows of the warehouse in Lyon are written day/month; keep those as they are.")
    yield NoteQueued(note="n2", text="And tell me how many rows there are.")


def released() -> Iterator[Event]:
    """C3 in the background."""
    yield from runs.running()
    yield RunReleased()


def sending() -> Iterator[Event]:
    """The first moments: nothing was heard of the model yet."""
    yield RunStarted(prompt=runs.PROMPT, model="claude-sonnet", host="api.anthropic.com")
    yield TurnStarted()
    yield MessageStarted(message="m1")


def retrying(until: float) -> Iterator[Event]:
    """The provider asked to wait, after another model took over."""
    yield from runs.looked()
    because = "No credit left at OpenAI; claude-sonnet answers from here on"
    yield ModelChanged(model="claude-sonnet", host="api.anthropic.com", because=because)
    text = "Anthropic limits the rate (429); trying again in 12 s (attempt 2)"
    yield Notice(text=text, level="warning", code="retry", until=until)
