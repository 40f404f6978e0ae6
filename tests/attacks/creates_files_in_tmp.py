"""Makes a file in /tmp."""

from attack import attack, target


@attack
def _():
    open(f"/tmp/{target.tag}", "w").close()
