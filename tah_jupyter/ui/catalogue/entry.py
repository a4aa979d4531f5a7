"""What a catalogue holds."""

from typing import TypeAlias

__all__ = ["Entry"]

Entry: TypeAlias = str | tuple[str, str]
"""A template for ``str.format``; a pair is the form for one and the form for any other number ``n``."""
