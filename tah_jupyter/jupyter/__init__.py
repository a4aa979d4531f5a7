"""The kernel's side: magics, cells, the agent's thread, completion."""
