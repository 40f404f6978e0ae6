"""Draws mazes for Pacman that are worth playing. Parameters: the table [random] in pacman.toml.

Walls are drawn first, so that every cell can be reached and has two ways out. Then a search over all placements of the
three finds in how many turns two ghosts that cooperate perfectly can force a capture, whatever Pacman does. The places
are drawn among those from which they need neither too few turns nor too many.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from .grid import Wall, steps
from .random_walls import check_loops, draw_walls

WIDEST = 10  # cells in a row: the search looks at a million placements then, and takes some seconds
MOST_MAZES = 200  # are drawn for a board; with the parameters of [random] nearly every maze has such places


@dataclass(frozen=True)
class RandomPacman:
    """Mazes of one size and kind."""

    score: tuple[int, ...]
    """Pacman's score by the number of pellets that it took, from 0."""
    size: tuple[int, int] = (1, 6)
    """Lowest and highest coordinate."""
    density: float = 0.3
    """The share of walls among the borders between two cells, as far as each cell keeps two ways out."""
    loops: int = 0
    """The least number of loops of the maze: openings beyond those without which a cell could not be reached."""
    symmetric: bool = True
    """True when west and east have the same walls, mirrored."""
    pellets: int = 35
    """They lie in cells that are drawn, never in Pacman's first one."""
    earliest: int = 20
    """Ghosts cannot force a capture in fewer turns."""
    latest: int = 60
    """The turns in which ghosts can force a capture."""
    steps: int = 100
    ghosts: str = "team"

    def __post_init__(self) -> None:
        """Refuse parameters that no maze can have."""
        low, high = self.size
        if low >= high:
            raise ValueError(f"size: expected the lowest and the highest coordinate, not {self.size}")
        if high - low + 1 > WIDEST:
            raise ValueError(f"size: expected at most {WIDEST} cells in a row, or the search takes too long")
        check_loops(self.size, self.loops)
        if not 0 < self.pellets < (high - low + 1) ** 2:
            raise ValueError(f"pellets: expected 1 to {(high - low + 1) ** 2 - 1}, not {self.pellets}")
        if not 0 <= self.density <= 1:
            raise ValueError(f"density: expected a share from 0 to 1, not {self.density}")
        if not self.earliest <= self.latest <= self.steps:
            raise ValueError(f"latest: expected {self.earliest} (earliest) to {self.steps} (steps), not {self.latest}")

    def sample(self, dice: Random, number: int) -> Mapping[str, Any]:
        """Return the parameters of maze 0, 1, ...; ValueError when no maze that was drawn has such places."""
        del number  # all are drawn alike
        cells = tuple(steps(self.size, ()))
        for _ in range(MOST_MAZES):
            walls = draw_walls(self.size, self.density, dice, symmetric=self.symmetric, ways_out=2, loops=self.loops)
            turns = turns_to_capture(self.size, walls, self.latest)
            worth_playing = ((turns >= self.earliest) & (turns <= self.latest)).ravel().nonzero()[0]
            if len(worth_playing):
                place = int(worth_playing[dice.randrange(len(worth_playing))])
                pacman, ghosts = divmod(place, len(cells) ** 2)
                blinky, inky = divmod(ghosts, len(cells))
                others = [cell for cell in cells if cell != cells[pacman]]
                return {
                    "size": self.size,
                    "pacman": cells[pacman],
                    "blinky": cells[blinky],
                    "inky": cells[inky],
                    "walls": walls,
                    "pellets": sorted(dice.sample(others, self.pellets)),
                    "score": self.score,
                    "pellets_to_end": self.pellets,
                    "steps": self.steps,
                    "ghosts": self.ghosts,
                }
        raise ValueError(
            f"earliest: in none of {MOST_MAZES} mazes the ghosts need {self.earliest} to {self.latest} turns; "
            "take a wider range, or another density"
        )


def turns_to_capture(size: tuple[int, int], walls: tuple[Wall, ...], most: int) -> Any:
    """Return in how many turns two ghosts can force a capture from each placement with Pacman to move.

    An array of shape (cells, cells, cells) by Pacman's, Blinky's and Inky's cell, in the order of `steps`; `most + 1`
    where they need more turns than `most`, and 0 where Pacman stands on a ghost. Pellets play no part.
    """
    from arena.games import pursuit  # imports numpy, which takes too long for the start of a bot

    ways = steps(size, walls)
    number = {cell: index for index, cell in enumerate(ways)}
    return pursuit.turns_to_capture([[number[there] for there in ways[cell].values()] for cell in ways], most)


generator = RandomPacman
