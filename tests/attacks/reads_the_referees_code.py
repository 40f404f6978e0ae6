"""Reads the referee's own program, where that is not installed among the packages of the bot's
interpreter.
"""

from attack import attack, read, target, tell


@attack
def _():
    tell(read(target.arena_file)[:1000])
