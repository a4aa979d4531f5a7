"""The services that a key in the environment points to. Plain data, cheap enough to import at ``%load_ext``."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

__all__ = [
    "PROVIDERS",
    "Provider",
    "provider_named",
    "provider_of_host",
    "providers",
    "words_of_missing_key",
]


class Provider(NamedTuple):
    """A service with models. ``key_env`` is the variable its own documentation names, ``other_key_envs`` are those that
    count too, ``base_url_env`` is the one that moves it elsewhere.

    ``default_model`` is used when nothing else is said: a current general model that calls tools; empty where each
    account has its own names. ``price_prefix`` is how litellm's price table names the service. ``direct`` services
    speak OpenAI's chat completions, the others are spoken to by litellm, which knows them by ``name``.
    """

    name: str
    title: str
    key_env: str
    base_url: str
    default_model: str
    price_prefix: str
    base_url_env: str = ""
    other_key_envs: tuple[str, ...] = ()
    route: Literal["direct", "litellm"] = "direct"

    def key_variable(self, environ: Mapping[str, str]) -> str:
        """The variable of ``environ`` that holds its key; empty when there is none."""
        return next((name for name in (self.key_env, *self.other_key_envs) if environ.get(name, "").strip()), "")

    def needs_name(self, environ: Mapping[str, str]) -> bool:
        """Whether its own name settles no model: each account has other names, or ``environ`` moves it elsewhere."""
        elsewhere = environ.get(self.base_url_env, "").strip() if self.base_url_env else ""
        return not self.default_model or elsewhere.rstrip("/") not in ("", self.base_url)


# Addresses and variables: each service's own "OpenAI compatibility" or quickstart page. The default models stand in
# litellm's price table with tool calling and no date of withdrawal (a test holds that); OpenRouter's picks by itself.
_ALL = (
    Provider(
        "anthropic",
        "Anthropic",
        "ANTHROPIC_API_KEY",
        "https://api.anthropic.com",
        "claude-sonnet-5-5",
        "anthropic",
        "ANTHROPIC_BASE_URL",
        route="litellm",
    ),
    Provider(
        "openai",
        "OpenAI",
        "OPENAI_API_KEY",
        "https://api.openai.com/v1",
        "gpt-5.4",
        "openai",
        "OPENAI_BASE_URL",
    ),
    Provider(
        "openrouter",
        "OpenRouter",
        "OPENROUTER_API_KEY",
        "https://openrouter.ai/api/v1",
        "openrouter/auto",
        "openrouter",
    ),
    Provider(
        "gemini",
        "Google Gemini",
        "GEMINI_API_KEY",
        "https://generativelanguage.googleapis.com",
        "gemini-3.8-flash",
        "gemini",
        other_key_envs=("GOOGLE_API_KEY",),
        route="litellm",
    ),
    Provider("deepseek", "DeepSeek", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1", "deepseek-v4-pro", "deepseek"),
    Provider("groq", "Groq", "GROQ_API_KEY", "https://api.groq.com/openai/v1", "openai/gpt-oss-120b", "groq"),
    Provider("mistral", "Mistral", "MISTRAL_API_KEY", "https://api.mistral.ai/v1", "devstral-latest", "mistral"),
    Provider("xai", "xAI", "XAI_API_KEY", "https://api.x.ai/v1", "grok-4.5", "xai"),
    Provider("cerebras", "Cerebras", "CEREBRAS_API_KEY", "https://api.cerebras.ai/v1", "gpt-oss-120b", "cerebras"),
    Provider(
        "together",
        "Together AI",
        "TOGETHER_API_KEY",
        "https://api.together.xyz/v1",
        "zai-org/GLM-5.3",
        "together_ai",
        other_key_envs=("TOGETHERAI_API_KEY",),
    ),
    Provider(
        "azure",
        "Azure OpenAI",
        "AZURE_API_KEY",
        "",
        "",
        "azure",
        "AZURE_API_BASE",
        other_key_envs=("AZURE_OPENAI_API_KEY",),
        route="litellm",
    ),
    Provider(
        "cohere",
        "Cohere",
        "COHERE_API_KEY",
        "https://api.cohere.com",
        "command-a-plus-05-2026",
        "cohere_chat",
        other_key_envs=("CO_API_KEY",),
        route="litellm",
    ),
)

PROVIDERS: dict[str, Provider] = {provider.name: provider for provider in _ALL}

_OTHER_NAMES = {"together_ai": "together", "google": "gemini"}  # as litellm or people call them


def providers() -> tuple[Provider, ...]:
    """Every service whose key alone says whose it is."""
    return _ALL


def provider_named(name: str) -> Provider | None:
    """The service that ``name`` means, or None."""
    return PROVIDERS.get(_OTHER_NAMES.get(name, name))


def provider_of_host(host: str) -> Provider | None:
    """The provider whose own address has ``host``, else None."""
    for provider in _ALL:
        if provider.base_url and host.lower() == provider.base_url.split("/", 3)[2]:
            return provider
    return None


def words_of_missing_key(key_env: str, whose: str) -> tuple[str, str]:
    """What is wrong where ``key_env`` has no key, and what to do."""
    return (
        f"There is no {key_env} in this kernel, and {whose} needs a key.",
        "A key set after Jupyter started, or in another shell, is not seen here. Enter it with %tah key.",
    )
