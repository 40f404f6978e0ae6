"""Tells its accomplice something by files in its own scratch folder, which the other may not open,
but look for.
"""

import os

from attack import attack, scratch, target, tell


@attack
def _():
    if target.message:
        for place, bit in enumerate(target.message):
            if bit == "1":
                open(f"{scratch}/bit{place}", "w").close()
    else:
        folder, name = os.path.split(scratch)
        kind = name.rstrip("0123456789abcdef")
        try:
            rooms = os.listdir(folder)
        except OSError:  # then it can only guess
            rooms = [f"{kind}{number}" for number in range(1, 100)]
        for room in rooms:
            if room != name:
                found = [os.path.exists(f"{folder}/{room}/bit{place}") for place in range(16)]
                if any(found):
                    tell("".join("01"[one] for one in found))
