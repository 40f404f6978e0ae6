"""Gives a file outside a second name in its scratch folder."""

import os

from attack import attack, scratch, target


@attack
def _():
    os.link(target.canary, f"{scratch}/link")
