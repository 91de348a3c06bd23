"""Commands: one command of `python -m tools` a file."""
