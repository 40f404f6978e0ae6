"""Takes memory in files that have no name (memfd_create), which nobody's memory counts (here: 20 of
3 MB).
"""

import os

from attack import bomb, call, held


@bomb
def _():
    for _ in range(20):
        held.append(call("memfd_create", b"hidden", 0))
        os.write(held[-1], bytes(3_000_000))
