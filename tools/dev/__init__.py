"""Dev: `make dev`, with the functions, the static files and a store in one stack, and players to fill it."""
