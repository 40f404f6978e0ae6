"""Opens a socket by its number of the x32 ABI."""

from attack import attack, checked, held, libc, target


@attack
def _():
    held.append(checked(libc.syscall(0x40000000 + target.numbers["socket"], 1, 1, 0)))
