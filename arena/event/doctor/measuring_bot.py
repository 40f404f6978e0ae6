"""The dummy bot of `arena doctor`: it computes for a fixed CPU time and plays the first legal move.

It is run as a script with one argument, the seconds of CPU time. It imports the standard library
only, because a bot can import no more of arena than `arena.kit`.
"""

import sys
import time


def main() -> None:
    """Answer until the match ends."""
    seconds = float(sys.argv[1])
    first_legal = ""
    for line in sys.stdin:
        word, _, move = line.rstrip("\n").partition(" ")
        if word == "ready?":
            print("ready", flush=True)
        elif word == "legal":
            first_legal = first_legal or move
        elif word == "go":
            end = time.process_time() + seconds
            while time.process_time() < end:
                pass
            print(first_legal, flush=True)
            first_legal = ""


if __name__ == "__main__":
    main()
