"""The bridge of `xboard`: a chess engine of XBoard or WinBoard (CECP), on openspiel/chess."""

import math
import re
import time
from typing import IO, Any

import arena_bridge
import arena_chess
import arena_engine

from arena.kit import Turn

FEATURES_S = 2.0
"""How long an engine may take to name its features. One of version 1 of the protocol names none."""
WITHOUT_LIMIT_S = 1.0
MATE = 100_000
"""A score of a mate in N moves is MATE + N."""
FEATURE = re.compile(r'(\w+)=(?:"([^"]*)"|(\S+))')
OPTION = re.compile(r"(.+?) -(\w+) ?(.*)")
MOVE = re.compile(r"(?:move|my move is ?:) *(\S+)", re.IGNORECASE)
RESULT = re.compile(r"(resign|1-0|0-1|1/2-1/2)\b")
COMPLAINT = re.compile(r"(?:illegal move|error)[^:]*: *(.*)", re.IGNORECASE)
INFO = re.compile(r"(\d+)[^\s\d]? +([+-]?\d+) +\d+ +(\d+)\b")
NUMBER_FROM_1 = arena_engine.EngineOption("spin", 1)


class XboardEngine:
    """An engine, and the match that it plays."""

    def __init__(self, settings: arena_bridge.BridgeSettings, out: IO[str]) -> None:
        self._settings = settings
        self._out = out
        self._engine: Any = None
        self._features: dict[str, str] = {}
        self._options: dict[str, arena_engine.EngineOption] = {}
        self._commands = {"sd": NUMBER_FROM_1}
        """Commands that are set as options: the depth, and the memory and the cores of engines
        that have these features."""
        self._moves: list[str] = []
        """The moves that the engine knows of."""
        self._sent: set[str] = set()
        """What the engine has to take: the moves of the match, and the commands of the options."""
        self._pings = 0
        self._answer = ""
        self._info: dict[str, str] = {}

    def prepare(self, turn: Turn) -> None:
        """Start the engine, or tell it that a new game begins."""
        arena_chess.refuse_other_boards("xboard", turn)
        seconds = arena_engine.start_seconds(turn)
        if self._engine is None:
            self._engine = arena_engine.Engine(self._settings, self._out)
            self._engine.send("xboard")
            self._engine.send("protover 2")
            self._hear_features(seconds)
            for name, value in self._settings.options.items():
                self._set(name, value)
        self._begin(turn)
        self._wait(seconds)

    def choose(self, turn: Turn) -> str:
        """Tell the engine the moves that it does not know, let it search, and return its move."""
        moves = arena_chess.moves_so_far(turn)
        known = len(self._moves)
        if self._moves != moves[:known]:  # the referee has played another move for it
            self._begin(turn)
            known = 0
        self._engine.send("force")
        word = ""
        if self._features.get("usermove") == "1":
            word = "usermove "
        for move in moves[known:]:
            self._sent.add(move)
            self._engine.send(f"{word}{move}")
        self._wait(turn.seconds)

        self._info.clear()
        self._send_time(turn)
        self._engine.send("go")
        self._engine.answer(self._hears_move, turn.seconds, "?")
        turn.remark(arena_chess.figures(self._info))

        for move, lan in arena_chess.legal(turn).items():
            if self._answer.lower() == lan or self._answer == move:
                self._moves = [*moves, lan]
                return str(move)
        self._moves = [""]  # what it knows is no match of ours
        return str(arena_bridge.refused(self._settings, self._answer))

    def close(self) -> None:
        """Tell the engine to end."""
        if self._engine is not None:
            self._engine.quit("quit")

    def _begin(self, turn: Turn) -> None:
        """Set up the pieces, and say which clocks the match has."""
        bank = arena_engine.clock(turn, "bank")
        move_time = arena_engine.clock(turn, "move")
        if bank:
            gained = move_time or 0.0
            level = f"level 0 {_minutes(bank + gained)} {int(gained)}"
        else:
            level = f"level 1 {_minutes(move_time or WITHOUT_LIMIT_S)} 0"
        for line in ("new", "force", "easy", "post", level):
            self._engine.send(line)
        if "sd" in self._settings.options:  # which `new` takes back
            self._set("sd", self._settings.options["sd"])
        self._moves = []

    def _send_time(self, turn: Turn) -> None:
        """Tell the engine what is left, in hundredths of a second."""
        if self._features.get("time") == "0":
            return
        left = WITHOUT_LIMIT_S
        if turn.seconds is not None:
            left = turn.seconds - 2 * arena_engine.reserve(turn.seconds)
        hundredths = max(1, int(100 * left))
        self._engine.send(f"time {hundredths}")
        self._engine.send(f"otim {hundredths}")

    def _wait(self, seconds: float | None) -> None:
        """Wait until the engine has done all that it was told, if it has the feature `ping`.

        What it said before, such as the result that it expects, is no answer to the next question.
        """
        if self._features.get("ping") != "1":
            return
        self._pings += 1
        pong = f"pong {self._pings}"
        self._engine.send(f"ping {self._pings}")
        self._engine.answer(lambda line: self._hears(line) == pong, seconds)

    def _hear_features(self, seconds: float | None) -> None:
        until = time.monotonic() + min(FEATURES_S, seconds or FEATURES_S)
        while self._features.get("done") != "1":
            line = self._engine.line(until)
            if line is not None:
                self._hear_feature(line)
            elif self._features.get("done") == "0":  # which asks for more time
                self._engine.answer(self._hears_last_feature, seconds)
            else:
                return

    def _hears_last_feature(self, line: str) -> bool:
        """Take in a line; return whether it says that all features are named."""
        self._hear_feature(line)
        return self._features.get("done") == "1"

    def _hear_feature(self, line: str) -> None:
        """Take in a line about features, and accept them."""
        if not line.startswith("feature "):
            return
        for name, quoted, bare in FEATURE.findall(line):
            text = quoted or bare
            option = OPTION.fullmatch(text)
            if name == "option" and option is not None:
                option_name, kind, details = option.groups()
                self._options[option_name] = _declared(kind, details)
            if name == "san":  # moves come as `e2e4`
                self._engine.send("rejected san")
                continue
            self._features[name] = text
            self._engine.send(f"accepted {name}")
        for feature, command in (("memory", "memory"), ("smp", "cores")):
            if self._features.get(feature) == "1":
                self._commands[command] = NUMBER_FROM_1

    def _hears(self, line: str) -> str:
        """Return a line; end if it refuses what the engine has to take."""
        complaint = COMPLAINT.match(line)
        if complaint is not None:
            refused = complaint[1].removeprefix("usermove ")
            if refused in self._sent:
                raise self._engine.failure(f"said {arena_bridge.short(line)!r}")
        return line

    def _hears_move(self, line: str) -> bool:
        """Take in what the engine says of its search; return whether it names its move."""
        move = MOVE.fullmatch(self._hears(line))
        if move is not None:
            self._answer = move[1]
            return True
        if RESULT.match(line) and self._features.get("ping") == "1":
            self._answer = line
            return True
        info = INFO.match(line)
        if info is not None:
            depth, score, nodes = info.groups()
            self._hear_figures(depth, int(score), nodes)
        return False

    def _hear_figures(self, depth: str, score: int, nodes: str) -> None:
        figures = {"depth": depth, "nodes": nodes}
        if score > MATE:
            figures["mate"] = str(score - MATE)
        elif score < -MATE:
            figures["mate"] = str(score + MATE)
        else:
            figures["cp"] = str(score)
        self._info = figures

    def _set(self, name: str, value: arena_bridge.Option) -> None:
        """Set an option of the engine; end with a line where it does not take it."""
        options = self._commands | self._options
        known, text = self._engine.checked_option(options, name, value)
        if known in self._commands:
            command = f"{known} {text}"
            self._sent.add(command)
            self._engine.send(command)
            return
        figure = text
        if options[known].kind == "check":
            figure = "0"
            if text == "true":
                figure = "1"
        self._engine.send(f"option {known}={figure}")


def _declared(kind: str, details: str) -> arena_engine.EngineOption:
    """Return an option as a feature declares it: `-spin VALUE LEAST MOST`, `-combo A /// *B`."""
    words = details.split()
    has_range = len(words) == 3 and _are_numbers(words[1:])
    if kind in {"spin", "slider"} and has_range:
        least = int(words[1])
        most = int(words[2])
        return arena_engine.EngineOption("spin", least, most)
    if kind == "combo":
        choices = []
        for choice in details.split("///"):
            name = choice.strip()
            choices.append(name.removeprefix("*"))
        return arena_engine.EngineOption("combo", choices=tuple(choices))
    return arena_engine.EngineOption(kind)


def _are_numbers(words: list[str]) -> bool:
    return all(re.fullmatch(r"-?\d{1,9}", word) for word in words)


def _minutes(seconds: float) -> str:
    """Return a time as `level` has it; it knows no part of a second."""
    whole_seconds = max(1, math.floor(seconds))
    minutes, remainder = divmod(whole_seconds, 60)
    return f"{minutes}:{remainder:02}"


if __name__ == "__main__":
    out = arena_bridge.own_output()
    player = XboardEngine(arena_bridge.settings(), out)
    arena_bridge.play(player.choose, player.prepare, out)
    player.close()
