"""Takes every right from its own folders, so that they are hard to look into and to remove."""

import os

from attack import bomb, scratch


@bomb
def _():
    os.umask(0o777)
    os.makedirs(f"{scratch}/closed", exist_ok=True)
    os.rename(f"{scratch}/closed", f"{scratch}/shut")
    open(f"{scratch}/unreadable", "w").close()
