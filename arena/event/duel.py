"""A duel: an event of two bots that ends as soon as a sequential test has decided which is better.

The test is in results/sequential.py. A duel that was stopped goes on from its stored matches, and a duel that was
decided is decided again without a match.
"""

# A duel is a round robin of two bots with as many repeats as the limit of pairings allows, which is stopped as soon as
# the test has decided. It needs no schedule of its own: the plan is that of the event, and only whoever asks
# `Duel.is_over` reads results. Lanes finish matches in any order, so a round counts when all rounds before it are
# complete: else quick matches would count first, and who wins quickly would decide. Matches of later rounds that are
# done by then stay stored and do not count; with another question they may. For the same reason a match that arena gave
# up ends the duel for now: to leave its round out would be a choice that the match itself made.

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from arena.errors import ArenaError
from arena.event import plan, schedules
from arena.games import openings, rulebook
from arena.results.archive import Archive
from arena.results.sequential import SequentialTest, difference, elo_of_points, points_of_elo
from arena.values import Board, Ending, Event, Openings, Played

OPENING_PLIES = 6  # lead to 60 to 800 different states on the shipped boards; 4 plies to 20 to 150


@dataclass(frozen=True)
class Scale:
    """A unit for differences."""

    unit: str
    to_points: Callable[[float], float]
    of_points: Callable[[float], float]

    def text(self, points: float) -> str:
        """Return a difference in points as text in this unit, with its sign."""
        return f"{self.of_points(points) + 0.0:+.1f}"


POINTS = Scale("points", float, float)
ELO = Scale("Elo", points_of_elo, elo_of_points)


class Duel:
    """The test of a duel, and the matches of rounds that do not count yet."""

    def __init__(self, event: Event, names: tuple[str, str], test: SequentialTest, scale: Scale) -> None:
        self.event, self.names, self.test, self.scale = event, names, test, scale
        self.round_matches = sum(schedules.find(event.schedule).count(replace(event, repeats=1)).values())
        self.faults: Counter[tuple[str, Ending]] = Counter()
        """Seats at fault in the rounds that count, by bot and ending."""
        self._waiting: dict[int, list[Played]] = {}

    @property
    def pairings_a_round(self) -> int:
        """The number of pairings in one round: one on each board, and on each variant of a board that is sampled."""
        return sum(board.variants for board in self.event.boards)

    @property
    def rounds(self) -> int:
        """The number of rounds that count."""
        return len(self.test.differences)

    @property
    def pairings(self) -> int:
        """The number of pairings that count."""
        return self.rounds * self.pairings_a_round

    @property
    def is_over(self) -> bool:
        """True if the test has decided, or no more rounds may be played."""
        return self.test.decision is not None or self.rounds == self.event.repeats

    def add(self, match: Played) -> None:
        """Count a match as soon as its round and all rounds before it are complete."""
        self._waiting.setdefault(self.event.repeat_of(match), []).append(match)
        while not self.is_over and len(self._waiting.get(self.rounds, ())) == self.round_matches:
            matches = self._waiting.pop(self.rounds)
            self.faults.update((done.seats[role], ending) for done in matches for role, ending in done.endings.items())
            self.test.add(difference(matches, *self.names))

    def add_stored(self, archive: Archive) -> None:
        """Count the matches that are stored already."""
        for match in archive.played_of([match.id for match in plan.Plan(self.event, archive).stored()]):
            self.add(match)


def refusals(event: Event) -> Iterator[tuple[Board, str]]:
    """Yield the boards on which the two bots cannot meet in every role, with the reason."""
    for board in event.boards:
        misses = [
            f"{bot.name} does not play {role}"
            for bot in event.bots
            for role in board.roles
            if not bot.plays(board.game, board.name, role)
        ]
        if not misses and not sum(schedules.find(event.schedule).count(replace(event, boards=(board,))).values()):
            misses = [f"it has {len(board.sides)} sides, and a duel has two bots"]
        if misses:
            yield board, f"{board.label}: {misses[0]}"


def with_openings(event: Event) -> Event:
    """Return the event with sampled openings: else bots that play the same each time would repeat one pairing for ever.

    ArenaError where a board is over too soon for them. Openings are drawn without repetition until a board has no more;
    if pairings repeat after that, the answer is about the mean over the openings of the board.
    """
    for board in event.boards:
        try:
            openings.refuse_rare(rulebook.game_of(board), OPENING_PLIES)
        except ArenaError as error:
            raise ArenaError(f"{board.label}: {error}") from error
    return replace(event, openings=Openings(plies=OPENING_PLIES))
