"""Submitting: the write path, from a well-formed body to what its run came to in each standing."""
