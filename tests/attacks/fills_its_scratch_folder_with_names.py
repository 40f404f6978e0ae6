"""Makes empty file after empty file (here: 5,000; allowed are 1,000)."""

import os

from attack import bomb, scratch


@bomb
def _():
    for number in range(5000):
        os.close(os.open(f"{scratch}/{number}", os.O_CREAT | os.O_WRONLY))
