"""Pacman, greedy and short-sighted: runs at what it hunts if that is within sight, else it throws dice."""

from arena.kit import Cell, Turn, distances, run

SIGHT = 2  # steps
far: dict[Cell, dict[Cell, int]] = {}


def prepare(turn: Turn) -> None:
    """Measure the maze: the steps between any two cells, walls and all."""
    far.update(distances(turn.board))


def choose(turn: Turn) -> str:
    """A step nearer to the nearest pellet, or for a ghost to Pacman; if that is out of sight, any step."""
    state = turn.state
    pellets = [cell for bit, cell in enumerate(turn.rules.pellets) if state.pellets >> bit & 1]
    prey = pellets if turn.role == "pacman" else [state.pacman]

    def left(move: str) -> int:
        """How far it is to the prey after a move; out of sight every step is alike."""
        there = getattr(turn.after(move)[0], turn.role)
        return min([SIGHT, *(far[there][cell] for cell in prey)])

    steps = {move: left(move) for move in turn.legal}
    return turn.random.choice([move for move in turn.legal if steps[move] == min(steps.values())])


run(choose, prepare)
