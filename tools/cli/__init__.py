"""Command line: the operator's commands, and what they share."""
