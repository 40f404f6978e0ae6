"""The bridge of `kaggle`: a file with `def agent(observation, configuration)`.

A table below has each game that Kaggle and arena both have: what an agent sees of it, and how its
number becomes a move.
"""

import re
from collections.abc import Callable
from typing import Any

import arena_bridge

from arena.kit import Turn

DISCS = ".xo"
"""As OpenSpiel draws an empty cell and the two sides, by their numbers at Kaggle."""
NO_LIMIT_S = 3600.0
"""What an agent sees as its time where there is no limit."""


class Struct(dict[str, Any]):
    """A table whose keys are attributes, too, as Kaggle gives it to agents."""

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class KaggleGame:
    """A game of the table: what an agent sees of it, and the move that its action stands for."""

    def __init__(
        self,
        configuration: Callable[[Turn], dict[str, Any]],
        observation: Callable[[Turn], dict[str, Any]],
        move: Callable[[Turn, int], str],
    ) -> None:
        self.configuration = configuration
        self.observation = observation
        self.move = move


def mark(turn: Turn) -> int:
    """Return 1 for the role that begins, otherwise 2."""
    return turn.roles.index(turn.role) + 1


def grid_of_facts(turn: Turn) -> tuple[int, int, int]:
    """Return the columns, the rows and the length of a line of arena's Connect Four."""
    for fact in turn.board:
        words = fact.split()
        if words[0] == "grid":
            columns = int(words[1])
            rows = int(words[2])
        elif words[0] == "line":
            line = int(words[1])
    return columns, rows, line


def discs_of_facts(turn: Turn) -> dict[str, Any]:
    """Return the board of arena's Connect Four, from its top row on."""
    columns, rows, _ = grid_of_facts(turn)
    board = [0] * (columns * rows)
    for fact in turn.facts:
        words = fact.split()
        if words[0] != "disc":
            continue
        _, role, column, height = words
        rows_above = rows - int(height)
        cell = rows_above * columns + int(column) - 1
        board[cell] = turn.roles.index(role) + 1
    return {"board": board, "mark": mark(turn)}


def connect_four_configuration(turn: Turn) -> dict[str, Any]:
    """Return the sizes of arena's board."""
    columns, rows, line = grid_of_facts(turn)
    return {"columns": columns, "rows": rows, "inarow": line}


def drawn_board(turn: Turn) -> dict[str, Any]:
    """Return the board that OpenSpiel draws, row by row."""
    cells = "".join(arena_bridge.facts(turn, "observation"))
    board = [DISCS.index(cell) for cell in cells]
    return {"board": board, "mark": mark(turn)}


def drawn_sizes(turn: Turn) -> dict[str, Any]:
    """Return the sizes of OpenSpiel's Connect Four."""
    rows = arena_bridge.facts(turn, "observation")
    sizes = {
        "columns": len(rows[0]),
        "rows": len(rows),
        "inarow": 4,
    }
    line = re.search(r"x_in_row=(\d+)", turn.game)
    if line is not None:
        sizes["inarow"] = int(line[1])
    return sizes


def sign(turn: Turn) -> str:
    """Return the sign of the role in OpenSpiel's moves."""
    number = turn.roles.index(turn.role)
    return "xo"[number]


SIGNS = ("Rock", "Paper", "Scissors")


def hands(turn: Turn) -> dict[str, Any]:
    """Return the last choice of the other one, and the points of all rounds before."""
    rivals = [role for role in turn.roles if role != turn.role]
    own_moves = played(turn, turn.role)
    rival_moves = played(turn, rivals[0])
    reward = 0
    for own_move, rival_move in zip(own_moves, rival_moves, strict=False):
        own_sign = SIGNS.index(own_move)
        rival_sign = SIGNS.index(rival_move)
        lead = (own_sign - rival_sign) % 3
        if lead == 1:
            reward += 1
        elif lead == 2:
            reward -= 1
    observation = {"reward": reward}
    if rival_moves:
        observation["lastOpponentAction"] = SIGNS.index(rival_moves[-1])
    return observation


def played(turn: Turn, role: str) -> list[str]:
    """Return the moves of a role so far."""
    return turn._played.get(role, [])


def nothing(turn: Turn) -> dict[str, Any]:  # noqa: ARG001 (all games have this function)
    """Return no more than every configuration has."""
    return {}


def number_of_signs(turn: Turn) -> dict[str, Any]:  # noqa: ARG001 (all games have this function)
    """Return how many signs there are."""
    return {"signs": len(SIGNS)}


def chosen_sign(turn: Turn, action: int) -> str:  # noqa: ARG001 (all games have this function)
    """Return the sign with this number; no move for any other number."""
    if 0 <= action < len(SIGNS):
        return SIGNS[action]
    return ""


GAMES = {
    "connect_four": KaggleGame(
        connect_four_configuration,
        discs_of_facts,
        lambda _, action: f"drop {action + 1}",
    ),
    "openspiel/connect_four": KaggleGame(
        drawn_sizes,
        drawn_board,
        lambda turn, action: f"{sign(turn)}{action}",
    ),
    "openspiel/tic_tac_toe": KaggleGame(
        nothing,
        drawn_board,
        lambda turn, action: f"{sign(turn)}({action // 3},{action % 3})",
    ),
    "openspiel/matrix_rps": KaggleGame(number_of_signs, hands, chosen_sign),
    "openspiel/repeated_game": KaggleGame(number_of_signs, hands, chosen_sign),
}
"""By the name of a game, or of a board without its parameters."""


def game_of(turn: Turn) -> KaggleGame:
    """Return the row of the table for the game of a match; end with a line where there is none."""
    board = turn.game.partition("(")[0]
    folder = board.partition("/")[0]
    row = GAMES.get(board) or GAMES.get(folder)
    is_other_matrix = board.endswith("repeated_game") and "matrix_rps" not in turn.game
    if row is None or is_other_matrix:
        raise arena_bridge.Failed(
            f"the bridge kaggle has no game {turn.game}; it has {', '.join(GAMES)}"
        )
    return row


class KaggleAgent:
    """The agent of a file, and the match that it plays."""

    def __init__(self, settings: arena_bridge.BridgeSettings) -> None:
        self._settings = settings
        self._agent = agent_of(settings)
        self._takes = 2
        """How many arguments it takes: as Kaggle does, it gets no more."""
        code = getattr(self._agent, "__code__", None)
        if code is not None:
            self._takes = code.co_argcount

    def prepare(self, turn: Turn) -> None:
        """Refuse a game that is not in the table, before the match begins."""
        game_of(turn)

    def choose(self, turn: Turn) -> str:
        """Ask the agent, and return its move."""
        game = game_of(turn)
        seconds = turn.seconds
        if seconds is None:
            seconds = NO_LIMIT_S
        configuration = {
            "timeout": seconds,
            "actTimeout": seconds,
            "episodeSteps": 1000,
            **game.configuration(turn),
            **self._settings.options,
        }
        observation = {
            "step": turn.number - 1,
            "remainingOverageTime": 0.0,
            **game.observation(turn),
        }
        arguments = (Struct(observation), Struct(configuration))
        action = self._agent(*arguments[: self._takes])

        try:
            move = game.move(turn, int(action))
        except (TypeError, ValueError):
            move = ""
        if move in turn.legal:
            return move
        return str(arena_bridge.refused(self._settings, action))


def agent_of(settings: arena_bridge.BridgeSettings) -> Callable[..., Any]:
    """Return the function `agent` of the file, or the last function in it, which Kaggle takes."""
    module = arena_bridge.module_of(settings)
    function: Callable[..., Any] | None = getattr(module, "agent", None)
    if callable(function):
        return function
    for value in vars(module).values():
        if callable(value) and getattr(value, "__module__", "") == module.__name__:
            function = value
    if function is None:
        raise arena_bridge.Failed(
            f"{settings.file}: has no `def agent(observation, configuration)`"
        )
    return function


if __name__ == "__main__":
    out = arena_bridge.own_output()
    agent = KaggleAgent(arena_bridge.settings())
    arena_bridge.play(agent.choose, agent.prepare, out)
