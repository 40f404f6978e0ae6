"""Opens a socket by its number of the x32 ABI."""

from attack import attack, checked, kept, libc, target


@attack
def _():
    kept.append(checked(libc.syscall(0x40000000 + target.numbers["socket"], 1, 1, 0)))
