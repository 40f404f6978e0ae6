"""pandas frames of an event: leaderboard, strengths, crosstable, matches, seats, turns, timing; and their CSV files.

`Results` decides which matches count. Points come from standings.py, ratings from rating_cache.py, the rank from
ranking.py, and the frames from the modules that are named after their source: rating_frames.py, meetings.py,
match_frames.py, record_frames.py. Clock readings are only in `seats`, `turns` and `timing`, so that the CSV files of
all other frames are the same bytes each time.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from arena.errors import ArenaError
from arena.game import Role
from arena.results import columns, tables
from arena.results.archive import Archive
from arena.results.arrays import Arrays, Ints
from arena.results.leaderboard import (
    match_frames,
    meetings,
    metrics,
    rank_changes,
    ranking,
    rating_cache,
    rating_frames,
    record_frames,
    version_frames,
)
from arena.results.ratings import Ratings
from arena.results.standings import Standing, Tally, standings_of
from arena.values import FEWEST_RANKED, Event, Failing, Played, labels


class Results:
    """The results of an event at one moment: matches that a run stores after the first reading are not among them.

    `all_versions` counts matches of edited bots, boards and rules too; `rating` replaces the event's rating.
    """

    def __init__(self, archive: Archive, *, all_versions: bool = False, rating: str | None = None) -> None:
        self._archive = archive
        self._all_versions = all_versions
        self._rating = rating

    @classmethod
    def open(cls, path: str | Path, *, all_versions: bool = False, rating: str | None = None) -> "Results":
        """Open the results in a folder such as `results/demo`; raise ArenaError if there are none."""
        return cls(Archive.open(Path(path)), all_versions=all_versions, rating=rating)

    @classmethod
    def side_by_side(
        cls, path: str | Path, numbers: Mapping[str, int] | None = None, *, rating: str | None = None
    ) -> "Results":
        """Open all matches that were ever played there, each version of a bot as a bot: `mine v2`, or `mine 3a9198`.

        `numbers` are the numbers of versions by digest, where they are known.
        """
        archive = Archive.open(Path(path))
        versions = archive.versions()

        def label(bot: str, digest: str) -> str:
            number = (numbers or {}).get(digest)
            return bot if versions[bot] < 2 else f"{bot} {digest[:6] if number is None else f'v{number}'}"

        return cls(archive.by_version(label), all_versions=True, rating=rating)

    @property
    def folder(self) -> Path:
        """The folder of the results."""
        return self._archive.folder

    @cached_property
    def event(self) -> Event:
        """The event as it was played."""
        return self._archive.event()

    @cached_property
    def labels(self) -> dict[str, str]:
        """The name to show for every bot of the event, all different: its display name, or else its own name."""
        return labels(self.event.bots)

    def label(self, bot: str) -> str:
        """Return the name to show for a bot."""
        return self.labels.get(bot, bot)

    def labelled(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the frame with the names to show for bots."""
        columns = [name for name in ("bot", "opponent") if name in frame]
        return frame.assign(**{name: frame[name].map(self.label) for name in columns})

    @cached_property
    def played(self) -> tuple[Played, ...]:
        """The matches that count, by id. A Python object each: for many matches `arrays` is quicker."""
        return self._archive.played(all_versions=self._all_versions)

    @cached_property
    def arrays(self) -> Arrays:
        """The matches that count, and their seats, as numpy arrays."""
        figures = self._archive.figures(all_versions=self._all_versions)
        return Arrays.decode(figures, self._archive.entries())

    @cached_property
    def tallies(self) -> tuple[Tally, ...]:
        """The sums of the matches that count, by board, role, bot, result and ending."""
        return self._archive.tallies(all_versions=self._all_versions)

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """The standing of every bot, best first: by rating, points and tie-breaks, as ranking.py orders them."""
        names = {bot.name for bot in self.event.bots}
        if self._all_versions:
            names |= {tally.bot for tally in self.tallies}
        by_points = standings_of(sorted(names), self.tallies)
        played = [standing for standing in by_points if standing.points is not None]
        # A specialist does not play every board role of the event. A bot that is entered for all of them is none, even
        # if it has not yet had a match in each while a run goes on. Where fewer than FEWEST_RANKED bots are left there
        # is nobody to rank them with, so all bots are treated as specialists.
        specialists = [
            standing.bot
            for standing in played
            if standing.bot not in self.event.generalists and not self.places.keys() <= standing.roles.keys()
        ]
        if specialists and len(played) - len(specialists) < FEWEST_RANKED:
            specialists = [standing.bot for standing in played]
        return ranking.ranked(
            by_points, self.ratings, lambda: meetings.encounters(self.arrays), self.event.tie_breaks, specialists
        )

    @cached_property
    def specialists(self) -> dict[str, str]:
        """The boards and roles, as a text, of each bot without an overall rank, because it plays only these."""
        return {
            standing.bot: rating_frames.part(standing.roles, self.boards, self.columns)
            for standing in self.standings
            if standing.rank is None and standing.points is not None
        }

    @cached_property
    def rank_changes(self) -> dict[str, int | None]:
        """How many ranks each ranked bot rose since the last run with other bots, None for a new one; or empty."""
        if self._all_versions or self.rating != self.event.rating:
            return {}
        return rank_changes.changes(self.folder, self.event, self._ranks)

    def store_ranks(self) -> None:
        """Store the ranks, at the end of a run, for `rank_changes` after later runs."""
        rank_changes.store(self.folder, self.event, self._ranks)

    @property
    def _ranks(self) -> dict[str, int | None]:
        return {standing.bot: standing.rank for standing in self.standings}

    @cached_property
    def ratings(self) -> Ratings:
        """The strengths of the bots and their uncertainty; fitted once, then loaded from a file beside the archive."""
        return rating_cache.load_or_fit(
            self._archive,
            self.event,
            self.tallies,
            lambda: self.arrays,
            rating=self.rating,
            all_versions=self._all_versions,
        )

    @property
    def rating(self) -> str:
        """The name of the rating that decides the rank."""
        return self._rating or self.event.rating

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for a reader of the ratings, a sentence each; no bot is named."""
        return self.ratings.warnings

    @cached_property
    def failings(self) -> tuple[Failing, ...]:
        """The faults of bots, by bot and ending, each with an example match."""
        return tuple(self._archive.failings(all_versions=self._all_versions))

    @cached_property
    def boards(self) -> dict[str, tuple[Role, ...]]:
        """The roles of each `game/board` of the event."""
        boards = {board.label: tuple(board.roles) for board in self.event.boards}
        if self._all_versions:
            boards |= {label: roles for label, roles in self._archive.boards().items() if label not in boards}
        return boards

    @cached_property
    def count(self) -> int:
        """The number of matches that count."""
        return self._archive.count(all_versions=self._all_versions)

    @cached_property
    def columns(self) -> dict[str, str]:
        """For each `game/board` of the event: the name of its column, such as `duel`."""
        return rating_frames.board_columns(self.boards)

    @cached_property
    def places(self) -> dict[tuple[str, Role], str]:
        """For each (`game/board`, role) of the event: the name of its column, such as `duel_explorer`."""
        return rating_frames.board_role_columns(self.boards)

    def leaderboard(self) -> pd.DataFrame:
        """Return a row a bot, best first; rank, rating and points are missing for a bot that never played."""
        frame = rating_frames.leaderboard(
            self.standings, self.ratings, self.event.tie_breaks, self.columns, self.places
        )
        return frame.assign(display=frame["bot"].map(self.label))

    def rankings(self, board: str | None = None, role: Role | None = None) -> pd.DataFrame:
        """Return a row for each bot in each board role, and on each board over all its roles: its rank and strength.

        Over all roles of a board, where `role` is missing, only bots are ranked that played each role. `board` and
        `role` select rows as in `crosstable`.
        """
        frame = rating_frames.rankings(self.ratings, self.standings, self.boards)
        return self._select(frame.assign(display=frame["bot"].map(self.label)), board, role)

    def strengths(self) -> pd.DataFrame:
        """Return a row for each bot and each board role that it played: strength, low, high, in the rating's unit."""
        return rating_frames.strengths(self.ratings)

    def advantages(self) -> pd.DataFrame:
        """Return a row for each board role: its advantage between average bots; no rows where points are the rating."""
        return rating_frames.advantages(self.ratings)

    def chance_better(self) -> pd.DataFrame:
        """Return a row for each two bots, each way round: the chance, 0 to 1, that the bot is stronger."""
        return rating_frames.chance_better(self.ratings)

    def versions(self) -> pd.DataFrame:
        """Return a row for each version of each bot: its rank in its time and its rating; none if nobody has two."""
        spans = self._archive.spans()
        if len({span.bot for span in spans}) == len(spans):
            return pd.DataFrame(columns=columns.VERSIONS.names)
        archive = Archive.open(self.folder).by_version(lambda bot, digest: f"{bot} {digest}")
        every = Results(archive, all_versions=True, rating=self._rating)
        strengths = {rating.bot: rating.strength for rating in every.ratings.ratings}
        every.close()
        rated = {(span.bot, span.digest): strengths[f"{span.bot} {span.digest}"] for span in spans}
        return version_frames.versions(spans, rated)

    def head_to_head(self, bot: str, opponent: str) -> pd.DataFrame:
        """Return a row for each board and role that both bots had: the score of each, against the other or alone.

        Where they met in unlike roles only, `opponent_role` differs from `role`. Raise ArenaError for an unknown bot.
        """
        names = [standing.bot for standing in self.standings]
        for name in (bot, opponent):
            _require("bot", name, name in names, names)
        sides = self._archive.sides()
        rows = [
            (tally.board, tally.role, tally.bot, tally.seats, tally.score)
            for tally in self.tallies
            if tally.bot in {bot, opponent} and len(sides[tally.board]) == 1
        ]
        sums = pd.DataFrame(rows, columns=rating_frames.SEATED).groupby(rating_frames.SEATED[:3], as_index=False).sum()
        alone = sums.assign(score=sums["score"] / sums["matches"])
        return rating_frames.head_to_head(self._crosstable, alone, bot, opponent)

    def matches(self) -> pd.DataFrame:
        """Return a row a match: game, board, repeat, seed, reason, and bot, score and ending of each role of the event.

        The rows stand by board, repeat and bots.
        """
        stored = list(self._archive.reasons(all_versions=self._all_versions))
        ids, reasons = [match for match, _ in stored], [reason for _, reason in stored]
        return match_frames.matches(self.arrays, ids, reasons, dict.fromkeys(role for _, role in self.places))

    def crosstable(self, board: str | None = None, role: Role | None = None) -> pd.DataFrame:
        """Return a row for each board, role, bot and opponent: matches, and the bot's mean score in that role.

        Teammates are no opponents. `board` is a `game/board` or a board's name. Raise ArenaError for an unknown
        board or role.
        """
        return self._select(self._crosstable, board, role)

    def _select(self, frame: pd.DataFrame, board: str | None, role: Role | None) -> pd.DataFrame:
        """Return the rows of a board and of a role; raise ArenaError for an unknown board or role."""
        if board is not None:
            labels = [label for label in self.boards if board in {label, label.partition("/")[2]}]
            _require("board", board, bool(labels), self.columns.values())
            frame = frame[frame["board"].isin(labels)]
        if role is not None:
            roles = {role for _, role in self.places}
            _require("role", role, role in roles, roles)
            frame = frame[frame["role"] == role]
        return frame.reset_index(drop=True)

    @cached_property
    def _crosstable(self) -> pd.DataFrame:
        return meetings.crosstable(self.arrays)

    def seats(self) -> pd.DataFrame:
        """Return a row for each match and role: the bot, its score and fault, seconds to `ready`, exit, CPU, memory."""
        return record_frames.seats(self._archive, all_versions=self._all_versions)

    def turns(self) -> pd.DataFrame:
        """Return a row for each move: match, turn, role, bot, move, by, rejected text, three times, remarks."""
        return record_frames.turns(self._archive, all_versions=self._all_versions)

    def metrics(self, most: int | None = None) -> pd.DataFrame:
        """Return a row for each match, turn, role and metric that a bot reported in a remark: bot and value.

        Of more than `most` matches only a fair share is read.
        """
        return metrics.frame(self._archive, all_versions=self._all_versions, most=most)

    def timing(self) -> pd.DataFrame:
        """Return a row for each bot, board and role: number of answers, quantiles of wall and CPU time in seconds."""
        return record_frames.timing(self._archive, all_versions=self._all_versions)

    def seats_held(self) -> Counter[str]:
        """Return the number of seats of each bot in the matches that count."""
        seats: Counter[str] = Counter()
        for tally in self.tallies:
            seats[tally.bot] += tally.seats
        return seats

    def lengths(self, board: str) -> Ints:
        """Return the number of turns of each match on a `game/board`."""
        arrays = self.arrays
        on_board = np.array([entry.label == board for entry in arrays.entries], dtype=np.bool_)
        lengths: Ints = arrays.turns[on_board[arrays.entry[arrays.position == 0]]]
        return lengths

    def aborts(self) -> pd.DataFrame:
        """Return a row for each time that arena itself failed a match: match, attempt, cause."""
        rows = [(abort.match, abort.attempt, abort.cause) for abort in self._archive.aborts()]
        return pd.DataFrame(rows, columns=columns.ABORTS.names)

    def close(self) -> None:
        """Close the file."""
        self._archive.close()


def write_csv(results: Results, folder: Path) -> tuple[Path, ...]:
    """Write the tables as CSV files, each whole or not at all."""
    frames = {
        "leaderboard": results.leaderboard(),
        "rankings": results.rankings(),
        "strengths": results.strengths(),
        "chance_better": results.chance_better(),
        "crosstable": results.crosstable(),
        "matches": results.matches(),
        "timing": results.timing(),
    }
    return tuple(tables.write(frame, columns.FRAMES[name], folder / f"{name}.csv") for name, frame in frames.items())


def _require(kind: str, name: str, known: bool, names: Iterable[str]) -> None:
    if not known:
        raise ArenaError(f"{name!r} is no {kind} of this event; it has {', '.join(sorted(names))}")
