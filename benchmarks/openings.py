"""How much narrower ratings are with openings: `python benchmarks/openings.py [REPEATS]`, 10 unless told.

The demo event is played with the same bots, seed and number of matches, once without openings and then with some of
each length. Nearly all of its bots play the same each time, so without openings the repeats are copies.

Openings also bring luck, since some of them are good for one role, so that the strengths move together a little. So
the width of the intervals is also shown beside the spread of the strengths (their standard deviation), and beside the
number of pairs of bots of which one is surely the stronger.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

from arena.event import config, tournament
from arena.results.leaderboard import Results
from arena.sandbox import cores
from arena.values import Abort, Fault, Record

ROOT = Path(__file__).parent.parent
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


def main(repeats: int) -> None:
    """Play the events, and print a row for each."""
    folder = Path(tempfile.mkdtemp(prefix="openings-"))
    print(f"the demo, {repeats} repeats; strengths and 95 % intervals in logits")
    print(
        f"{'plies':>5}{'matches':>9}{'different':>11}{'spread':>8}{'width':>8}{'width/spread':>14}{'pairs apart':>13}"
    )
    try:
        for plies in PLIES:
            settings = {"repeats": repeats, "openings.plies": plies, "name": f"plies{plies}"}
            event = config.load(ROOT / "tournament.toml", settings).event(ROOT)
            lanes = cores.matches_at_once(event, len(cores.available()))
            played = tournament.run(event, folder / event.name, workers=lanes, audience=Silent())
            ratings = Results.open(folder / event.name).ratings
            values = np.array([rating.strength for rating in ratings.ratings])
            assert played.complete
            assert np.isfinite(values).all()
            spread, width = values[:, 0].std(), (values[:, 2] - values[:, 1]).mean()
            apart = int((ratings.better >= SURE).sum())
            pairs = len(values) * (len(values) - 1) // 2
            print(
                f"{plies:>5}{played.finished:>9}{played.finished - ratings.repeated:>11}{spread:>8.2f}{width:>8.2f}"
                f"{width / spread:>14.2f}{f'{apart} of {pairs}':>13}",
                flush=True,
            )
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
