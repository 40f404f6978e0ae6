"""Opens a file of its opponent whose path it knows."""

from attack import attack, read, target, tell


@attack
def _():
    tell(read(target.opponent_file))
