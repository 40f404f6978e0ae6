"""Opens its opponent's output by way of /proc/PID/fd and says something there."""

from attack import attack, target, write


@attack
def _():
    write(f"/proc/{target.opponent}/fd/1", f"{target.tag}\n")
