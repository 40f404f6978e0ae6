"""Pacman, greedy: Pacman runs to the nearest pellet, a ghost to Pacman, and neither asks what the other will do."""

from arena.kit import Cell, Turn, distances, run

far: dict[Cell, dict[Cell, int]] = {}


def prepare(turn: Turn) -> None:
    """Measure the maze: the steps between any two cells, walls and all."""
    far.update(distances(turn.board))


def choose(turn: Turn) -> str:
    """The step that brings it nearest to what it hunts."""
    state = turn.state
    pellets = [cell for bit, cell in enumerate(turn.rules.pellets) if state.pellets >> bit & 1]
    prey = pellets if turn.role == "pacman" else [state.pacman]

    def left(move: str) -> int:
        there = getattr(turn.after(move)[0], turn.role)
        return min(far[there][cell] for cell in prey)

    return min(turn.legal, key=left)


run(choose, prepare)
