"""Records as the replay viewer reads them, in chunks that the page unpacks one at a time.

The rules give the facts of every turn again, as for `arena replay`. A record that does not fit
today's rules keeps its moves, and says why there is no board. This module owns how many matches are
together, and what is left out where there is no more room.
"""

import base64
import contextlib
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

from arena import parallel
from arena.errors import ArenaError
from arena.game import Fact, Game, Role
from arena.games.quality import Estimator, assessor_of
from arena.identity import digest_of
from arena.protocol import clean, clean_lines
from arena.replay.chances import EXACT, Chances, chances_of
from arena.replay.drawing.scene import drawn_facts, read_grids
from arena.replay.drawing.styles import Styles
from arena.replay.like_positions import LikePositions
from arena.replay.replayer import MoveWord, Scene, question_of, scenes, usage_of
from arena.report import boards, viewer
from arena.results.accuracy import MOST_ESTIMATED
from arena.results.archive import Archive
from arena.results.memo import rules_digest
from arena.values import ANSWER_ENDS, Match, ModelCall, Record, SeatReport, Turn

_clean = lru_cache(100_000)(clean)  # facts and moves come again and again
REMARKS = 20_000  # characters of remarks that a match may bring
CALLS = 100_000  # characters of calls of a language model that a match may bring
STDERR_LINES = 20
WORDS = 1000  # characters of a fault's words
TURNS = 3000  # of a chunk: some 60 matches, unpacked in a few milliseconds
FEW = 8  # chunks: to prepare fewer takes no longer than to start processes


@dataclass(frozen=True)
class _Reader:
    """How the facts of a board are read."""

    styles: Styles
    item: Callable[[Fact], boards.Item]
    has_viewer: bool
    """True if a view of the game's own reads facts as they are."""


class Games:
    """The games that matches were played by, each looked up once."""

    def __init__(
        self, rules: Callable[[Match], Game[Any]], like: Mapping[str, LikePositions] | None = None
    ) -> None:
        self._rules = rules
        self.like = like or {}
        """What is known of like positions, by `game/board`."""
        self._games: dict[tuple[str, ...], Game[Any] | ArenaError] = {}
        self._readers: dict[tuple[str, ...], _Reader] = {}
        self._estimated = 0  # the number of matches whose moves a search assessed

    def game(self, match: Match) -> Game[Any]:
        """Return the game of a match; raise ArenaError when its rules are not known here."""
        key = self._key(match)
        if key not in self._games:
            try:
                self._games[key] = self._rules(match)
            except ArenaError as error:
                self._games[key] = error
        game = self._games[key]
        if isinstance(game, ArenaError):
            raise game
        return game

    @staticmethod
    def _key(match: Match) -> tuple[str, ...]:
        return match.label, match.rules, match.sampled

    def digest(self) -> str:
        """Return a hash of the rules of the games that were looked up.

        The tables beside them are parts of it.
        """
        unknown = []
        known = []
        for game in self._games.values():
            if isinstance(game, ArenaError):
                unknown.append(str(game))
            else:
                known.append(game)
        return digest_of(rules_digest(known), unknown)

    def facts(self, record: Record) -> dict[str, object]:
        """Return the facts of each state of a match.

        They stand with what became of its steps, and with how good its moves were.
        """
        try:
            return self._facts(record)
        except ArenaError as error:
            return {"broken": clean(str(error), WORDS)}

    def _facts(self, record: Record) -> dict[str, object]:
        game = self.game(record.match)
        assessor = assessor_of(game)
        if isinstance(assessor, Estimator):
            self._estimated += 1
            if self._estimated > MOST_ESTIMATED:
                assessor = None
        replayed = list(scenes(game, record.turns, assessor))
        qualities: list[str] = []
        for scene in replayed:
            qualities += map(str, scene.qualities)
        chances = chances_of(game, record, replayed, self.like.get(record.match.label))
        values: dict[str, object] = {}
        if chances is not None:
            values["chances"] = _chances(chances)
        if any(qualities):
            values["qualities"] = qualities
        values |= self.states(record.match, record.sides, replayed)
        if self._readers[self._key(record.match)].has_viewer:
            values["facts"] = _fact_numbers(game, replayed)
        return values

    def states(
        self, match: Match, sides: Sequence[Sequence[Role]], replayed: Sequence[Scene]
    ) -> dict[str, Any]:
        """Return these scenes as the page draws them; for a sampled board its grids, too."""
        game = self.game(match)
        key = self._key(match)
        if key not in self._readers:
            styles = Styles.of(game.drawing, [seat.role for seat in match.seats], sides)
            item = boards.items(read_grids(game.board(), game.drawing), styles)
            self._readers[key] = _Reader(styles, item, "code" in viewer.values(game))
        reader = self._readers[key]
        values: dict[str, Any] = {}
        if match.sampled:
            values["grids"] = boards.grids(game, reader.styles)
        values["states"] = [
            list(map(reader.item, drawn_facts(game.drawing, scene.facts))) for scene in replayed
        ]
        fates: list[str] = []
        for scene in replayed:
            fates += map(fate, scene.steps)
        values["fates"] = fates
        return values


def replay(record: Record, games: Games) -> dict[str, object]:
    """Return a match as the viewer reads it.

    It has the facts of each state, moves, faults, and what processes left.
    """
    roles = [seat.role for seat in record.match.seats]
    values = games.facts(record)
    values["moves"] = list(moves(record.turns, roles))
    faults = []
    for fault in record.verdict.faults:
        reason = clean(fault.words, WORDS)
        faults.append([roles.index(fault.role), fault.turn, fault.ending.value, reason])
    values["faults"] = faults
    values["seats"] = [_seat(seat) for seat in record.seats]
    if record.calls:
        values["calls"] = list(_calls(record.calls, roles))
    return values


def last_lines(stderr: str, count: int = STDERR_LINES) -> list[str]:
    """Return the last lines of a seat's stderr."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    return list(map(clean, lines[-count:]))


def _fact_numbers(game: Game[Any], replayed: Sequence[Scene]) -> dict[str, object]:
    """Return the facts of the board, all facts of states, and for each state their numbers."""
    numbers: dict[Fact, int] = {}
    states = []
    for scene in replayed:
        states.append([numbers.setdefault(fact, len(numbers)) for fact in scene.facts])
    return {
        "board": list(map(clean, game.board())),
        "lines": list(map(clean, numbers)),
        "states": states,
    }


def _chances(chances: Chances) -> dict[str, object]:
    """Return the chances in whole per cent, a line for each side.

    Of two sides there is only the line of the first, because they add up to 100. Breaks are the
    indices of their scenes, each with its sentence.
    """
    lines = []
    for line in zip(*chances.of_scenes, strict=True):
        lines.append([round(chance) for chance in line])
    if len(lines) == 2:
        lines.pop()
    breaks = [[turn.scene, turn.sentence] for turn in chances.breaks]
    return {
        "lines": lines,
        "basis": chances.basis,
        "estimate": chances.basis != EXACT,
        "breaks": breaks,
    }


def fate(steps: tuple[MoveWord, ...]) -> str:
    """Return a letter for each step (made, blocked, not made); nothing where all were made."""
    letters = "".join(step.fate[0] for step in steps)
    if set(letters) <= {"m"}:
        return ""
    return letters


def moves(turns: Iterable[Turn], roles: Sequence[str]) -> Iterator[list[object]]:
    """Yield turn, role, move, milliseconds, remarks, chooser and refused text of each turn.

    Usual values at the end are left out.
    """
    free_characters = REMARKS
    for turn in turns:
        remarks = list(map(_clean, turn.remarks))
        if remarks:
            free_characters -= sum(map(len, remarks))
            if free_characters < 0:
                remarks = ["(too many remarks to store)"]
        chooser = ""
        if turn.by != "bot":
            chooser = turn.by
        row: list[object] = [turn.number, _role(turn.role, roles), _clean(turn.move)]
        row += [round(turn.wall * 1000), remarks, chooser, clean(turn.rejected_text or "")]
        while not row[-1] and len(row) > 4:
            row.pop()
        yield row


def _role(role: Role, roles: Sequence[str]) -> int | str:
    """Return the number of a role, or its name if no seat has it, as for `chance`."""
    if role in roles:
        return roles.index(role)
    return role


def _calls(calls: Iterable[ModelCall], roles: list[str]) -> Iterator[list[object]]:
    """Yield turn, role, tokens of question and answer, and the texts of each call.

    The texts are the question, the reasoning, the answer, and words about its tokens.
    """
    free_characters = CALLS
    for call in calls:
        answer = call.answer
        answer_text = answer.text
        if answer.end in ANSWER_ENDS:
            answer_text = f"({ANSWER_ENDS[answer.end]})\n{answer_text}"
        texts = list(map(clean_lines, (question_of(call), answer.reasoning, answer_text)))
        free_characters -= sum(map(len, texts))
        if free_characters < 0:
            texts = ["(too much to store: `arena replay` has it)", "", ""]
        row: list[object] = [call.turn, _role(call.role, roles)]
        row += [answer.tokens_in, answer.tokens_out]
        row += texts
        row.append(usage_of(answer))
        yield row


def _seat(seat: SeatReport) -> dict[str, object]:
    """Return what a seat's process left behind, without empty values."""
    values = {
        "ready": seat.ready and round(seat.ready, 3),
        "cpu": round(seat.cpu, 2),
        "memory": round(seat.memory / 1e6),
        "exit": clean(seat.exit),
        "warnings": [clean(warning) for warning in seat.warnings[:10]],
        "stderr": last_lines(seat.stderr),
    }
    return {name: value for name, value in values.items() if value}


Chunk = tuple[tuple[str, ...], str]
"""The ids of matches that are unpacked together, and the packed text of their replays."""


def prepared(
    games: Games,
    folder: Path,
    matches: Sequence[tuple[str, int]],
    free_characters: int,
    tell: Callable[[int], None] = lambda _: None,
    cut: Callable[[Record], Record] = lambda record: record,
) -> tuple[Chunk, ...]:
    """Return the replays of the first of these matches, as many as fit into `free_characters`.

    `matches` are ids, each with its number of turns.
    They are prepared side by side, one process a core: no archive may be open. `tell` hears how
    many are done. `cut` leaves out of a record what the reader must not see.
    """
    batches = []
    totals = accumulate(turns + 5 for _, turns in matches)
    numbered = zip(totals, matches, strict=True)
    for _, batch in groupby(numbered, key=lambda pair: pair[0] // TURNS):
        batches.append(tuple(match for _, (match, _) in batch))

    archive = Archive(folder, writing=False)  # each process opens it for itself

    def prepare(ids: tuple[str, ...]) -> Chunk:
        texts = []
        for match in ids:
            record = cut(archive.record(match))
            texts.append(f"{safe_json(match)}:{safe_json(replay(record, games))}")
        # A browser unpacks a zlib stream with DecompressionStream("deflate").
        compressed = zlib.compress(f"{{{','.join(texts)}}}".encode(), 6)
        return ids, base64.b64encode(compressed).decode("ascii")

    chunks: list[Chunk] = []
    done = 0
    cores = 1 if len(batches) < FEW else None
    preparing = parallel.parallel_map(prepare, batches, cores=cores)
    with archive, contextlib.closing(preparing) as ready:
        for ids, text in ready:
            free_characters -= len(text) + 100  # with the element around it
            if free_characters < 0:
                break
            chunks.append((ids, text))
            done += len(ids)
            tell(done)
    return tuple(chunks)


def safe_json(value: object) -> str:
    """Return JSON in which no HTML parser sees a tag, an entity or a comment.

    Letters outside ASCII are escaped.
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
