"""Pacman, lookahead: searches two rounds ahead, guessing that ghosts run straight at Pacman and Pacman at its food."""

from typing import Any

from arena.kit import Cell, Turn, distances, run

ROUNDS = 2
far: dict[Cell, dict[Cell, int]] = {}


def prepare(turn: Turn) -> None:
    """Measure the maze: the steps between any two cells, walls and all."""
    far.update(distances(turn.board))


def chase(game: Any, state: Any) -> Any:
    """The state after both ghosts took the step that brings them nearest to Pacman."""
    moves = {}
    for role in ("blinky", "inky"):
        options = game.legal_moves(state, role)
        others = {other: game.legal_moves(state, other)[0] for other in ("blinky", "inky") if other != role}
        landing = {move: getattr(game.play(state, {**others, role: move}), role) for move in options}
        moves[role] = min(options, key=lambda move, landing=landing: far[landing[move]][state.pacman])  # type: ignore[misc]
    return game.play(state, moves)


def worth(game: Any, state: Any, rounds: int) -> float:
    """What Pacman can make of a state in which it is to move: pellets, and not to be caught."""
    outcome = game.outcome(state)
    if outcome is not None:
        return -1000.0 if outcome.reason == "caught" else 1000.0
    if rounds == 0:
        danger = min(far[state.pacman][state.blinky], far[state.pacman][state.inky])
        hungry: int = state.pellets.bit_count()
        return min(danger, 4) * 0.5 - 3 * hungry
    return max(after_move(game, state, move, rounds) for move in game.legal_moves(state, "pacman"))


def after_move(game: Any, state: Any, move: str, rounds: int) -> float:
    """The worth of one of Pacman's moves, the ghosts having answered."""
    after = game.play(state, {"pacman": move})
    return worth(game, after if game.outcome(after) else chase(game, after), rounds - 1)


def nearest_food(game: Any, state: Any) -> int:
    """Steps from Pacman to the nearest pellet, which breaks ties."""
    food = (cell for bit, cell in enumerate(game.pellets) if state.pellets >> bit & 1)
    return min((far[state.pacman][cell] for cell in food), default=0)


def choose(turn: Turn) -> str:
    """Pacman: the best after a search. A ghost: the step from which Pacman has least to hope for."""
    game, state = turn.rules, turn.state
    if turn.role == "pacman":
        landed = {move: turn.after(move)[0] for move in turn.legal}
        return max(
            turn.legal, key=lambda move: (after_move(game, state, move, ROUNDS), -nearest_food(game, landed[move]))
        )

    def hope(move: str) -> tuple[float, int]:
        landings = turn.after(move)
        own = getattr(landings[0], turn.role)
        return min(worth(game, after, ROUNDS) for after in landings), far[own][state.pacman]

    return min(turn.legal, key=hope)


run(choose, prepare)
