"""Changes the mode of a file outside."""

import os

from attack import attack, target


@attack
def _():
    os.chmod(target.canary, 0o777)
