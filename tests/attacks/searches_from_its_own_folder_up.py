"""Walks up from its own folder and reads whatever files lie in other bots' folders."""

import os

from attack import attack, read, scratch, tell


@attack
def _():
    for folder, _, names in os.walk(os.path.join(scratch, "../../..")):
        for name in names:
            if name == "secret.txt":
                tell(read(os.path.join(folder, name)))
