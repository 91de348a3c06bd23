"""Tools: what developers and operators run on their own machine; nothing of it is ever deployed."""
