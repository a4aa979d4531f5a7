"""Secrets: which values are secret, what tokens look like, masking whole texts and streams."""
