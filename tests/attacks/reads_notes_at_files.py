"""Reads an extended attribute of a file outside, in which others may keep notes."""

import os

from attack import attack, target, tell


@attack
def _():
    tell(os.getxattr(target.canary, "user.note"))
