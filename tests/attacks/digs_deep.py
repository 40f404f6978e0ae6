"""Makes folders in folders (here: 600 deep; allowed are 300)."""

import os

from attack import bomb, scratch


@bomb
def _():
    os.chdir(scratch)
    for _ in range(600):
        os.mkdir("d")
        os.chdir("d")
