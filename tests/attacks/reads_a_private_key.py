"""Reads ~/.ssh/id_ed25519 of the organiser, which nobody else may read."""

from attack import attack, read, target, tell


@attack
def _():
    tell(read(target.private_key))
