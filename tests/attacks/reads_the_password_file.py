"""Reads /etc/passwd."""

from attack import attack, read, tell


@attack
def _():
    tell(read("/etc/passwd"))
