"""Storage: the only room that says Redis, with the client, the keys, the text of entries and the scripts."""
