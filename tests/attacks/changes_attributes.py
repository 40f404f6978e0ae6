"""Sets an extended attribute on a file outside."""

import os

from attack import attack, target


@attack
def _():
    os.setxattr(target.canary, "user.note", b"spoilt")
