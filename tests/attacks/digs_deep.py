"""Makes folders in folders (here: 1,500 deep; allowed are 300)."""

import os

from attack import bomb, scratch


@bomb
def _():
    os.chdir(scratch)
    for _ in range(1500):
        os.mkdir("d")
        os.chdir("d")
