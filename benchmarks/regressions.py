"""How often `arena duel --bisect` finds a known culprit:
`python benchmarks/regressions.py [HISTORIES]`, 100 by default.

Each row is a number of versions and a loss in points. In a history one version loses that, and all
others are as good as the one before. Matches are dice, two a pairing, each won or lost. Beside it
stands what it takes to play every version against the one before with the same allowed errors. The
table is that of docs/extras/versions.md.
"""

import sys
from pathlib import Path
from statistics import mean

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.extras.versions.bisection import Answer
from tests.extras.versions.test_bisection import Dice, culprit_in, found, neighbours

ROWS = ((9, 10.0), (9, 20.0), (9, 40.0), (33, 20.0), (33, 40.0))


def main(histories: int) -> None:
    """Print the table."""
    print("| versions | loss | found | wrong | matches | matches of all neighbours |")
    print("|---|---|---|---|---|---|")
    for versions, loss in ROWS:
        right = 0
        wrong = 0
        matches = []
        matches_of_neighbours = []
        for seed in range(histories):
            strengths, culprit = culprit_in(seed, versions, loss)
            dice = Dice(strengths, seed)
            result = found(dice)
            if result.answer is Answer.FOUND:
                right += result.culprit == culprit
                wrong += result.culprit != culprit
            matches.append(2 * dice.pairings)
            others = Dice(strengths, seed)
            neighbours(others)
            matches_of_neighbours.append(2 * others.pairings)
        print(
            f"| {versions} | {loss:g} | {right} of {histories} | {wrong} "
            f"| {mean(matches):.0f} | {mean(matches_of_neighbours):.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
