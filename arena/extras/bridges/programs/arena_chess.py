"""What the bridges of chess share: the board, its moves as engines write them, and the figures.

OpenSpiel is the library of chess: it is the referee's, and its licence (Apache 2.0) fits. It writes
each legal move as engines do, so no move is guessed from its text.
"""

from collections.abc import Mapping

import arena_bridge

from arena.kit import Turn

BOARD = "openspiel/chess"


def refuse_other_boards(bridge: str, turn: Turn) -> None:
    """End with a line if the match is not one of chess; otherwise load OpenSpiel."""
    if turn.game != BOARD:
        raise arena_bridge.Failed(
            f"the bridge {bridge} plays {BOARD}, and the match is {turn.game}"
        )
    turn.rules.start()


def moves_so_far(turn: Turn) -> list[str]:
    """Return the moves of the match, such as `e2e4` and `e7e8q`."""
    return [move.to_lan() for move in turn.state.spiel.moves_history()]


def legal(turn: Turn) -> dict[str, str]:
    """Return each legal move, with the same move as an engine writes it."""
    import pyspiel  # which the rules have loaded

    board = turn.state.spiel.board()
    actions = turn.rules._table(turn.state, turn.role)

    lans: dict[str, str] = {}
    for move, action in actions.items():
        chess_move = pyspiel.chess.action_to_move(action, board)
        lans[move] = chess_move.to_lan()
    return lans


def figures(info: Mapping[str, str]) -> str:
    """Return the last figures of a search, as a remark that becomes numbers in the results.

    `info` has some of `depth`, `nodes`, `mate`, and `cp`, the hundredths of a pawn.
    """
    figures = []
    for name in ("depth", "nodes", "mate"):
        if name in info:
            figures.append(f"{name}={info[name]}")
    if "cp" in info:
        pawns = int(info["cp"]) / 100
        figures.append(f"eval={pawns:g}")
    return " ".join(figures) or "no figures"
