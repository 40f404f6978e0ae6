"""Records -> what the replay viewer shows, packed in chunks that the page unpacks one at a time.

The facts of every turn come out of the rules again, as for `arena replay`; a record that the rules of today don't lead
through keeps its moves, and says why there is no board.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from arena.errors import ArenaError
from arena.game import Game
from arena.match import Match, Record, SeatReport, Turn
from arena.protocol import clean
from arena.report.deltas import delta
from arena.report.packing import packed, safe_json
from arena.report.store import Store
from arena.scenes import Scene, scenes

_clean = lru_cache(100_000)(clean)  # facts and moves come again and again
CHUNK = 250_000  # characters before packing: some 60 matches, unpacked in a few milliseconds
REMARKS = 20_000  # characters of remarks that a match may bring
STDERR_LINES = 20
WORDS = 1000  # characters of a fault's words


@dataclass(frozen=True)
class Chunk:
    """Replays that are unpacked together."""

    matches: tuple[str, ...]
    text: str


class Games:
    """The stored matches and the games they were played by, each game looked up once."""

    def __init__(self, rules: Callable[[Match], Game[Any]], store: Store) -> None:
        self.store = store
        self._rules = rules
        self._found: dict[tuple[str, str], Game[Any] | ArenaError] = {}

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


def chunks(games: Games, matches: Iterable[str], room: int) -> tuple[Chunk, ...]:
    """The replays of these matches, first come first kept, until `room` characters are full."""
    made: list[Chunk] = []
    for ids, text in _gathered(games, matches):
        chunk = Chunk(ids, packed(text))
        room -= len(chunk.text) + 100  # with the element around it
        if room < 0:
            break
        made.append(chunk)
    return tuple(made)


def replay(record: Record, games: Games) -> dict[str, object]:
    """A match as the viewer reads it: the facts at the start and their changes, moves, faults, what seats left."""
    roles = [seat.role for seat in record.match.seats]
    try:
        told = _facts(list(scenes(games.game(record.match), record.turns)))
    except ArenaError as error:
        told = {"broken": clean(str(error), WORDS)}
    return {
        **told,
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


def _gathered(games: Games, matches: Iterable[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The ids and the JSON of one chunk after the other."""
    texts: dict[str, str] = {}
    for match in matches:
        texts[match] = safe_json(replay(games.store.record(match), games))
        if sum(map(len, texts.values())) > CHUNK:
            yield tuple(texts), _object(texts)
            texts = {}
    if texts:
        yield tuple(texts), _object(texts)


def _object(texts: dict[str, str]) -> str:
    return "{" + ",".join(f"{safe_json(match)}:{text}" for match, text in texts.items()) + "}"


def _facts(told: list[Scene]) -> dict[str, object]:
    states = [[_clean(fact) for fact in scene.facts] for scene in told]
    fates = ["".join(step.fate[0] for step in steps) for scene in told for steps in scene.steps]
    return {
        "start": states[0],
        "changes": [delta(before, after) for before, after in pairwise(states)],
        "fates": ["" if set(fate) <= {"m"} else fate for fate in fates],
    }


def _moves(turns: Iterable[Turn], roles: list[str]) -> Iterator[list[object]]:
    """Turn, role, move, milliseconds, remarks, who chose it, what was refused; without what is usual at the end."""
    room = REMARKS
    for turn in turns:
        remarks = [clean(remark) for remark in turn.remarks]
        room -= sum(map(len, remarks))
        if room < 0 and remarks:
            remarks = ["(too many remarks to keep)"]
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
