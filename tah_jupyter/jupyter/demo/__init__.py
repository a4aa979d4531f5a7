"""``python -m tah_jupyter.jupyter.demo``: the main job in a real kernel, checked from outside."""
