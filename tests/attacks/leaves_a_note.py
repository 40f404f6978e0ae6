"""Writes a note wherever it can, and looks in the next match for what it wrote in the last."""

import os

from attack import attack, read, scratch, target, tell, write

PLACES = (
    scratch,
    ".",
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    os.path.dirname(scratch),
    os.path.join(scratch, "../.."),
)


@attack
def _():
    os.umask(0)
    for place in PLACES:
        try:
            if target.message:
                write(f"{place}/{target.note}", target.message)
            else:
                tell(read(f"{place}/{target.note}"))
        except OSError:
            continue
