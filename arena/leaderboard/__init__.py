"""pandas frames of an event: leaderboard, strengths, crosstable, matches, seats, turns, timing; and their CSV files.

It owns what counts, and the names of columns. Points come from standings.py, ratings from rated.py, the rank from
ranking.py; frames are made of ratings, of arrays and of records, in the three files of that name. No clock reading is
in any frame but `seats`, `turns` and `timing`, so that the files of the others are the same bytes each time.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from arena import tables
from arena.archive import Archive
from arena.errors import ArenaError
from arena.event import Event, Failing, Played
from arena.game import Role
from arena.leaderboard import arrays, metrics, of_arrays, of_ratings, of_records, ranking, rated
from arena.leaderboard.arrays import Arrays, Ints
from arena.ratings import Ratings
from arena.standings import Standing, Tally, standings_of


class Results:
    """The results of an event, read once; `all_versions` counts matches of edited bots, boards and rules too.

    `rating` is another rating than the event's.
    """

    def __init__(self, archive: Archive, *, all_versions: bool = False, rating: str | None = None) -> None:
        self._archive = archive
        self._all_versions = all_versions
        self._rating = rating

    @classmethod
    def open(cls, path: str | Path, *, all_versions: bool = False, rating: str | None = None) -> "Results":
        """The results in a folder such as `results/demo`; ArenaError when there are none."""
        return cls(Archive.open(Path(path)), all_versions=all_versions, rating=rating)

    @classmethod
    def side_by_side(
        cls, path: str | Path, numbers: Mapping[str, int] | None = None, *, rating: str | None = None
    ) -> "Results":
        """All that was ever played there, each version of a bot as a bot of its own: `mine v2`, or `mine 3a9198`.

        `numbers` are the versions that are known, by digest.
        """
        archive = Archive.open(Path(path))
        seen = Counter(bot for (bot,) in archive.rows("select bot from entries group by bot, digest"))

        def label(bot: str, digest: str) -> str:
            number = (numbers or {}).get(digest)
            return bot if seen[bot] < 2 else f"{bot} {digest[:6] if number is None else f'v{number}'}"

        return cls(archive.by_version(label), all_versions=True, rating=rating)

    @property
    def folder(self) -> Path:
        """Where the results are."""
        return self._archive.folder

    @cached_property
    def event(self) -> Event:
        """The event as it was played."""
        return self._archive.event()

    @cached_property
    def played(self) -> tuple[Played, ...]:
        """The matches that count, by id: a value each, so that many take long; `arrays` has them all at once."""
        return self._archive.played(all_versions=self._all_versions)

    @cached_property
    def arrays(self) -> Arrays:
        """The matches that count, and their seats, as numpy arrays."""
        return arrays.read(self._archive, all_versions=self._all_versions)

    @cached_property
    def tallies(self) -> tuple[Tally, ...]:
        """What the matches that count add up to, by board, role, bot, result and ending."""
        return self._archive.tallies(all_versions=self._all_versions)

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """The place of every bot, best first: by rating, points and tie-breaks, as ranking.py says."""
        names = {bot.name for bot in self.event.bots}
        if self._all_versions:
            names |= {tally.bot for tally in self.tallies}
        by_points = standings_of(sorted(names), self.tallies)
        return ranking.ranked(by_points, self.ratings, lambda: ranking.met(self.arrays), self.event.tie_breaks)

    @cached_property
    def ratings(self) -> Ratings:
        """How strong the bots are, and how sure that is; fitted once, then kept beside the archive."""
        return rated.of(
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
        """What a reader of the ratings should know, a sentence each; no bot is named."""
        return self.ratings.warnings

    @cached_property
    def failings(self) -> tuple[Failing, ...]:
        """How bots failed, by bot and ending, each with a match that can be looked at."""
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
        """How many matches count."""
        return self._archive.count(all_versions=self._all_versions)

    @cached_property
    def columns(self) -> dict[str, str]:
        """For each `game/board` of the event: the name of its column, such as `duel`."""
        return of_ratings.board_columns(self.boards)

    @cached_property
    def places(self) -> dict[tuple[str, Role], str]:
        """For each (`game/board`, role) of the event: the name of its column, such as `duel_explorer`."""
        return of_ratings.place_columns(self.boards)

    def leaderboard(self) -> pd.DataFrame:
        """A row a bot, best first; rank, rating and points are missing for a bot that never played."""
        return of_ratings.leaderboard(self.standings, self.ratings, self.event.tie_breaks, self.columns, self.places)

    def strengths(self) -> pd.DataFrame:
        """A row for each bot and each (board, role) that it played: strength, low, high, in the rating's unit."""
        return of_ratings.strengths(self.ratings)

    def advantages(self) -> pd.DataFrame:
        """A row for each (board, role): what that role is worth between average bots; none where points rate."""
        return of_ratings.advantages(self.ratings)

    def chance_better(self) -> pd.DataFrame:
        """A row for each two bots, each way round: the chance, 0 to 1, that the bot is stronger than the opponent."""
        return of_ratings.chance_better(self.ratings)

    def head_to_head(self, bot: str, opponent: str) -> pd.DataFrame:
        """A row for each board and role that both bots had: how each did in it, against the other or alone.

        ArenaError for a bot that the event has not.
        """
        for name in (bot, opponent):
            _known("bot", name, name in (names := [one.bot for one in self.standings]), names)
        rows = [
            (tally.board, tally.role, tally.bot, tally.seats, tally.score)
            for tally in self.tallies
            if tally.bot in {bot, opponent} and len(self._sides[tally.board]) == 1
        ]
        sums = pd.DataFrame(rows, columns=of_ratings.SEATED).groupby(of_ratings.SEATED[:3], as_index=False).sum()
        alone = sums.assign(score=sums["score"] / sums["matches"])
        return of_ratings.head_to_head(self._meetings, alone, bot, opponent)

    def matches(self) -> pd.DataFrame:
        """A row a match: game, board, repeat, seed, reason, and bot, score and ending of each role of the event.

        They stand by board, repeat and bots.
        """
        last = int(self.arrays.number.max(initial=0))  # of a run that goes on, what the arrays hold
        query = "select id, reason from matches where (planned or ?) and number <= ? order by number"
        ids, reasons = [], []
        for match, reason in self._archive.rows(query, self._all_versions, last):
            ids.append(match)
            reasons.append(reason)
        return of_arrays.matches(self.arrays, ids, reasons, dict.fromkeys(role for _, role in self.places))

    def crosstable(self, board: str | None = None, role: Role | None = None) -> pd.DataFrame:
        """A row for each board, role, bot and opponent: matches, and the bot's mean score in that role.

        Teammates are no opponents. `board` is a `game/board` or a board's name; ArenaError for one, or for a role, that
        the event has not.
        """
        frame = self._meetings
        if board is not None:
            labels = [label for label in self.boards if board in {label, label.partition("/")[2]}]
            _known("board", board, bool(labels), self.columns.values())
            frame = frame[frame["board"].isin(labels)]
        if role is not None:
            roles = {role for _, role in self.places}
            _known("role", role, role in roles, roles)
            frame = frame[frame["role"] == role]
        return frame.reset_index(drop=True)

    @cached_property
    def _meetings(self) -> pd.DataFrame:
        return of_arrays.crosstable(self.arrays)

    def seats(self) -> pd.DataFrame:
        """A row a match and role: bot, digest, score, ending and its words, seconds to `ready`, exit, CPU, memory."""
        return of_records.seats(self._archive, all_versions=self._all_versions)

    def turns(self) -> pd.DataFrame:
        """A row a move: match, turn, role, bot, move, by whom, the refused text, three times in seconds, remarks."""
        return of_records.turns(self._archive, all_versions=self._all_versions)

    def metrics(self, most: int | None = None) -> pd.DataFrame:
        """A row for each match, turn, role and metric that a bot reported in a remark: bot and value.

        Of more than `most` matches only a fair share is read.
        """
        return metrics.frame(self._archive, all_versions=self._all_versions, most=most)

    def timing(self) -> pd.DataFrame:
        """A row for each bot, board and role: answers, and quantiles of their wall and CPU time, in seconds."""
        return of_records.timing(self._archive, all_versions=self._all_versions)

    @cached_property
    def _sides(self) -> dict[str, set[int]]:
        """The sides of each `game/board`."""
        sides: dict[str, set[int]] = {}
        query = "select distinct game || '/' || board, side from entries"
        for label, side in self._archive.rows(query):
            sides.setdefault(label, set()).add(side)
        return sides

    def seats_held(self) -> Counter[str]:
        """How many seats each bot had in the matches that count."""
        held: Counter[str] = Counter()
        for tally in self.tallies:
            held[tally.bot] += tally.seats
        return held

    def lengths(self, board: str) -> Ints:
        """How many turns each match on a `game/board` took."""
        own = np.array([entry.label == board for entry in self.arrays.entries], dtype=np.bool_)
        first = self.arrays.by_place(self.arrays.entry)[:, 0]
        return self.arrays.turns[own[first]]

    def aborts(self) -> pd.DataFrame:
        """A row for each time that arena itself failed a match: match, attempt, cause."""
        rows = [(abort.match, abort.attempt, abort.cause) for abort in self._archive.aborts()]
        return pd.DataFrame(rows, columns=["match", "attempt", "cause"])

    def close(self) -> None:
        """Close the file."""
        self._archive.close()


def write_csv(results: Results, folder: Path) -> tuple[Path, ...]:
    """Write the tables as CSV files; each is whole or not there."""
    frames = {
        "leaderboard": results.leaderboard(),
        "strengths": results.strengths(),
        "chance_better": results.chance_better(),
        "crosstable": results.crosstable(),
        "matches": results.matches(),
        "timing": results.timing(),
    }
    return tuple(tables.write(frame, folder / f"{name}.csv") for name, frame in frames.items())


def _known(kind: str, name: str, known: bool, names: Iterable[str]) -> None:
    if not known:
        raise ArenaError(f"{name!r} is no {kind} of this event; it has {', '.join(sorted(names))}")
