"""Ways to a language model, one file each."""
