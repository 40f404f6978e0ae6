"""Reads the referee's own program."""

from attack import attack, read, target, tell


@attack
def _():
    tell(read(target.arena_file))
