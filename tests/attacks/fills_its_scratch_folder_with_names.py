"""Makes empty file after empty file (here: 1,500; allowed are 300)."""

import os

from attack import bomb, scratch


@bomb
def _():
    for number in range(1500):
        os.close(os.open(f"{scratch}/{number}", os.O_CREAT | os.O_WRONLY))
