"""Takes memory piece by piece (here: 400 MB of the 256 that it may)."""

from attack import bomb, kept


@bomb
def _():
    for _ in range(40):
        kept.append(b"x" * 10**7)
