"""What a scripted model plays: its steps in Python, and the same in a JSON file."""
