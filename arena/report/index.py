"""Numbers for the names that the page says often: bots, boards and roles. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.event import Played
from arena.game import Role
from arena.leaderboard import Results


@dataclass(frozen=True)
class Index:
    """Bots as the leaderboard has them, boards as the event has them."""

    bots: Mapping[str, int]
    boards: Mapping[str, int]
    """By `game/board`."""
    roles: Mapping[str, tuple[Role, ...]]
    """Of each `game/board`, in order of play."""
    sides: Mapping[str, tuple[tuple[Role, ...], ...]]

    @classmethod
    def of(cls, results: Results) -> "Index":
        """The names of an event's results."""
        sides = {match.label: match.sides for match in results.played}
        sides |= {board.label: board.sides for board in results.event.boards}
        return cls(
            bots={one.bot: number for number, one in enumerate(results.standings)},
            boards={label: number for number, label in enumerate(results.boards)},
            roles=dict(results.boards),
            sides=sides,
        )

    def opponents(self, match: Played, bot: str) -> tuple[str, ...]:
        """The bots that sit on no side of this one; itself when it met itself."""
        own = [side for side in match.sides if any(match.seats[role] == bot for role in side)]
        others = {match.seats[role] for side in match.sides if side not in own[:1] for role in side}
        return tuple(sorted(others))
