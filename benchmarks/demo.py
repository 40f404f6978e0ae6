"""Whether the demo tells its bots apart, seed by seed: `python benchmarks/demo.py [SEED ...]`.

`tiers`: those of the bots that play the game, best first; two bots of one tier cannot be told apart
from the best of them. The smallest chance is that of a bot being better than the next one.
"""

import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from openings import ROOT, Silent
from tables import print_table

from arena import system
from arena.event import config, tournament
from arena.results.leaderboard import Results
from arena.sandbox import cores

SEEDS = (1, 2, 3, 4, 5, 7, 2026)


def rows(seeds: list[int]) -> Iterator[list[object]]:
    """Yield a row for each seed and game."""
    for seed in seeds:
        with tempfile.TemporaryDirectory(prefix="demo-") as name:
            event = config.load(ROOT / "tournament.toml", {"seed": seed}).event(ROOT)
            lanes = cores.matches_at_once(event, len(system.cores()))
            folder = Path(name) / event.name
            played = tournament.run(event, folder, workers=lanes, audience=Silent())
            for league in Results.open(folder).leagues:
                yield [seed, played.finished, league.game, *of_league(league)]


def of_league(league: Results) -> list[str]:
    """Return the order, the tiers and the smallest chance of the bots of a game."""
    table = league.leaderboard()
    names = [*table["bot"]]
    frame = league.chance_better()
    chance = dict(
        zip(zip(frame["bot"], frame["opponent"], strict=True), frame["chance"], strict=True)
    )
    smallest = min(chance[pair] for pair in pairwise(names))
    return [", ".join(names), " ".join(map(str, table["tier"])), f"{smallest:.1%}"]


if __name__ == "__main__":
    asked = [int(word) for word in sys.argv[1:]] or [*SEEDS]
    head = ["seed", "matches", "game", "order", "tiers", "smallest chance"]
    print_table("The demo, by seed", head, rows(asked))
