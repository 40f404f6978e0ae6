"""Reads some files of the kit and not others; in the next match the times of their last reading are
the note.
"""

import glob
import os

from attack import attack, read, target, tell


@attack
def _():
    files = sorted(glob.glob(os.environ["PYTHONPATH"] + "/rules/note*.toml"))
    if target.message:
        for bit, file in zip(target.message, files, strict=False):
            if bit == "1":
                read(file)
    else:
        tell("".join("01"[os.stat(file).st_atime_ns > os.stat(file).st_mtime_ns] for file in files))
