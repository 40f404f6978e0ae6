"""Takes memory piece by piece (here: 100 MB of the 64 that it may)."""

from attack import bomb, held


@bomb
def _():
    for _ in range(10):
        held.append(b"x" * 10**7)
