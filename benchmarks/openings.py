"""What openings bring: `python benchmarks/openings.py [REPEATS]`, 10 unless told.

The bots of the demo play on the boards BOARDS, each the same in every repeat. First those bots that
play the same each time: what more repeats bring without openings, and with openings of four plies.
Then all bots, with openings of several lengths, always with the same number of matches.

Openings bring luck, too: some of them are good for one role, whoever plays it, so that the
strengths move together. So the width of the intervals is shown beside the spread of the strengths
(their standard deviation), and beside the number of pairs of bots of which one is surely the
stronger.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from tables import print_table

from arena import system
from arena.event import config, tournament
from arena.results.leaderboard import Results
from arena.results.ratings import elo
from arena.sandbox import cores
from arena.values import Abort, Fault, Record

ROOT = Path(__file__).parent.parent
BOARDS = ["mummy_maze/hunt", "mummy_maze/duel", "pacman/classic"]
ALIKE = (
    "careful",
    "oracle",
    "pacmaster",
    "planner",
    "walker",
)  # all bots but dice, hungry and sampler
PLIES = (0, 2, 4, 8)
SURE = 0.975  # the chance of being stronger from which on two bots count as told apart


class Silent:
    """An audience that says nothing."""

    def begins(self, planned: int, finished: int) -> None:
        """Say nothing."""

    def absent(self, bot: str, fault: Fault) -> None:
        """Say nothing."""

    def finished(self, record: Record) -> None:
        """Say nothing."""

    def aborted(self, abort: Abort) -> None:
        """Say nothing."""


def row(folder: Path, repeats: int, plies: int, bots: tuple[str, ...] = ()) -> list[str]:
    """Play an event, or the rest of one with fewer repeats; return how well it tells its bots
    apart.
    """
    name = f"{len(bots)}-bots-{plies}-plies"
    settings = {"boards": BOARDS, "repeats": repeats, "openings.plies": plies, "name": name}
    event = config.load(ROOT / "tournament.toml", settings).event(ROOT, bots=bots)
    lanes = cores.matches_at_once(event, len(system.cores()))
    played = tournament.run(event, folder / event.name, workers=lanes, audience=Silent())
    assert played.complete
    ratings = Results.open(folder / event.name).ratings
    values = np.array([elo.logits(rating.strength) for rating in ratings.ratings])
    spread, width = values[:, 0].std(), (values[:, 2] - values[:, 1]).mean()
    pairs = f"{(ratings.better >= SURE).sum()} of {len(values) * (len(values) - 1) // 2}"
    return [
        str(repeats),
        str(plies),
        str(played.finished),
        str(played.finished - ratings.repeated),
        f"{spread:.2f}",
        f"{width:.2f}",
        f"{width / spread:.2f}",
        pairs,
    ]


def main(repeats: int) -> None:
    """Print both tables."""
    head = ["repeats", "plies", "matches", "different", "spread", "width", "width / spread"]
    head.append("pairs apart")
    folder = Path(tempfile.mkdtemp(prefix="openings-"))
    try:
        alike = [(1, 0), (repeats, 0), (1, 4), (repeats, 4), (4 * repeats, 4)]
        rows = (row(folder, count, plies, ALIKE) for count, plies in alike)
        print_table(f"{', '.join(ALIKE)}: in logits", head, rows)
        rows = (row(folder, repeats, plies) for plies in PLIES)
        print_table("All bots: in logits", head, rows)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
