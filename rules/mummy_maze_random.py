"""Draws mazes for Mummy Maze that are worth playing. Parameters: the table [random] in mummy_maze.toml.

Walls and exit are drawn first. Then the maze is solved, and the places of both roles are drawn among those from which
the match is decided late enough, and won by the role whose turn it is to win.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

from arena.game import Value

from .grid import Cell, steps
from .mummy_maze import EATEN, ESCAPED, MOST_CELLS_SOLVED, MummyMaze, State
from .random_walls import check_loops, draw_walls

MOST_MAZES = (
    1000  # are drawn for a board; three of four mazes have such places for [random], one of thirty for [tricky]
)

MOST_TRIED = 10  # places of a tricky maze; the others of one without such a place are much alike


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
    tricky: bool = False
    """True: only mazes in which the winner's shortest way alone does not win: who never asks what the other will do
    throws the match away."""
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
        winner, score = ("explorer", ESCAPED.scores["explorer"]) if wins else ("mummy", EATEN.scores["explorer"])
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
            tried = 0
            for explorer, mummy in places:
                worth = value(start._replace(explorer=explorer, mummy=mummy))
                if tried < MOST_TRIED and worth.score == score and worth.turns >= self.shortest:
                    tried += 1
                    placed = {"explorer": explorer, "mummy": mummy, **parameters}
                    if not (self.tricky and _wins_by_the_shortest_way(MummyMaze(**placed), value, winner)):
                        return placed
        raise ValueError(
            f"shortest: none of {MOST_MAZES} mazes has a place from which the {winner} wins in {self.shortest} turns "
            "or more; take fewer, or another density"
        )


def _wins_by_the_shortest_way(maze: MummyMaze, value: Callable[[State], Value], winner: str) -> bool:
    """Return whether the winner by perfect play still wins if it always takes the shortest way to its goal."""
    ways, state = steps(maze.size, maze.walls), maze.start()
    sign = 1 if winner == "explorer" else -1
    score = value(state).score
    while movers := maze.to_move(state):
        moves = maze.legal_moves(state, movers[0])
        after = [maze.play(state, {movers[0]: move}) for move in moves]
        if movers[0] == winner:
            goal = maze.exit if winner == "explorer" else state.explorer
            far = _distances(ways, goal)
            state = min(after, key=lambda each: far[getattr(each, winner)])
        else:
            state = min(after, key=lambda each: (sign * value(each).score, -value(each).turns))
        if value(state).score != score:
            return False
    return True


def _distances(ways: Mapping[Cell, Mapping[str, Cell]], goal: Cell) -> dict[Cell, int]:
    """The number of steps to a goal from each cell."""
    far, ring = {goal: 0}, [goal]
    for cell in ring:  # grows while it is walked: breadth first
        fresh = set(ways[cell].values()) - far.keys()
        far |= dict.fromkeys(fresh, far[cell] + 1)
        ring += fresh
    return far


generator = RandomMazes
