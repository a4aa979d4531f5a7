"""The demo's parts: a sample project drawn from a seed, the mistakes it looks for, and what it says."""
