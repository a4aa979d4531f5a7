"""What may run: the gate, its rules and grants, and who answers for a person."""
