"""A match on a terminal, live: whole frames out, keys and lines in. It imports no command."""
