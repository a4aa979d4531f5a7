"""Commands before and after they run: reading argv, finding the program, what cannot be taken back, output as text."""
