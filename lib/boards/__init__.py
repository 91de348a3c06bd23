"""Boards: what `boards.toml` may say of each, and the periods of its windows."""
