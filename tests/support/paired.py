"""Simulated events of the schedules that look at results: matches decided by dice, in any order of
finishing.
"""

import math
import random
from collections.abc import Mapping, Sequence

from arena.values import Batch, Board, Bot, Event, Match, Played
from tests.support.finished import result_of

DUEL = Board(
    game="maze",
    name="duel",
    rules="maze.py",
    digest="d1",
    roles=("fox", "dog"),
    sides=(("fox",), ("dog",)),
)
HUNT = Board(
    game="park",
    name="hunt",
    rules="park.py",
    digest="d2",
    roles=("hare", "cat", "dog"),
    sides=(("hare",), ("cat", "dog")),
)


def bot(name: str, **more) -> Bot:
    return Bot(name=name, command=("x",), digest=f"digest of {name}", **more)


def event(schedule: str, bots: int | Sequence[Bot], boards=(DUEL,), **more) -> Event:
    """An event of this number of bots, `bot000` being the first seed."""
    entered = (
        tuple(bot(f"bot{number:03}") for number in range(bots))
        if isinstance(bots, int)
        else tuple(bots)
    )
    order = tuple(each.name for each in entered)
    return Event(
        name="cup",
        seed=5,
        boards=boards,
        bots=entered,
        schedule=schedule,
        **{"seed_order": order} | more,
    )


def strengths(event: Event, seed: int = 1, spread: float = 1.5) -> dict[str, float]:
    """A normally distributed strength for each bot."""
    dice = random.Random(seed)
    return {each.name: dice.gauss(0, spread) for each in event.bots}


def result(
    match: Match, sides, strength: Mapping[str, float], draws: float = 0.0, turns=None
) -> Played:
    """The result of a match: dice that depend on its id alone, so that it is the same whenever it
    is played.
    """
    dice = random.Random(match.id)
    seats = {seat.role: seat.bot.name for seat in match.seats}
    one, other = (seats[side[0]] for side in sides)
    chance = 1 / (1 + math.exp(strength[other] - strength[one]))
    score = 50 if dice.random() < draws else 100 * (dice.random() < chance)
    scores = {
        role: value
        for side, value in zip(sides, (score, 100 - score), strict=True)
        for role in side
    }
    return result_of(
        match, sides, scores, dice.randint(50, 150) if turns is None else turns(one, other)
    )


class Run:
    """A run of an event: it begins a batch as soon as the schedule may know it, and ends matches in
    a random order.
    """

    def __init__(
        self, event: Event, schedule, play, disk: Mapping[str, Played] | None = None, order: int = 0
    ) -> None:
        self.event, self.schedule, self.play = event, schedule, play
        self.disk = dict(disk or {})
        """The finished matches, in order of finishing."""
        self.plan: list[list[Match]] = []
        self.over = False
        self._dice = random.Random(order)
        self._due: list[Match] = []

    def history(self, batches: int) -> list[Batch] | None:
        """The first batches, or None if a match of them is not finished."""
        ids = [[match.id for match in matches] for matches in self.plan[:batches]]
        if len(ids) < batches or any(each not in self.disk for batch in ids for each in batch):
            return None
        return [tuple(self.disk[each] for each in batch) for batch in ids]

    def begin(self) -> None:
        """Plan all batches that can be known by now."""
        while not self.over:
            number = len(self.plan)
            if (history := self.history(max(0, number - self.schedule.BEHIND))) is None:
                return
            matches = list(self.schedule.batch(self.event, number, history))
            self.over = not matches
            if matches:
                self.plan.append(matches)
                self._due += [match for match in matches if match.id not in self.disk]

    def go_on(self, most: int | None = None) -> "Run":
        """Play a number of matches, or all."""
        self.begin()
        while self._due and most != 0:
            match = self._due.pop(self._dice.randrange(len(self._due)))
            self.disk[match.id] = self.play(match)
            most = None if most is None else most - 1
            self.begin()
        return self

    @property
    def ids(self) -> list[list[str]]:
        """The ids of each batch."""
        return [[match.id for match in matches] for matches in self.plan]

    @property
    def pairs(self) -> list[list[frozenset[str]]]:
        """The pairs of each batch, in the order of its plan."""
        return [
            list(
                dict.fromkeys(frozenset(seat.bot.name for seat in match.seats) for match in matches)
            )
            for matches in self.plan
        ]

    @property
    def batches(self) -> list[Batch]:
        """The results of all batches, when all is played."""
        history = self.history(len(self.plan))
        assert history is not None
        return history


def simulate(
    event: Event,
    schedule,
    *,
    seed: int = 1,
    order: int = 0,
    draws: float = 0.0,
    turns=None,
    spread: float = 1.5,
) -> Run:
    """Play a whole event whose first board has the sides of all others."""
    strength, sides = (
        strengths(event, seed, spread),
        {board.label: board.sides for board in event.boards},
    )

    def play(match: Match) -> Played:
        return result(match, sides[match.label], strength, draws, turns)

    return Run(event, schedule, play, order=order).go_on()
