"""The dummy bot of `arena doctor`: it computes for a fixed CPU time, and plays the first legal move.

Run as a script with one argument, the seconds of CPU. Standard library only: it sees what a bot
sees.
"""

import sys
import time


def main() -> None:
    """Answer until the match ends."""
    seconds, legal = float(sys.argv[1]), ""
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "ready?":
            print("ready", flush=True)
        elif word == "legal":
            legal = legal or rest
        elif word == "go":
            until = time.process_time() + seconds
            while time.process_time() < until:
                pass
            print(legal, flush=True)
            legal = ""


if __name__ == "__main__":
    main()
