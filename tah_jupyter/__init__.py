"""A coding agent inside the notebook kernel."""
