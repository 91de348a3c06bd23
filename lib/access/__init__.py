"""Access: who may call, how often, and under which name."""
