"""Writes file after file into its scratch folder (here: up to 20 MB of the 4 that it may)."""

from attack import bomb, scratch


@bomb
def _():
    for number in range(20):
        with open(f"{scratch}/{number}", "wb") as file:
            file.write(bytes(1_000_000))
