"""Records as the replay viewer reads them, in chunks that the page unpacks one at a time, prepared side by side.

The rules give the facts of every turn again, as for `arena replay`. A record that does not fit today's rules keeps its
moves, and says why there is no board. It owns how many matches are together, and what is left out where there is no
more room.
"""

import base64
import contextlib
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from arena.replay.drawing.scene import read_grids
from arena.replay.drawing.styles import Styles
from arena.replay.like_positions import LikePositions
from arena.replay.replayer import MoveWord, Scene, question_of, scenes
from arena.report import boards, viewer
from arena.results.accuracy import MOST_ESTIMATED
from arena.results.archive import Archive
from arena.results.memo import code_digest
from arena.rulefile import sources_of
from arena.values import Match, ModelCall, Played, Record, SeatReport, Turn

_clean = lru_cache(100_000)(clean)  # facts and moves come again and again
REMARKS = 20_000  # characters of remarks that a match may bring
CALLS = 100_000  # characters of calls of a language model that a match may bring
STDERR_LINES = 20
WORDS = 1000  # characters of a fault's words
TURNS = 3000  # of a chunk: some 60 matches, unpacked in a few milliseconds
FEW = 8  # chunks: to prepare fewer takes no longer than to start processes


class Games:
    """The games that matches were played by, each looked up once, and what is known of like positions, by board."""

    def __init__(
        self, rules: Callable[[Match], Game[Any]], like: Mapping[str, LikePositions] | None = None
    ) -> None:
        self._rules = rules
        self.like = like or {}
        self._games: dict[tuple[str, ...], Game[Any] | ArenaError] = {}
        # The styles, what reads a fact, and whether a view of the game's own reads facts as they are.
        self._read: dict[tuple[str, ...], tuple[Styles, Callable[[Fact], boards.Item], bool]] = {}
        self._estimated = 0  # the number of matches whose moves a search assessed

    def game(self, match: Match) -> Game[Any]:
        """Return the game of a match; ArenaError when its rules are not known here."""
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
        """Return a hash of the rules of the games that were looked up, and of the tables beside them."""
        games = [game for game in self._games.values() if not isinstance(game, ArenaError)]
        unknown = [str(error) for error in self._games.values() if isinstance(error, ArenaError)]
        files = {
            each
            for game in games
            for path in sources_of(game)
            for each in (path, path.with_suffix(".toml"))
        }
        return digest_of(code_digest(sorted(filter(Path.is_file, files))), unknown)

    def facts(self, record: Record) -> dict[str, object]:
        """Return the facts of each state of a match, what became of its steps, and how good its moves were."""
        try:
            game = self.game(record.match)
            assessor = assessor_of(game)
            if isinstance(assessor, Estimator):
                self._estimated += 1
                assessor = assessor if self._estimated <= MOST_ESTIMATED else None
            replayed = list(scenes(game, record.turns, assessor))
            qualities = [str(quality) for scene in replayed for quality in scene.qualities]
            chances = chances_of(game, record, replayed, self.like.get(record.match.label))
            return {
                **({"chances": _chances(chances)} if chances is not None else {}),
                **({"qualities": qualities} if any(qualities) else {}),
                **self.states(record.match, record.sides, replayed),
                **(
                    {"facts": _facts(game, replayed)}
                    if self._read[self._key(record.match)][2]
                    else {}
                ),
            }
        except ArenaError as error:
            return {"broken": clean(str(error), WORDS)}

    def states(
        self, match: Match, sides: Sequence[Sequence[Role]], replayed: Sequence[Scene]
    ) -> dict[str, Any]:
        """Return these scenes as the page draws them, with the grids of a board that was sampled."""
        game, key = self.game(match), self._key(match)
        if key not in self._read:
            styles = Styles.of(game.drawing, [seat.role for seat in match.seats], sides)
            item = boards.items(read_grids(game.board(), game.drawing), styles)
            self._read[key] = styles, item, "code" in viewer.values(game)
        styles, item, _ = self._read[key]
        return {
            **({"grids": boards.grids(game, styles)} if match.sampled else {}),
            "states": [list(map(item, scene.facts)) for scene in replayed],
            "fates": [fate(steps) for scene in replayed for steps in scene.steps],
        }


def replay(record: Record, games: Games) -> dict[str, object]:
    """Return a match as the viewer reads it: the facts of each state, moves, faults, what processes left."""
    roles = [seat.role for seat in record.match.seats]
    return {
        **games.facts(record),
        "moves": list(moves(record.turns, roles)),
        "faults": [
            [roles.index(fault.role), fault.turn, fault.ending.value, clean(fault.words, WORDS)]
            for fault in record.verdict.faults
        ],
        "seats": [_seat(seat) for seat in record.seats],
        **({"calls": list(_calls(record.calls, roles))} if record.calls else {}),
    }


def last_lines(stderr: str, count: int = STDERR_LINES) -> list[str]:
    """Return the last lines of a seat's stderr."""
    return [clean(line) for line in stderr.splitlines() if line.strip()][-count:]


def _facts(game: Game[Any], replayed: Sequence[Scene]) -> dict[str, object]:
    """Return the facts of the board, those of all states, each once, and of each state the numbers of its own."""
    numbers: dict[Fact, int] = {}
    states = [
        [numbers.setdefault(fact, len(numbers)) for fact in scene.facts] for scene in replayed
    ]
    return {
        "board": list(map(clean, game.board())),
        "lines": list(map(clean, numbers)),
        "states": states,
    }


def _chances(chances: Chances) -> dict[str, object]:
    """Return the chances in whole per cent, of each side a line; of two sides that of the first, as they add up to 100.

    Breaks are the indices of their scenes, each with its sentence.
    """
    lines = [[round(chance) for chance in line] for line in zip(*chances.of_scenes, strict=True)]
    return {
        "lines": lines[:1] if len(lines) == 2 else lines,
        "basis": chances.basis,
        "estimate": chances.basis != EXACT,
        "breaks": [[each.scene, each.sentence] for each in chances.breaks],
    }


def fate(steps: tuple[MoveWord, ...]) -> str:
    """Return a letter a step (made, blocked, not made); nothing where all were made."""
    letters = "".join(step.fate[0] for step in steps)
    return letters if set(letters) - {"m"} else ""


def moves(turns: Iterable[Turn], roles: Sequence[str]) -> Iterator[list[object]]:
    """Yield turn, role, move, milliseconds, remarks, chooser, refused text; without usual values at the end."""
    free_characters = REMARKS
    for turn in turns:
        remarks = [_clean(remark) for remark in turn.remarks]
        if remarks:
            free_characters -= sum(map(len, remarks))
            remarks = remarks if free_characters >= 0 else ["(too many remarks to store)"]
        role = roles.index(turn.role) if turn.role in roles else turn.role
        refused = None if turn.rejected_text is None else clean(turn.rejected_text)
        by = "" if turn.by == "bot" else turn.by
        row: list[object] = [
            turn.number,
            role,
            _clean(turn.move),
            round(turn.wall * 1000),
            remarks,
            by,
            refused,
        ]
        while not row[-1] and len(row) > 4:
            row.pop()
        yield row


def _calls(calls: Iterable[ModelCall], roles: list[str]) -> Iterator[list[object]]:
    """Yield turn, role, tokens of question and answer, and the texts: the question, the reasoning, the answer."""
    free_characters = CALLS
    for call in calls:
        answer = call.answer
        texts = [clean_lines(text) for text in (question_of(call), answer.reasoning, answer.text)]
        free_characters -= sum(map(len, texts))
        if free_characters < 0:
            texts = ["(too much to store: `arena replay` has it)", "", ""]
        role = roles.index(call.role) if call.role in roles else call.role
        yield [call.turn, role, answer.tokens_in, answer.tokens_out, *texts]


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
    return {key: value for key, value in values.items() if value}


Chunk = tuple[tuple[str, ...], str]
"""The ids of matches that are unpacked together, and the packed text of their replays."""


def prepared(
    games: Games,
    folder: Path,
    matches: Sequence[Played],
    free_characters: int,
    tell: Callable[[int], None] = lambda _: None,
    cut: Callable[[Record], Record] = lambda record: record,
) -> tuple[Chunk, ...]:
    """Return the replays of the first of these matches, as many as fit into `free_characters`.

    They are prepared side by side, one process a core: no archive may be open. `tell` hears how many are done.
    `cut` leaves out of a record what the reader must not see.
    """
    totals = accumulate(match.turns + 5 for match in matches)
    numbered = groupby(zip(totals, matches, strict=True), key=lambda pair: pair[0] // TURNS)
    batches = [tuple(match.id for _, match in batch) for _, batch in numbered]

    archive = Archive(folder, writing=False)  # each process opens it for itself

    def prepare(ids: tuple[str, ...]) -> Chunk:
        records = ((match, cut(archive.record(match))) for match in ids)
        texts = (
            f"{safe_json(match)}:{safe_json(replay(record, games))}" for match, record in records
        )
        # A browser unpacks a zlib stream with DecompressionStream("deflate").
        text = base64.b64encode(zlib.compress(f"{{{','.join(texts)}}}".encode(), 6)).decode("ascii")
        return ids, text

    chunks: list[Chunk] = []
    few = len(batches) < FEW
    with (
        archive,
        contextlib.closing(
            parallel.parallel_map(prepare, batches, cores=1 if few else None)
        ) as ready,
    ):
        for chunk in ready:
            free_characters -= len(chunk[1]) + 100  # with the element around it
            if free_characters < 0:
                break
            chunks.append(chunk)
            tell(sum(len(ids) for ids, _ in chunks))
    return tuple(chunks)


def safe_json(value: object) -> str:
    """Return JSON in which no HTML parser sees a tag, an entity or a comment; letters outside ASCII are escaped."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
