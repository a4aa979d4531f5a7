"""Services that litellm speaks to when they are named, as ``NAME/MODEL``. Plain data: imported at ``%load_ext``."""

__all__ = ["BY_NAME_ALONE"]

# Names of litellm 1.110 (``litellm.provider_list``; a test holds that) that serve chat and are not in our own table:
# their variables mean more than a model (the keys of a cloud, a token for downloads), or few people have them. litellm
# reads those variables itself.
# fmt: off
BY_NAME_ALONE = frozenset((
    "abliteration", "ai21_chat", "aiand", "aiml", "amazon_nova", "apertis", "azure_ai", "baseten", "bedrock",
    "bedrock_mantle", "bigmodel", "bytez", "charity_engine", "chutes", "clarifai", "cloudflare", "codestral",
    "cohere_chat", "cometapi", "compactifai", "custom_openai", "dashscope", "databricks", "datarobot", "deepinfra",
    "docker_model_runner", "edenai", "empower", "featherless_ai", "fireworks_ai", "friendliai", "galadriel",
    "gigachat", "github", "github_copilot", "gradient_ai", "helicone", "heroku", "hosted_vllm", "huggingface",
    "hyperbolic", "inception", "lambda_ai", "lemonade", "libertai", "litellm_proxy", "llamafile", "lm_studio",
    "maritalk", "meta", "meta_llama", "minimax", "modelscope", "moonshot", "morph", "nano-gpt", "nebius",
    "neosantara", "novita", "nscale", "nvidia_nim", "oci", "ollama_chat", "ovhcloud", "parasail", "perplexity",
    "poe", "predibase", "publicai", "qwen_ai_platform", "qwencloud", "replicate", "sagemaker", "sagemaker_chat",
    "sambanova", "sap", "scaleway", "snowflake", "streamlake", "synthetic", "tencent", "tensormesh", "v0",
    "vercel_ai_gateway", "vertex_ai", "vertex_ai_beta", "volcengine", "wandb", "watsonx", "xiaomi_mimo",
    "xinference", "zai",
))
# fmt: on
