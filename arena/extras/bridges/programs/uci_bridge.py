"""The bridge of `uci`: an engine that speaks the Universal Chess Interface, on openspiel/chess.

OpenSpiel is the library of chess: it is the referee's, and its licence (Apache 2.0) fits. It writes
each legal move as the engine does, so no move is guessed from its text.
"""

import difflib
import re
from typing import IO, Any

import arena_bridge
import arena_engine

from arena.kit import Turn

BOARD = "openspiel/chess"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
OWN_OPTIONS = ("go",)
"""Options of the bridge, and not of the engine."""
WITHOUT_LIMIT = "movetime 1000"
OPTION = re.compile(r"option name (.+?) type (\w+)(.*)")
INFO = re.compile(r"\b(depth|nodes|cp|mate) (-?\d+)")


class EngineOption:
    """An option as the engine declares it."""

    def __init__(self, kind: str, rest: str) -> None:
        self.kind = kind
        words = rest.split()
        self.least = _number_after("min", words)
        self.most = _number_after("max", words)
        self.choices = re.findall(r"(?<= var )\S.*?(?= var |$)", rest)

    def why_not(self, value: str) -> str:
        """Return why the engine cannot take a value; empty if it can."""
        if self.kind == "check" and value not in {"true", "false"}:
            return "true or false"
        if self.kind == "spin":
            if not re.fullmatch(r"-?\d+", value):
                return "a whole number"
            if not self.least <= int(value) <= self.most:
                return f"{self.least:.0f} to {self.most:.0f}"
        if self.kind == "combo" and value not in self.choices:
            return f"one of {', '.join(self.choices)}"
        return ""


def _number_after(word: str, words: list[str]) -> float:
    """Return the number behind a word; without it no limit."""
    if word in words[:-1]:
        return float(words[words.index(word) + 1])
    return float("-inf") if word == "min" else float("inf")


class ChessEngine:
    """An engine, and the match that it plays."""

    def __init__(self, settings: arena_bridge.BridgeSettings, out: IO[str]) -> None:
        self._settings = settings
        self._out = out
        self._engine: Any = None
        self._options: dict[str, EngineOption] = {}
        self._info: dict[str, str] = {}

    def prepare(self, turn: Turn) -> None:
        """Start the engine, or tell it that a new game begins."""
        if turn.game != BOARD:
            raise arena_bridge.Failed(f"the bridge uci plays {BOARD}, and the match is {turn.game}")
        turn.rules.start()  # so that OpenSpiel is loaded before the first turn
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
        spiel = turn.state.spiel
        moves = " ".join(move.to_lan() for move in spiel.moves_history())
        start = spiel.start_fen()
        position = "startpos" if start in {"", START} else f"fen {start}"
        self._engine.send(f"position {position} moves {moves}" if moves else f"position {position}")
        self._info.clear()
        self._engine.send(f"go {self._search(turn)}")
        answer = self._engine.answer(self._hears_move, turn.seconds, "stop")
        turn.remark(self._figures())
        words = answer.split()
        wanted = words[1].lower() if len(words) > 1 else ""
        for move, lan in legal(turn).items():
            if lan == wanted:
                return move
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
        match = OPTION.fullmatch(line)
        if match is not None:
            self._options[match[1].strip()] = EngineOption(match[2], match[3])
        return line == "uciok"

    def _hears_move(self, line: str) -> bool:
        """Take in what the engine says of its search; return whether it names its move."""
        if line.startswith("info ") and " string " not in line:
            found = dict(INFO.findall(line))
            if "cp" in found or "mate" in found:  # the newest of the two counts
                self._info.pop("cp", None)
                self._info.pop("mate", None)
            self._info |= found
        return line.partition(" ")[0] == "bestmove"

    def _figures(self) -> str:
        """Return the last figures of a search, as a remark that becomes numbers in the results."""
        info = self._info
        figures = [f"{name}={info[name]}" for name in ("depth", "nodes", "mate") if name in info]
        if "cp" in info:
            figures.append(f"eval={int(info['cp']) / 100:g}")
        return " ".join(figures) or "no figures"

    def _set(self, name: str, value: arena_bridge.Option) -> None:
        """Set an option of the engine; end with a line where it has none of this name."""
        names = {known.lower(): known for known in self._options}
        known = names.get(name.lower())
        if known is None:
            near = difflib.get_close_matches(name, list(self._options), n=1)
            hint = f"did you mean {near[0]!r}?" if near else "it has: " + ", ".join(self._options)
            raise self._engine.failure(f"has no option {name!r}; {hint}")
        text = str(value).lower() if isinstance(value, bool) else str(value)
        wanted = self._options[known].why_not(text)
        if wanted:
            raise self._engine.failure(f"takes as {known!r} {wanted}, and not {text!r}")
        self._engine.send(f"setoption name {known} value {text}")


def legal(turn: Turn) -> dict[str, str]:
    """Return each legal move, with the same move as an engine writes it."""
    import pyspiel  # which the rules have loaded

    state = turn.state
    board = state.spiel.board()
    return {
        move: pyspiel.chess.action_to_move(action, board).to_lan()
        for move, action in turn.rules._table(state, turn.role).items()
    }


def _ms(seconds: float) -> int:
    return max(1, round(seconds * 1000))


if __name__ == "__main__":
    out = arena_bridge.own_output()
    player = ChessEngine(arena_bridge.settings(), out)
    arena_bridge.play(player.choose, player.prepare, out)
    player.close()
