"""Pure values: what crosses between rooms. Nothing here does I/O, starts a thread or knows a front end."""
