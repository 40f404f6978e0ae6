"""Leagues of bots whose true strengths are known, played by dice, and single matches: what ratings are tested on."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
from hypothesis import strategies as st

from arena.event import Played
from arena.ratings.fitting.columns import UNKNOWN, Columns, Place

DUEL = (Place("maze/duel", "explorer", 0), Place("maze/duel", "mummy", 1))
TRIO = (Place("pac/classic", "pacman", 0), Place("pac/classic", "blinky", 1), Place("pac/classic", "inky", 1))


@dataclass(frozen=True, kw_only=True, eq=False)
class League:
    """Bots with a strength for each place, and the advantage of each place; all in logits."""

    places: tuple[Place, ...]
    strength: np.ndarray
    """bots x places."""
    advantage: np.ndarray

    @property
    def truth(self) -> np.ndarray:
        """Each bot's mean strength, the average bot at 0."""
        means = self.strength.mean(axis=1)
        return means - means.mean()

    @property
    def bots(self) -> tuple[str, ...]:
        return tuple(f"bot{number:02}" for number in range(len(self.strength)))


def league(random, bots=12, boards=(DUEL,), spread=1.0, special=0.5, advantage=0.7) -> League:
    """Strengths drawn from normal distributions: `spread` for a bot's mean, `special` for what is its own in a role."""
    places = tuple(place for board in boards for place in board)
    strength = spread * random.standard_normal((bots, 1)) + special * random.standard_normal((bots, len(places)))
    sides = np.array([1 if place.side == 0 else -1 for place in places])
    return League(places=places, strength=strength, advantage=advantage * sides * random.choice([-1, 1]))


def seatings(places: tuple[Place, ...], bots: int, kind="sides") -> np.ndarray:
    """Every seating, a row each: one bot a side, or with `distinct` one a role."""
    count = len({place.side for place in places}) if kind == "sides" else len(places)
    rows = np.array(list(permutations(range(bots), count)))
    return rows[:, [place.side for place in places]] if kind == "sides" else rows


def expected(league: League, at: list[int], rows: np.ndarray) -> np.ndarray:
    """The chance, or mean score, of each role of each seating; `at` are the board's places."""
    side = np.array([league.places[place].side for place in at])
    own = np.stack([league.strength[rows[:, k], place] for k, place in enumerate(at)], axis=1)
    means = np.stack([own[:, side == one].mean(axis=1) for one in (0, 1)], axis=1)
    logit = league.advantage[at] + np.where(side == 0, 1, -1) * (means[:, [0]] - means[:, [1]])
    return 1 / (1 + np.exp(-logit))


def scored(random, chances: np.ndarray, kind: str) -> np.ndarray:
    """Scores of 0 to 100 with these means: `won` or lost, with `drawn` ones between, or `graded`."""
    if kind == "won":
        return 100 * (random.random(chances.shape) < chances)
    if kind == "drawn":
        half = np.minimum(chances, 1 - chances)
        dice = random.random(chances.shape)
        return 50 * ((dice < chances - half / 2).astype(int) + (dice < chances + half / 2))
    return np.rint(100 * random.beta(4 * chances, 4 * (1 - chances))).astype(int)


def play(random, league: League, *, repeats=1, kind="won", chosen=None, seating="sides", fixed=False) -> Columns:
    """Play every seating `repeats` times; `chosen(rows)` picks seatings, `fixed` bots play each the same every time."""
    parts, transcripts, seeds, start = [], [], [], 0
    labels = list(dict.fromkeys(place.label for place in league.places))
    for number, label in enumerate(labels):
        at = [k for k, place in enumerate(league.places) if place.label == label]
        rows = seatings(tuple(league.places[k] for k in at), len(league.strength), seating)
        rows = rows if chosen is None else rows[chosen(rows)]
        chances = expected(league, at, rows)
        times = 1 if fixed else repeats
        first = scored(random, np.repeat(chances[:, :1], times, axis=0), kind)
        last = 100 - first if len(at) == 2 else scored(random, np.repeat(chances[:, 1:2], times, axis=0), "won")
        scores = np.repeat(np.hstack((first, *[last] * (len(at) - 1))), repeats if fixed else 1, axis=0)
        seats = np.repeat(rows, repeats, axis=0)
        count, repeat = len(seats), np.tile(np.arange(repeats), len(rows))
        sets = [hash((number, *sorted(set(row)))) % 2**40 for row in seats.tolist()]
        seeds.append(np.array(sets) + repeat)
        transcripts.append(np.repeat(np.arange(len(rows)), repeats) if fixed else np.full(count, UNKNOWN))
        match = start + np.repeat(np.arange(count), len(at))
        parts.append((match, seats.ravel(), np.tile(at, count), scores.ravel()))
        start += count
    match, bot, place, score = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Columns(
        bots=league.bots,
        places=league.places,
        seed=np.concatenate(seeds),
        transcript=np.concatenate(transcripts),
        match=match,
        bot=bot,
        place=place,
        score=score,
    )


def pairs_kept(random, bots: int, share: float):
    """A choice of seatings that leaves whole pairs of bots out, so that `share` of them are played."""
    pairs = [(one, other) for one in range(bots) for other in range(one)]
    kept = {pairs[k] for k in random.permutation(len(pairs))[: round(share * len(pairs))]}

    def chosen(rows: np.ndarray) -> np.ndarray:
        return np.array([all(pair in kept for pair in met(row)) for row in rows.tolist()])

    return chosen


def met(row: list[int]) -> Iterable[tuple[int, int]]:
    """The pairs of bots in a seating."""
    members = sorted(set(row), reverse=True)
    return [(one, other) for k, one in enumerate(members) for other in members[k + 1 :]]


SIDES = {
    "solo": (("explorer",),),
    "duel": (("explorer",), ("mummy",)),
    "classic": (("pacman",), ("blinky", "inky")),
    "melee": (("north",), ("east",), ("south",)),
}


def match(board: str, bots: str, *scores: int, seed: int = 1) -> Played:
    """A finished match: `match("duel", "ann bob", 100, 0)`, bots and scores in the board's order of roles."""
    roles = [role for side in SIDES[board] for role in side]
    return Played(
        id=f"{board} {bots} {scores} {seed}",
        game="maze",
        board=board,
        repeat=0,
        seed=seed,
        seats=dict(zip(roles, bots.split(), strict=True)),
        scores=dict(zip(roles, scores, strict=True)),
        reason="escaped",
        endings={},
        sides=SIDES[board],
        turns=7,
    )


@st.composite
def small_events(draw) -> list[Played]:
    boards = st.sampled_from(["solo", "duel", "classic", "melee"])
    found = []
    for number in range(draw(st.integers(1, 12))):
        board = draw(boards)
        seats = sum(len(side) for side in SIDES[board])
        bots = " ".join(draw(st.lists(st.sampled_from("abcde"), min_size=seats, max_size=seats)))
        scores = draw(st.lists(st.integers(0, 100), min_size=seats, max_size=seats))
        found.append(replace(match(board, bots, *scores, seed=draw(st.integers(1, 3))), id=str(number)))
    return found
