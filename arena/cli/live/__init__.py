"""A match on a terminal, live: whole frames out, keys and words in. It knows no command."""
