"""The services that a key in the environment points to. Plain data, cheap enough to import at ``%load_ext``."""

from typing import NamedTuple

__all__ = ["DIRECT", "NOT_YET", "Provider", "provider_of_host"]


class Provider(NamedTuple):
    """A service that speaks OpenAI's chat completions.

    ``key_env`` is the variable its own documentation names, ``base_url_env`` the one that moves it elsewhere and
    ``default_model`` the model used when nothing else is said: a current general model that calls tools.
    ``price_prefix`` is how litellm's price table names the service.
    """

    name: str
    title: str
    key_env: str
    base_url: str
    default_model: str
    price_prefix: str
    base_url_env: str = ""


# Addresses and variables: each service's own "OpenAI compatibility" or quickstart page. The default models stand in
# litellm's price table with tool calling and no date of withdrawal (a test holds that); OpenRouter's picks by itself.
DIRECT: dict[str, Provider] = {
    provider.name: provider
    for provider in (
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
            "deepseek", "DeepSeek", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1", "deepseek-v4-pro", "deepseek"
        ),
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
        ),
    )
}

# Services whose own protocol this version does not speak: their keys count as keys, and are answered truthfully.
NOT_YET: dict[str, tuple[str, str]] = {
    "anthropic": ("Anthropic", "ANTHROPIC_API_KEY"),
    "gemini": ("Google Gemini", "GEMINI_API_KEY"),
    "azure": ("Azure OpenAI", "AZURE_OPENAI_API_KEY"),
    "cohere": ("Cohere", "COHERE_API_KEY"),
}


def provider_of_host(host: str) -> Provider | None:
    """The provider whose own address has ``host``, else None."""
    for provider in DIRECT.values():
        if host.lower() == provider.base_url.split("/", 3)[2]:
            return provider
    return None
