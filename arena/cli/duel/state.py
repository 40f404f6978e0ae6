"""The state of a duel: the rounds that count, the matches that wait to count, and the unit of its differences."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from arena.values import Ending, Event, Played

if TYPE_CHECKING:
    from arena.results.sequential import SequentialTest


@dataclass(frozen=True)
class Scale:
    """A unit for differences."""

    unit: str
    to_points: Callable[[float], float]
    of_points: Callable[[float], float]

    def text(self, points: float) -> str:
        """Return a difference in points as text in this unit, with its sign."""
        return f"{self.of_points(points) + 0.0:+.1f}"


def _points_of_elo(elo: float) -> float:
    from arena.results.sequential import points_of_elo

    return points_of_elo(elo)


def _elo_of_points(points: float) -> float:
    from arena.results.sequential import elo_of_points

    return elo_of_points(points)


POINTS = Scale("points", float, float)
ELO = Scale("Elo", _points_of_elo, _elo_of_points)


class Duel:
    """The test of a duel, and the matches of rounds that do not count yet."""

    def __init__(self, event: Event, names: tuple[str, str], test: "SequentialTest", scale: Scale) -> None:
        from arena.event import schedules

        self.event, self.names, self.test, self.scale = event, names, test, scale
        self.round_matches = sum(schedules.find(event.schedule).count(replace(event, repeats=1)).values())
        self.faults: Counter[tuple[str, Ending]] = Counter()
        """Seats at fault in the rounds that count, by bot and ending."""
        self._waiting: dict[int, list[Played]] = {}

    @property
    def pairings_a_round(self) -> int:
        """The number of pairings in one round: one on each board, and on each variant of a board that is drawn."""
        return sum(board.variants for board in self.event.boards)

    @property
    def rounds(self) -> int:
        """The number of rounds that count."""
        return len(self.test.differences)

    @property
    def is_over(self) -> bool:
        """True if the test has decided, or no more rounds may be played."""
        return self.test.decision is not None or self.rounds == self.event.repeats

    def add(self, match: Played) -> None:
        """Count a match as soon as its round and all rounds before it are complete."""
        from arena.results.sequential import difference

        self._waiting.setdefault(self.event.repeat_of(match), []).append(match)
        while not self.is_over and len(self._waiting.get(self.rounds, ())) == self.round_matches:
            matches = self._waiting.pop(self.rounds)
            self.faults.update((done.seats[role], ending) for done in matches for role, ending in done.endings.items())
            self.test.add(difference(matches, *self.names))
