"""The loop: prompt in, turns of message and calls, result out. It knows no front end."""
