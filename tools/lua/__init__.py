"""Lua: the formatter and the linter of the scripts."""
