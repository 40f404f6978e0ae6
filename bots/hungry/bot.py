"""Pacman, greedy: Pacman runs to the nearest pellet, a ghost to Pacman. Looks one step ahead, and no further."""

from arena.kit import Cell, Turn, distances, run

far: dict[Cell, dict[Cell, int]] = {}


def prepare(turn: Turn) -> None:
    """Measure the maze: the steps between any two cells, walls and all."""
    far.update(distances(turn.board))


def choose(turn: Turn) -> str:
    """The step that brings it nearest to what it hunts; Pacman keeps off cells that a ghost reaches at once."""
    state = turn.state
    food = [cell for bit, cell in enumerate(turn.rules.pellets) if state.pellets >> bit & 1]

    def left(move: str) -> tuple[int, ...]:
        there = getattr(turn.after(move)[0], turn.role)
        if turn.role != "pacman":
            return (far[there][state.pacman],)
        danger = min(far[there][ghost] for ghost in (state.blinky, state.inky))
        return int(danger < 2), min((far[there][cell] for cell in food), default=0)

    return min(turn.legal, key=left)


run(choose, prepare)
