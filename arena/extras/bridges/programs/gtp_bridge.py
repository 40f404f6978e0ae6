"""The bridge of `gtp`: a Go engine that speaks the Go Text Protocol, on openspiel/go."""

import difflib
from typing import IO, Any

import arena_bridge
import arena_engine

from arena.kit import Turn

BOARD = "openspiel/go"


class GoEngine:
    """An engine, and the match that it plays."""

    def __init__(self, settings: arena_bridge.BridgeSettings, out: IO[str]) -> None:
        self._settings = settings
        self._out = out
        self._engine: Any = None
        self._commands: list[str] = []
        """Those that the engine has."""
        self._reply: list[str] = []
        """The lines of a reply that is not whole."""
        self._moves: list[str] = []
        """The moves that the engine knows of, as OpenSpiel writes them."""

    def prepare(self, turn: Turn) -> None:
        """Start the engine, or tell it that a new game begins, and on which board."""
        if turn.game.partition("(")[0] != BOARD:
            raise arena_bridge.Failed(f"the bridge gtp plays {BOARD}, and the match is {turn.game}")
        parameters = turn.rules.start().spiel.get_game().get_parameters()
        if parameters["handicap"]:
            raise arena_bridge.Failed(f"the bridge gtp plays without a handicap, not {turn.game}")
        seconds = arena_engine.start_seconds(turn)
        if self._engine is None:
            self._engine = arena_engine.Engine(self._settings, self._out)
            self._commands = self._ask("list_commands", seconds).split()
            for name, value in self._settings.options.items():
                self._set(name, value, seconds)
        self._ask(f"boardsize {parameters['board_size']}", seconds)
        self._ask("clear_board", seconds)
        self._ask(f"komi {parameters['komi']:g}", seconds)
        self._moves = []
        move_seconds = int(arena_engine.clock(turn, "move") or 0)
        if move_seconds and "time_settings" in self._commands:
            self._ask(f"time_settings 0 {move_seconds} 1", seconds)

    def choose(self, turn: Turn) -> str:
        """Tell the engine the moves that it does not know, let it choose, and return its move."""
        moves = played(turn.state.spiel)
        if self._moves != moves[: len(self._moves)]:  # the referee has played another move for it
            self._ask("clear_board", turn.seconds)
            self._moves = []
        for move in moves[len(self._moves) :]:
            self._ask(f"play {move}", turn.seconds)
        colour = turn.legal[0].partition(" ")[0]
        left = int(turn.seconds or 0)
        if left and "time_left" in self._commands:
            self._ask(f"time_left {colour} {left} 1", turn.seconds)
        answer = self._ask(f"genmove {colour}", turn.seconds)
        wanted = f"{colour} {answer}".lower()
        for move in turn.legal:
            if move.lower() == wanted:
                self._moves = [*moves, move]
                return move
        self._moves = [""]  # what it knows is no match of ours
        return str(arena_bridge.refused(self._settings, answer))

    def close(self) -> None:
        """Tell the engine to end."""
        if self._engine is not None:
            self._engine.quit("quit")

    def _set(self, name: str, value: arena_bridge.Option, seconds: float | None) -> None:
        """Give the engine a command of its own before the match, such as `level 5`."""
        if name not in self._commands:
            near = difflib.get_close_matches(name, self._commands, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise self._engine.failure(f"has no command {name!r}{hint}")
        values = value if isinstance(value, list) else [value]
        self._ask(" ".join([name, *map(_text, values)]), seconds)

    def _ask(self, command: str, seconds: float | None) -> str:
        """Return the engine's reply to a command; end with a line where it refuses the command."""
        self._engine.send(command)
        self._reply = []
        self._engine.answer(self._hears_end, seconds)
        first = self._reply[0]
        text = "\n".join((first[1:].strip(), *self._reply[1:])).strip()
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


def played(spiel: Any) -> list[str]:
    """Return the moves so far, as OpenSpiel writes them, such as `B e5`."""
    before = spiel.get_game().new_initial_state()
    moves: list[str] = []
    for action in spiel.history():
        moves.append(before.action_to_string(action))
        before.apply_action(action)
    return moves


def _text(value: bool | str | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


if __name__ == "__main__":
    out = arena_bridge.own_output()
    player = GoEngine(arena_bridge.settings(), out)
    arena_bridge.play(player.choose, player.prepare, out)
    player.close()
