"""Makes a file in /dev/shm, as POSIX shared memory does."""

from attack import attack, target


@attack
def _():
    open(f"/dev/shm/{target.tag}", "w").close()
