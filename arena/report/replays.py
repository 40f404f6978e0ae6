"""Records -> what the replay viewer shows.

The facts of every turn come out of the rules again, as for `arena replay`; a record that the rules of today don't lead
through keeps its moves, and says why there is no board.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

from arena.errors import ArenaError
from arena.game import Game
from arena.match import Match, Record, SeatReport, Turn
from arena.protocol import clean
from arena.report.deltas import delta
from arena.scenes import Scene, Step, scenes

_clean = lru_cache(100_000)(clean)  # facts and moves come again and again
KEPT = 500  # matches whose facts are kept, in case that another went alike
REMARKS = 20_000  # characters of remarks that a match may bring
STDERR_LINES = 20
WORDS = 1000  # characters of a fault's words


class Games:
    """The games that matches were played by, each looked up once."""

    def __init__(self, rules: Callable[[Match], Game[Any]]) -> None:
        self._rules = rules
        self._found: dict[tuple[str, str], Game[Any] | ArenaError] = {}
        self._told: dict[object, dict[str, object]] = {}

    def game(self, match: Match) -> Game[Any]:
        """The game of a match; ArenaError when its rules are not known here."""
        key = (match.label, match.rules)
        if key not in self._found:
            try:
                self._found[key] = self._rules(match)
            except ArenaError as error:
                self._found[key] = error
        found = self._found[key]
        if isinstance(found, ArenaError):
            raise found
        return found

    def told(self, record: Record) -> dict[str, object]:
        """The facts of a match; matches that went alike, as those of bots without chance do, are told once."""
        went = tuple((turn.number, turn.role, turn.move, turn.digest) for turn in record.turns)
        key = record.match.label, record.match.rules, went
        if key not in self._told:
            if len(self._told) >= KEPT:
                self._told.clear()
            try:
                self._told[key] = _facts(list(scenes(self.game(record.match), record.turns)))
            except ArenaError as error:
                self._told[key] = {"broken": clean(str(error), WORDS)}
        return self._told[key]


def replay(record: Record, games: Games) -> dict[str, object]:
    """A match as the viewer reads it: the facts at the start and their changes, moves, faults, what seats left."""
    roles = [seat.role for seat in record.match.seats]
    return {
        **games.told(record),
        "moves": list(_moves(record.turns, roles)),
        "faults": [
            [roles.index(fault.role), fault.turn, fault.ending.value, clean(fault.words, WORDS)]
            for fault in record.verdict.faults
        ],
        "seats": [_seat(seat) for seat in record.seats],
    }


def last_lines(stderr: str, count: int = STDERR_LINES) -> list[str]:
    """The end of a seat's stderr, line by line."""
    return [clean(line) for line in stderr.splitlines() if line.strip()][-count:]


def _facts(told: list[Scene]) -> dict[str, object]:
    states = [list(map(_clean, scene.facts)) for scene in told]
    return {
        "start": states[0],
        "changes": [delta(before, after) for before, after in pairwise(states)],
        "fates": [_fate(steps) for scene in told for steps in scene.steps],
    }


@lru_cache(10_000)
def _fate(steps: tuple[Step, ...]) -> str:
    """A letter a step: made, blocked, not made; nothing where all were made."""
    letters = "".join(step.fate[0] for step in steps)
    return letters if set(letters) - {"m"} else ""


def _moves(turns: Iterable[Turn], roles: list[str]) -> Iterator[list[object]]:
    """Turn, role, move, milliseconds, remarks, who chose it, what was refused; without what is usual at the end."""
    room = REMARKS
    for turn in turns:
        remarks = [_clean(remark) for remark in turn.remarks]
        if remarks:
            room -= sum(map(len, remarks))
            remarks = remarks if room >= 0 else ["(too many remarks to keep)"]
        role = roles.index(turn.role) if turn.role in roles else turn.role
        row: list[object] = [turn.number, role, _clean(turn.move), round(turn.wall * 1000)]
        row += [remarks, "" if turn.by == "bot" else turn.by, None if turn.said is None else clean(turn.said)]
        while not row[-1] and len(row) > 4:
            row.pop()
        yield row


def _seat(seat: SeatReport) -> dict[str, object]:
    """What a seat's process left behind; what is empty is left out."""
    values = {
        "ready": seat.ready and round(seat.ready, 3),
        "cpu": round(seat.cpu, 2),
        "memory": round(seat.memory / 1e6),
        "exit": clean(seat.exit),
        "warnings": [clean(warning) for warning in seat.warnings[:10]],
        "stderr": last_lines(seat.stderr),
    }
    return {key: value for key, value in values.items() if value}
