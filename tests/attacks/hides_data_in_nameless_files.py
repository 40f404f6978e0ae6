"""Makes files that never had a name (O_TMPFILE) and fills them (here: 6 of 3 MB, of the 4 that it
may).
"""

import os

from attack import bomb, held, scratch


@bomb
def _():
    for _ in range(6):
        held.append(os.open(scratch, os.O_TMPFILE | os.O_RDWR))
        os.write(held[-1], bytes(3_000_000))
