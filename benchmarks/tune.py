"""How often the extra tune finds a hidden optimum: `python benchmarks/tune.py [SEARCHES]`, 100
unless told.

Each row is a number of parameters of 20 values each, and of steps of 10 pairings. Matches are
played by dice from the Elo difference of the two points; the loss is the square of the distance to
the optimum, 600 points from end to end. A search has found the optimum if its result is less than
25 points weaker. The table is that of docs/extras/tune.md.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.extras.tune.test_spsa import tuned

PAIRINGS = 10
ROWS = ((1, 40), (2, 60), (6, 100))


def main(searches: int) -> None:
    """Print the table."""
    print("| parameters | steps of 10 pairings | matches | found |\n|---|---|---|---|")
    for parameters, steps in ROWS:
        weaker = [tuned(seed, parameters, steps, PAIRINGS) for seed in range(searches)]
        found = sum(points < 25 for points in weaker)
        print(
            f"| {parameters} | {steps} | {2 * PAIRINGS * steps} | {found} of {searches} |",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
