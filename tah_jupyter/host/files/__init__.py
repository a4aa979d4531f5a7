"""Workspace files: where a path leads, opening what was checked, atomic writes, encodings, what was read."""
