"""Adds a key to its user's keyring, which outlives it."""

from attack import attack, call, target


@attack
def _():
    call("add_key", b"user", target.tag.encode(), b"note", 4, -4)
