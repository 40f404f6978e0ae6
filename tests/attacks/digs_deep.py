"""Makes folders in folders (here: 5,000 deep; allowed are 1,000)."""

import os

from attack import bomb, scratch


@bomb
def _():
    os.chdir(scratch)
    for _ in range(5000):
        os.mkdir("d")
        os.chdir("d")
