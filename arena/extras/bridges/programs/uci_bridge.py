"""The bridge of `uci`: an engine that speaks the Universal Chess Interface, on openspiel/chess."""

import re
from typing import IO, Any

import arena_bridge
import arena_chess
import arena_engine

from arena.kit import Turn

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
OWN_OPTIONS = ("go",)
"""Options of the bridge, and not of the engine."""
WITHOUT_LIMIT = "movetime 1000"
OPTION = re.compile(r"option name (.+?) type (\w+)(.*)")
RANGE = re.compile(r" (min|max) (-?\d+)")
CHOICE = re.compile(r"(?<= var )\S.*?(?= var |$)")
INFO = re.compile(r"\b(depth|nodes|cp|mate) (-?\d+)")


class UciEngine:
    """An engine, and the match that it plays."""

    def __init__(self, settings: arena_bridge.BridgeSettings, out: IO[str]) -> None:
        self._settings = settings
        self._out = out
        self._engine: Any = None
        self._options: dict[str, arena_engine.EngineOption] = {}
        self._info: dict[str, str] = {}

    def prepare(self, turn: Turn) -> None:
        """Start the engine, or tell it that a new game begins."""
        arena_chess.refuse_other_boards("uci", turn)
        seconds = arena_engine.start_seconds(turn)
        if self._engine is None:
            self._engine = arena_engine.Engine(self._settings, self._out)
            self._engine.send("uci")
            self._engine.answer(self._hears_option, seconds)
            for name, value in self._settings.options.items():
                if name not in OWN_OPTIONS:
                    self._set(name, value)

        self._engine.send("ucinewgame")
        self._engine.send("isready")
        self._engine.answer(lambda line: line == "readyok", seconds)

    def choose(self, turn: Turn) -> str:
        """Give the engine the moves so far, let it search, and return its move."""
        start = turn.state.spiel.start_fen()
        position = "startpos"
        if start not in {"", START}:
            position = f"fen {start}"
        moves = arena_chess.moves_so_far(turn)
        if moves:
            position += f" moves {' '.join(moves)}"
        self._engine.send(f"position {position}")

        self._info.clear()
        self._engine.send(f"go {self._search(turn)}")
        answer = self._engine.answer(self._hears_move, turn.seconds, "stop")
        turn.remark(arena_chess.figures(self._info))

        words = answer.split()
        best_move = ""
        if len(words) > 1:
            best_move = words[1].lower()
        for move, lan in arena_chess.legal(turn).items():
            if lan == best_move:
                return str(move)
        return str(arena_bridge.refused(self._settings, answer))

    def close(self) -> None:
        """Tell the engine to end."""
        if self._engine is not None:
            self._engine.quit("quit")

    def _search(self, turn: Turn) -> str:
        """Return how long the engine may search, in words of `go`.

        A match without a bank gives each move its own time. With a bank the engine has a clock that
        gets the move time with each move, and it may spread what is left.
        """
        if "go" in self._settings.options:
            return str(self._settings.options["go"])
        if turn.seconds is None:
            return WITHOUT_LIMIT
        left = _ms(turn.seconds - 2 * arena_engine.reserve(turn.seconds))
        if not arena_engine.clock(turn, "bank"):
            return f"movetime {left}"
        gained = _ms(arena_engine.clock(turn, "move") or 0.0)
        return f"wtime {left} btime {left} winc {gained} binc {gained}"

    def _hears_option(self, line: str) -> bool:
        """Take in a line about an option; return whether it is the last one."""
        option = OPTION.fullmatch(line)
        if option is not None:
            name, kind, details = option.groups()
            bounds = {end: int(number) for end, number in RANGE.findall(details)}
            choices = CHOICE.findall(details)
            self._options[name.strip()] = arena_engine.EngineOption(
                kind,
                least=bounds.get("min"),
                most=bounds.get("max"),
                choices=tuple(choices),
            )
        return line == "uciok"

    def _hears_move(self, line: str) -> bool:
        """Take in what the engine says of its search; return whether it names its move."""
        word = line.partition(" ")[0]
        if word == "info" and " string " not in line:
            figures = dict(INFO.findall(line))
            if "cp" in figures or "mate" in figures:  # the newest of the two counts
                self._info.pop("cp", None)
                self._info.pop("mate", None)
            self._info |= figures
        return word == "bestmove"

    def _set(self, name: str, value: arena_bridge.Option) -> None:
        """Set an option of the engine; end with a line where it does not take it."""
        known, text = self._engine.checked_option(self._options, name, value)
        self._engine.send(f"setoption name {known} value {text}")


def _ms(seconds: float) -> int:
    return max(1, round(seconds * 1000))


if __name__ == "__main__":
    out = arena_bridge.own_output()
    player = UciEngine(arena_bridge.settings(), out)
    arena_bridge.play(player.choose, player.prepare, out)
    player.close()
