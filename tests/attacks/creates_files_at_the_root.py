"""Makes a file in /."""

from attack import attack, target


@attack
def _():
    open(f"/{target.tag}", "w").close()
