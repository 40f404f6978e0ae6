"""Pacman, greedy: Pacman runs to the nearest pellet, a ghost to Pacman. Looks one step ahead, and no further."""

from arena.kit import Cell, Turn, distances, run

far: dict[Cell, dict[Cell, int]] = {}


def prepare(turn: Turn) -> None:
    """Measure the maze: the steps between any two cells, walls and all."""
    far.update(distances(turn.board))


def choose(turn: Turn) -> str:
    """The step that brings it nearest to what it hunts; Pacman keeps off cells that a ghost reaches at once."""
    game, state = turn.rules, turn.state
    here = getattr(state, turn.role)
    stays = {role: game.legal_moves(state, role)[0] for role in game.to_move(state)}
    food = [cell for bit, cell in enumerate(game.pellets) if state.pellets >> bit & 1]

    def left(move: str) -> tuple[int, ...]:
        there = getattr(game.play(state, {**stays, turn.role: move}), turn.role)
        if turn.role != "pacman":
            return (far[there][state.pacman],)
        danger = min(far[there][ghost] for ghost in (state.blinky, state.inky))
        return (int(danger < 2), min((far[there][cell] for cell in food), default=0), int(there == here))

    return min(turn.legal, key=left)


run(choose, prepare)
