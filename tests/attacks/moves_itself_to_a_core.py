"""Takes another set of cores than it was given."""

import os

from attack import attack, target


@attack
def _():
    os.sched_setaffinity(0, {target.core})
