"""The bridge of `gtp`: an engine of Go, Hex or Othello that speaks the Go Text Protocol.

A table below has each game: how an engine is told of the board, and how OpenSpiel writes a move.
"""

import difflib
from collections.abc import Callable, Mapping
from typing import IO, Any, NamedTuple

import arena_bridge
import arena_engine

from arena.kit import Turn

COLOURS = "BW"
"""By the number of the player."""


class GtpGame(NamedTuple):
    """A game of the table."""

    set_up: Callable[[Mapping[str, Any]], list[str]]
    """The commands that clear the board, by the parameters of OpenSpiel's game."""
    refused: str = ""
    """A parameter of OpenSpiel's game that the bridge does not play with."""
    has_colours: bool = False
    """True where OpenSpiel writes the colour before a move."""
    automatic: str = ""
    """The move of a player who has no other, which engines neither name nor hear of: GTP lets a
    colour move twice in a row."""
    name: str = ""
    """As the command `set_game` takes it, which some engines have."""


def go_commands(parameters: Mapping[str, Any]) -> list[str]:
    """Return the size, an empty board, and the komi."""
    size = parameters["board_size"]
    return [f"boardsize {size}", "clear_board", f"komi {parameters['komi']:g}"]


def hex_commands(parameters: Mapping[str, Any]) -> list[str]:
    """Return the size, with two numbers where the sides differ, and an empty board."""
    columns = parameters["num_cols"]
    rows = parameters["num_rows"]
    size = f"{columns}"
    if rows != columns:
        size = f"{columns} {rows}"
    return [f"boardsize {size}", "clear_board"]


def othello_commands(parameters: Mapping[str, Any]) -> list[str]:  # noqa: ARG001 (it has none)
    """Return the only size, and the board with its four discs."""
    return ["boardsize 8", "clear_board"]


GAMES = {
    "openspiel/go": GtpGame(
        go_commands,
        refused="handicap",
        has_colours=True,
        name="Go",
    ),
    "openspiel/hex": GtpGame(hex_commands, refused="swap", name="Hex"),
    "openspiel/othello": GtpGame(othello_commands, automatic="pass", name="Othello"),
}
"""By the name of a board without its parameters. Black has the first move in all of them, and in
Hex it connects the upper side with the lower one."""


class GtpEngine:
    """An engine, and the match that it plays."""

    def __init__(self, settings: arena_bridge.BridgeSettings, out: IO[str]) -> None:
        self._settings = settings
        self._out = out
        self._engine: Any = None
        self._game = GAMES["openspiel/go"]
        self._commands: list[str] = []
        """Those that the engine has."""
        self._reply: list[str] = []
        """The lines of a reply that is not whole."""
        self._moves: list[str] = []
        """The moves that the engine knows of, such as `B e5`."""

    def prepare(self, turn: Turn) -> None:
        """Start the engine, or tell it that a new game begins, and on which board."""
        board = turn.game.partition("(")[0]
        if board not in GAMES:
            raise arena_bridge.Failed(
                f"the bridge gtp plays {', '.join(GAMES)}, and the match is {turn.game}"
            )
        self._game = GAMES[board]
        parameters = turn.rules.start().spiel.get_game().get_parameters()
        if parameters.get(self._game.refused):
            raise arena_bridge.Failed(
                f"the bridge gtp plays without {self._game.refused}, and the match is {turn.game}"
            )
        seconds = arena_engine.start_seconds(turn)
        if self._engine is None:
            self._engine = arena_engine.Engine(self._settings, self._out)
            self._commands = self._ask("list_commands", seconds).split()
            for name, value in self._settings.options.items():
                self._set(name, value, seconds)
        if "set_game" in self._commands:
            self._ask(f"set_game {self._game.name}", seconds)
        for command in self._game.set_up(parameters):
            self._ask(command, seconds)
        self._moves = []
        move_seconds = int(arena_engine.clock(turn, "move") or 0)
        if move_seconds and "time_settings" in self._commands:
            self._ask(f"time_settings 0 {move_seconds} 1", seconds)

    def choose(self, turn: Turn) -> str:
        """Tell the engine the moves that it does not know, let it choose, and return its move."""
        if turn.legal == [self._game.automatic]:
            return turn.legal[0]

        moves = self._played(turn.state.spiel)
        known = len(self._moves)
        if self._moves != moves[:known]:  # the referee has played another move for it
            self._ask("clear_board", turn.seconds)
            known = 0
        for move in moves[known:]:
            self._ask(f"play {move}", turn.seconds)

        player = turn.rules.roles.index(turn.role)
        colour = COLOURS[player]
        seconds = int(turn.seconds or 0)
        if seconds and "time_left" in self._commands:
            self._ask(f"time_left {colour} {seconds} 1", turn.seconds)
        answer = self._ask(f"genmove {colour}", turn.seconds)

        engine_move = f"{colour} {answer}".lower()
        for text in turn.legal:
            move = self._move(player, text)
            if move.lower() == engine_move:
                self._moves = [*moves, move]
                return text
        self._moves = [""]  # what it knows is no match of ours
        return str(arena_bridge.refused(self._settings, answer))

    def close(self) -> None:
        """Tell the engine to end."""
        if self._engine is not None:
            self._engine.quit("quit")

    def _played(self, spiel: Any) -> list[str]:
        """Return the moves so far, each with its colour."""
        before = spiel.get_game().new_initial_state()
        moves: list[str] = []
        for action in spiel.history():
            text = before.action_to_string(action)
            if text != self._game.automatic:
                player = before.current_player()
                moves.append(self._move(player, text))
            before.apply_action(action)
        return moves

    def _move(self, player: int, text: str) -> str:
        """Return a move of a player with its colour, such as `B e5`."""
        if self._game.has_colours:
            return text
        return f"{COLOURS[player]} {text}"

    def _set(
        self,
        name: str,
        value: arena_bridge.Option,
        seconds: float | None,
    ) -> None:
        """Give the engine a command of its own before the match, such as `level 5`."""
        if name not in self._commands:
            mistake = f"has no command {name!r}"
            near = difflib.get_close_matches(name, self._commands, n=1)
            if near:
                mistake += f"; did you mean {near[0]!r}?"
            raise self._engine.failure(mistake)
        words = [name]
        if isinstance(value, list):
            words += map(_text, value)
        else:
            words.append(_text(value))
        command = " ".join(words)
        self._ask(command, seconds)

    def _ask(self, command: str, seconds: float | None) -> str:
        """Return the engine's reply to a command; end with a line where it refuses the command."""
        self._engine.send(command)
        self._reply = []
        self._engine.answer(self._hears_end, seconds)
        first = self._reply[0]
        lines = [first[1:].strip()]
        lines += self._reply[1:]
        text = "\n".join(lines).strip()
        if first.startswith("?"):
            raise self._engine.failure(f"refused {command!r}: {arena_bridge.short(text)}")
        return text

    def _hears_end(self, line: str) -> bool:
        """Take in a line of a reply; return whether it is the empty line that ends the reply."""
        if self._reply and not line:
            return True
        if self._reply or line.startswith(("=", "?")):
            self._reply.append(line)
        return False


def _text(value: bool | str | float) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


if __name__ == "__main__":
    out = arena_bridge.own_output()
    player = GtpEngine(arena_bridge.settings(), out)
    arena_bridge.play(player.choose, player.prepare, out)
    player.close()
