"""Moves a file outside into its scratch folder."""

import os

from attack import attack, scratch, target


@attack
def _():
    try:
        os.rename(target.canary, f"{scratch}/mine")
    except OSError:  # another file system
        os.rename(target.canary, f"{target.folder}/moved")
