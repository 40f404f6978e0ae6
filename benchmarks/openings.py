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


def row(folder: Path, repeats: int, plies: int, bots: tuple[str, ...] = ()) -> None:
    """Play an event, or the rest of one with fewer repeats, and print how well it tells its bots
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
    print(
        f"{repeats:>7}{plies:>7}{played.finished:>9}{played.finished - ratings.repeated:>11}"
        f"{spread:>8.2f}{width:>8.2f}"
        f"{width / spread:>14.2f}{pairs:>13}",
        flush=True,
    )


def main(repeats: int) -> None:
    """Print both tables."""
    head = (
        f"{'repeats':>7}{'plies':>7}{'matches':>9}{'different':>11}"
        f"{'spread':>8}{'width':>8}{'width/spread':>14}"
    )
    folder = Path(tempfile.mkdtemp(prefix="openings-"))
    try:
        print(
            f"{', '.join(ALIKE)}: strengths and 95 % intervals in logits\n{head}{'pairs apart':>13}"
        )
        for plies in (0, 4):
            for count in (1, repeats, 4 * repeats) if plies else (1, repeats):
                row(folder, count, plies, ALIKE)
        print(f"\nall bots\n{head}{'pairs apart':>13}")
        for plies in PLIES:
            row(folder, repeats, plies)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
