"""Draws mazes for Mummy Maze that are worth playing. Parameters: the table [random] in mummy_maze.toml.

Walls and exit are drawn first. Then the maze is solved, and the places of both roles are drawn among those from which
the match is decided late enough, and won by the role whose turn it is to win.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

from .grid import steps
from .mummy_maze import EATEN, ESCAPED, MOST_CELLS_SOLVED, MummyMaze
from .random_walls import check_loops, draw_walls

MOST_MAZES = 200  # are drawn for a board; with the parameters of [random] three of four mazes have such places


@dataclass(frozen=True)
class RandomMazes:
    """Mazes of one size and kind."""

    size: tuple[int, int] = (1, 8)
    """Lowest and highest coordinate."""
    density: float = 0.25
    """The share of walls among the borders between two cells."""
    loops: int = 0
    """The least number of loops of the maze: openings beyond those without which a cell could not be reached."""
    symmetric: bool = False
    """True when west and east have the same walls, mirrored."""
    shortest: int = 10
    """The least number of turns of a match with perfect play from the start."""
    explorer_wins: float = 0.5
    """The share of mazes that the explorer wins with perfect play; the mummy wins the others."""
    steps: int = 50
    moves: str = "free"
    eaten: str = "anytime"

    def __post_init__(self) -> None:
        """Refuse parameters that no maze can have."""
        if self.size[0] >= self.size[1]:
            raise ValueError(f"size: expected the lowest and the highest coordinate, not {self.size}")
        check_loops(self.size, self.loops)
        if not 0 <= self.explorer_wins <= 1:
            raise ValueError(f"explorer_wins: expected a share from 0 to 1, not {self.explorer_wins}")
        width = self.size[1] - self.size[0] + 1
        most = (width - 1) / (2 * width)  # the other borders are a tree, which reaches every cell
        if not 0 <= self.density <= most:
            raise ValueError(f"density: expected 0 to {most:.2f}, or walls part the cells, not {self.density}")

    def sample(self, dice: Random, number: int) -> Mapping[str, Any]:
        """Return the parameters of maze 0, 1, ...; ValueError when no maze that was drawn has such places.

        The number decides who wins, so that the first mazes of a set are as balanced as the whole set.
        """
        wins = int((number + 1) * self.explorer_wins) > int(number * self.explorer_wins)
        score = (ESCAPED if wins else EATEN).scores["explorer"]
        cells = tuple(steps(self.size, ()))
        for _ in range(MOST_MAZES):
            parameters: dict[str, Any] = {
                "size": self.size,
                "exit": dice.choice(cells),
                "walls": draw_walls(self.size, self.density, dice, symmetric=self.symmetric, loops=self.loops),
                "steps": self.steps,
                "moves": self.moves,
                "eaten": self.eaten,
            }
            places = [place for place in product(cells, cells) if place[0] not in (place[1], parameters["exit"])]
            dice.shuffle(places)
            maze = MummyMaze(explorer=places[0][0], mummy=places[0][1], **parameters)
            value, start = maze.solve(), maze.start()
            if value is None:
                raise ValueError(
                    f"size: only a maze of at most {MOST_CELLS_SOLVED} cells can be solved, and of few steps"
                )
            for explorer, mummy in places:
                worth = value(start._replace(explorer=explorer, mummy=mummy))
                if worth.score == score and worth.turns >= self.shortest:
                    return {"explorer": explorer, "mummy": mummy, **parameters}
        winner = "the explorer" if wins else "the mummy"
        raise ValueError(
            f"shortest: none of {MOST_MAZES} mazes has a place from which {winner} wins in {self.shortest} turns or "
            "more; take fewer, or another density"
        )


generator = RandomMazes
