"""Makes empty file after empty file (here: 600; allowed are 300)."""

import os

from attack import bomb, scratch


@bomb
def _():
    for number in range(600):
        os.close(os.open(f"{scratch}/{number}", os.O_CREAT | os.O_WRONLY))
