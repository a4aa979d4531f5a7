"""Processes: started in a group of their own, drained, and ended with everything they started."""
