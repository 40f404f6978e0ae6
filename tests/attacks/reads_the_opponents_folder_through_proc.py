"""Opens its opponent's files by way of /proc/PID/cwd."""

from attack import attack, read, target, tell


@attack
def _():
    tell(read(f"/proc/{target.opponent}/cwd/secret.txt"))
