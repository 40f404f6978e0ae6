"""Tells its accomplice something by files in its own scratch folder, which the other may not open, but look for."""

import os

from attack import attack, scratch, target, tell


@attack
def _():
    if target.message:
        for place, bit in enumerate(target.message):
            if bit == "1":
                open(f"{scratch}/bit{place}", "w").close()
    else:
        room, name = os.path.split(os.path.dirname(scratch))
        kind = name.rstrip("0123456789")
        for number in range(1, int(name[len(kind) :]) + 40):
            if f"{kind}{number}" != name:
                found = [os.path.exists(f"{room}/{kind}{number}/scratch/bit{place}") for place in range(16)]
                if any(found):
                    tell("".join("01"[one] for one in found))
