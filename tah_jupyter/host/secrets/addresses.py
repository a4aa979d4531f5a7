"""Addresses as they may be shown. Light: this is imported at load."""

import re

__all__ = ["without_credentials"]


def without_credentials(address: str) -> str:
    """``address`` as it may be shown: without the name and password that stand before an ``@``, also in one that is
    misspelt.

    >>> without_credentials("http://me:s3cr3t/x@gpu-1:8000/v1"), without_credentials("htp:/me:s3cr3t@gpu-1")
    ('http://gpu-1:8000/v1', 'htp:/gpu-1')
    """
    scheme, place = re.fullmatch(r"((?:[A-Za-z][A-Za-z0-9+.-]*:(?=/))?/*)(.*)", address, re.DOTALL).groups()  # type: ignore[union-attr]
    return f"{scheme}{place.rpartition('@')[2]}"
