"""Whether the key of the settled model is taken by its service: a request that costs nothing."""

from tah_jupyter.jupyter.doctor.finding import Finding, Here
from tah_jupyter.models.choose import ModelSpec
from tah_jupyter.models.key_check import KeyCheck, check_endpoint_key, check_key
from tah_jupyter.models.providers import providers

__all__ = ["tried"]


async def tried(here: Here, chosen: ModelSpec, where: str) -> Finding:
    """What came of it; ``where`` says where the key is kept."""
    values = {"variable": chosen.key_env, "where": where}
    key = here.keys.get(chosen.key_env, "").strip()
    if not key:
        return here.find("key", "note", "doctor_key_unread", "%tah key", **values)
    check = await _ask(here, chosen, key)
    if check.outcome == "works":
        return here.find("key", "good", "doctor_key_works", **values)
    if check.outcome == "refused":
        return here.find("key", "problem", "doctor_key_refused", "%tah key", cause=check.cause, **values)
    return here.find("key", "unknown", "doctor_key_unchecked", cause=check.cause, **values)


async def _ask(here: Here, chosen: ModelSpec, key: str) -> KeyCheck:
    provider = next((each for each in providers() if each.key_variable({chosen.key_env: key})), None)
    if provider is not None and chosen.name not in here.config.models:
        return await check_key(provider, key, here.environ)
    return await check_endpoint_key(chosen.base_url, chosen.key_env, key)
