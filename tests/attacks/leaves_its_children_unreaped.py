"""Has 500 children, one after the other, that nobody reaps (here: it may be 3 processes): each
keeps its number.

Every second one leaves a child of its own behind, which then is its spawner's.
"""

import os

from attack import bomb


@bomb
def _():
    for number in range(500):
        child = os.fork()
        if child == 0:
            if number % 2:
                os.fork()
            os._exit(0)
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
