"""The words of each language, one module each, all with the same keys."""
