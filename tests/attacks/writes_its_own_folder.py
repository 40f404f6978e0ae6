"""Writes into its own folder."""

from attack import attack


@attack
def _():
    open("written.txt", "w").close()
