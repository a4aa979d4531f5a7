"""Listing and searching: the pruned walk, gitignore, the pattern language, ripgrep as a sieve."""
