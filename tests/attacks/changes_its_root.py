"""Changes its root folder."""

import os

from attack import attack, new_user_namespace, scratch


@attack
def _():
    try:
        new_user_namespace()
    finally:
        os.chroot(scratch)
