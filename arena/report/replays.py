"""Records as the replay viewer reads them, in chunks that the page unpacks one at a time.

The rules give the facts of every turn again, as for `arena replay`. A record that does not fit
today's rules keeps its moves, and says why there is no board. This module owns how many matches are
together, and what is left out where there is no more room.
"""

import base64
import contextlib
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena import parallel
from arena.errors import ArenaError
from arena.game import Fact, Game, Role
from arena.games.quality import Estimator, MoveQuality, assessor_of
from arena.identity import digest_of
from arena.protocol import clean
from arena.replay.chances import EXACT, Chances, chances_of
from arena.replay.drawing.scene import drawn_facts, read_grids
from arena.replay.drawing.styles import Styles
from arena.replay.like_positions import LikePositions
from arena.replay.replayer import MoveWord, Scene, scenes
from arena.report import boards, viewer
from arena.report.recorded import WORDS, values_of
from arena.results.accuracy import MOST_ESTIMATED
from arena.results.archive import Archive
from arena.results.memo import rules_digest
from arena.values import Match, Record

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
        self,
        rules: Callable[[Match], Game[Any]],
        like: Mapping[str, LikePositions] | None = None,
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
        rules = rules_digest(known)
        return digest_of(rules, unknown)

    def facts(self, record: Record) -> dict[str, object]:
        """Return the facts of each state of a match.

        They stand with what became of its steps, and with how good its moves were.
        """
        try:
            return self._facts(record)
        except ArenaError as error:
            return {"broken": clean(str(error), WORDS)}

    def _facts(self, record: Record) -> dict[str, object]:
        match = record.match
        game = self.game(match)
        assessor = assessor_of(game)
        if isinstance(assessor, Estimator):
            self._estimated += 1
            if self._estimated > MOST_ESTIMATED:
                assessor = None
        qualities: Sequence[MoveQuality] = ()
        if assessor is not None:
            qualities = assessor.of_turns(record.turns)
        replayed = list(scenes(game, record.turns, qualities))

        values: dict[str, object] = {}
        like = self.like.get(match.label)
        chances = chances_of(game, record, replayed, like)
        if chances is not None:
            values["chances"] = _chances(chances)
        words = list(map(str, qualities))
        if any(words):
            values["qualities"] = words
        values |= self.states(match, record.sides, replayed)
        reader = self._readers[self._key(match)]
        if reader.has_viewer:
            values["facts"] = _fact_numbers(game, replayed)
        return values

    def states(
        self,
        match: Match,
        sides: Sequence[Sequence[Role]],
        replayed: Sequence[Scene],
    ) -> dict[str, Any]:
        """Return these scenes as the page draws them; for a sampled board its grids, too."""
        game = self.game(match)
        key = self._key(match)
        if key not in self._readers:
            self._readers[key] = _reader(game, match, sides)
        reader = self._readers[key]
        values: dict[str, Any] = {}
        if match.sampled:
            values["grids"] = boards.grids(game, reader.styles)
        states = []
        fates: list[str] = []
        for scene in replayed:
            facts = drawn_facts(game.drawing, scene.facts)
            states.append([reader.item(fact) for fact in facts])
            fates += map(fate, scene.steps)
        values["states"] = states
        values["fates"] = fates
        return values


def replay(record: Record, games: Games) -> dict[str, object]:
    """Return a match as the viewer reads it.

    It has the facts of each state, moves, faults, and what processes left.
    """
    return games.facts(record) | values_of(record)


def _reader(
    game: Game[Any],
    match: Match,
    sides: Sequence[Sequence[Role]],
) -> _Reader:
    """Return how the facts of a match are read."""
    roles = [seat.role for seat in match.seats]
    styles = Styles.of(game.drawing, roles, sides)
    grids = read_grids(game.board(), game.drawing)
    own_view = viewer.values(game)
    return _Reader(
        styles=styles,
        item=boards.items(grids, styles),
        has_viewer="code" in own_view,
    )


def _fact_numbers(game: Game[Any], replayed: Sequence[Scene]) -> dict[str, object]:
    """Return the facts of the board, all facts of states, and for each state their numbers."""
    numbers: dict[Fact, int] = {}
    states = []
    for scene in replayed:
        state = []
        for fact in scene.facts:
            number = numbers.setdefault(fact, len(numbers))
            state.append(number)
        states.append(state)
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
    archive = Archive(folder, writing=False)  # each process opens it for itself

    def prepare(ids: tuple[str, ...]) -> Chunk:
        texts = []
        for match in ids:
            record = cut(archive.record(match))
            packed_replay = safe_json(replay(record, games))
            texts.append(f"{safe_json(match)}:{packed_replay}")
        text = f"{{{','.join(texts)}}}"
        # A browser unpacks a zlib stream with DecompressionStream("deflate").
        compressed = zlib.compress(text.encode(), 6)
        return ids, base64.b64encode(compressed).decode("ascii")

    batches = _batches(matches)
    cores = None
    if len(batches) < FEW:
        cores = 1
    chunks: list[Chunk] = []
    done = 0
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


def _batches(matches: Sequence[tuple[str, int]]) -> list[tuple[str, ...]]:
    """Return the ids of these matches in batches of some TURNS turns."""
    batches: dict[int, list[str]] = {}
    total = 0
    for match, turns in matches:
        total += turns + 5
        number = total // TURNS
        batch = batches.setdefault(number, [])
        batch.append(match)
    return [tuple(batch) for batch in batches.values()]


def safe_json(value: object) -> str:
    """Return JSON in which no HTML parser sees a tag, an entity or a comment.

    Letters outside ASCII are escaped.
    """
    text = json.dumps(
        value,
        separators=(",", ":"),
        allow_nan=False,
    )
    text = text.replace("<", "\\u003c")
    text = text.replace(">", "\\u003e")
    return text.replace("&", "\\u0026")
