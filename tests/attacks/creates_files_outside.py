"""Makes a file in a folder of the organiser's."""

from attack import attack, target


@attack
def _():
    open(f"{target.folder}/created", "w").close()
