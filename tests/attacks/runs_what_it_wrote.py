"""Copies a program into its scratch folder and becomes it."""

import os
import shutil

from attack import attack, scratch


@attack
def _():
    with (
        open("/bin/sh", "rb") as shell,
        open(os.open(f"{scratch}/program", os.O_CREAT | os.O_WRONLY, 0o700), "wb") as new,
    ):
        shutil.copyfileobj(shell, new)
    os.execv(f"{scratch}/program", ["sh", "-c", "read line; echo ready; read line; read line"])
