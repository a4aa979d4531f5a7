"""The session log, what it means on replay, and where sessions are kept."""
