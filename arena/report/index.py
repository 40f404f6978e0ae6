"""Numbers for the names that the page repeats: bots, boards and roles. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.game import Role
from arena.results.leaderboard import Results
from arena.values import Played


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
        """Number the names of an event's results."""
        sides = {match.label: match.sides for match in results.played}
        sides |= {board.label: board.sides for board in results.event.boards}
        return cls(
            bots={standing.bot: number for number, standing in enumerate(results.standings)},
            boards={label: number for number, label in enumerate(results.boards)},
            roles=dict(results.boards),
            sides=sides,
        )

    def opponents(self, match: Played, bot: str) -> tuple[str, ...]:
        """Return the bots on the other sides; the bot itself when it met itself."""
        own = [side for side in match.sides if any(match.seats[role] == bot for role in side)]
        others = {match.seats[role] for side in match.sides if side not in own[:1] for role in side}
        return tuple(sorted(others))
