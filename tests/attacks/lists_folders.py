"""Lists a folder of the organiser's."""

import os

from attack import attack, target, tell


@attack
def _():
    tell(os.listdir(target.folder))
