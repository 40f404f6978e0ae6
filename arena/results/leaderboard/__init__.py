"""pandas frames of an event: leaderboard, strengths, crosstable, matches, seats, turns, timing; and their CSV files.

`Results` decides which matches count. Points come from standings.py, ratings from rating_cache.py, the rank from
ranking.py, the rows of the leaderboard from rating_rows.py, and the frames from the modules that are named after their
source: rating_frames.py, meetings.py, match_frames.py, record_frames.py. pandas takes half a second to import, so only
the methods that return a frame import it: the terminal's leaderboard does without. Clock readings are only in `seats`,
`turns` and `timing`, so that the CSV files of all other frames are the same bytes each time.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from arena import whole_files
from arena.display_names import display_names
from arena.errors import ArenaError
from arena.game import Role
from arena.games import rulebook
from arena.identity import digest_of
from arena.results import columns
from arena.results.accuracy import (
    ACCURACY,
    REGRET,
    Accuracy,
    Measure,
    Regret,
    Rules,
    SumKey,
    Sums,
    blunderers,
    by_bot,
    load_or_assess,
)
from arena.results.archive import Archive
from arena.results.archive.records import event_text
from arena.results.arrays import Arrays, Ints
from arena.results.leaderboard import meetings, rank_changes, ranking, rating_cache, rating_rows, stop_words
from arena.results.lessons import Lesson, find_exact
from arena.results.machines import MOST_SEATS, Machines
from arena.results.machines import table as machine_table
from arena.results.ratings import Ratings
from arena.results.standings import Standing, Tally, standings_of
from arena.values import FEWEST_RANKED, Event, Failing, Played

if TYPE_CHECKING:
    import pandas as pd

    from arena.results.leaderboard.rating_rows import Row

GRADED_MATCHES, ALL_GRADED_MATCHES = 10, 2000
"""Matches of a bot, and of all bots, in which `Results.lessons` looks for lessons; each takes some 5 ms."""


class Results:
    """The results of an event at one moment: matches that a run stores after the first reading are not among them.

    `all_versions` counts matches of edited bots, boards and rules too; `rating` replaces the event's rating. `rules`
    are those that the moves on solved boards are graded by; by default the rules that are found by a game's name.
    """

    def __init__(
        self,
        archive: Archive,
        *,
        all_versions: bool = False,
        rating: str | None = None,
        rules: Rules = rulebook.game_of_record,
    ) -> None:
        self._archive = archive
        self._rules = rules
        self._all_versions = all_versions
        self._rating = rating

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        all_versions: bool = False,
        rating: str | None = None,
        rules: Rules = rulebook.game_of_record,
    ) -> "Results":
        """Open the results in a folder such as `results/demo`; raise ArenaError if there are none."""
        return cls(Archive.open(Path(path)), all_versions=all_versions, rating=rating, rules=rules)

    @classmethod
    def side_by_side(
        cls,
        path: str | Path,
        numbers: Mapping[str, int] | None = None,
        *,
        rating: str | None = None,
        rules: Rules = rulebook.game_of_record,
    ) -> "Results":
        """Open all matches that were ever played there, each version of a bot as a bot: `mine v2`, or `mine 3a9198`.

        `numbers` are the numbers of versions by digest, where they are known.
        """
        archive = Archive.open(Path(path))
        versions = archive.versions()

        def label(bot: str, digest: str) -> str:
            number = (numbers or {}).get(digest)
            return bot if versions[bot] < 2 else f"{bot} {digest[:6] if number is None else f'v{number}'}"

        return cls(archive.by_version(label), all_versions=True, rating=rating, rules=rules)

    @property
    def folder(self) -> Path:
        """The folder of the results."""
        return self._archive.folder

    @cached_property
    def event(self) -> Event:
        """The event as it was played."""
        return self._archive.event()

    @cached_property
    def cache_version(self) -> str:
        """A cache key: what was computed from these results is valid until it changes. Aborts do not change it."""
        sums = rating_cache.sums(self.tallies)
        return digest_of(event_text(self.event), self.rating, self._all_versions, self._archive.cache_version(), sums)

    @cached_property
    def display_names(self) -> dict[str, str]:
        """The name to show for every bot of the event, all different: its display name, or else its own name."""
        return display_names(self.event.bots)

    def display_name(self, bot: str) -> str:
        """Return the name to show for a bot."""
        return self.display_names.get(bot, bot)

    def with_display_names(self, frame: "pd.DataFrame") -> "pd.DataFrame":
        """Return the frame with the names to show for bots."""
        columns = [name for name in ("bot", "opponent") if name in frame]
        return frame.assign(**{name: frame[name].map(self.display_name) for name in columns})

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
            if standing.bot not in self.event.generalists
            and not self.board_role_columns.keys() <= standing.roles.keys()
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
            standing.bot: rating_rows.part(standing.roles, self.boards, self.board_columns)
            for standing in self.standings
            if standing.rank is None and standing.points is not None
        }

    @cached_property
    def rank_changes(self) -> dict[str, int | None]:
        """The ranks that each ranked bot rose since the last run with other bots, None for a new one; or empty."""
        if self._all_versions or self._archive.renamed or self.rating != self.event.rating:
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

    @cached_property
    def accuracy_sums(self) -> dict[SumKey, Accuracy]:
        """The accuracy of each bot in each role on the solved boards; each match is graded once, then loaded."""
        return self._measured(ACCURACY)

    @cached_property
    def regret_sums(self) -> dict[SumKey, Regret]:
        """The regret of each bot in each role on the boards whose moves a search estimates; stored as `graded` is."""
        return self._measured(REGRET)

    def _measured(self, measure: Measure[Sums]) -> dict[SumKey, Sums]:
        """Return a measure of each bot in each role on the boards that it applies to."""
        return load_or_assess(
            self._archive,
            list(self.boards),
            rating_cache.sums(self.tallies),
            self._rules,
            measure=measure,
            all_versions=self._all_versions,
        )

    def lessons(self, bots: Collection[str], most: int) -> dict[str, tuple[Lesson, ...]]:
        """Return at most `most` lessons of each of these bots, where its moves on solved boards are graded already.

        Of each bot only GRADED_MATCHES matches with a blunder are looked at, and fewer where there are many bots, so
        that a report does not take long; `arena lessons` looks at more.
        """
        if not self.accuracy_sums:
            return {}
        blunders = blunderers(self._archive, all_versions=self._all_versions)
        matches: defaultdict[str, list[str]] = defaultdict(list)
        for match in self._archive.played_of(sorted(blunders)):
            for bot in {match.seats.get(role, "") for role in blunders[match.id]}.intersection(bots):
                matches[bot].append(match.id)
        matches_a_bot = max(1, min(GRADED_MATCHES, ALL_GRADED_MATCHES // max(1, len(matches))))
        ids = {match for of_bot in matches.values() for match in of_bot[:matches_a_bot]}
        return find_exact(self._archive, matches, ids, self._rules, most=most)

    @property
    def rating(self) -> str:
        """The name of the rating that decides the rank."""
        return self._rating or self.event.rating

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for a reader of the ratings, a sentence each; no bot is named."""
        return self.ratings.warnings

    @cached_property
    def end_sentences(self) -> tuple[str, ...]:
        """Sentences on why the event ended and which ranks are open; none if it goes on, or has no rule to stop."""
        stop = self._archive.stop()
        return () if stop is None else stop_words.sentences(stop, self.event, self.display_name)

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
    def board_columns(self) -> dict[str, str]:
        """For each `game/board` of the event: the name of its column, such as `duel`."""
        return rating_rows.board_columns(self.boards)

    @cached_property
    def board_role_columns(self) -> dict[tuple[str, Role], str]:
        """For each (`game/board`, role) of the event: the name of its column, such as `duel_explorer`."""
        return rating_rows.board_role_columns(self.boards)

    def leaderboard_rows(self) -> "list[Row]":
        """Return the rows of `leaderboard`; pandas is not needed."""
        return rating_rows.leaderboard(
            self.standings,
            self.ratings,
            self.event.tie_breaks,
            self.board_columns,
            self.board_role_columns,
            by_bot(self.accuracy_sums),
            by_bot(self.regret_sums),
            self.display_name,
        )

    def leaderboard(self) -> "pd.DataFrame":
        """Return a row a bot, best first; rank, rating and points are missing for a bot that never played."""
        from arena.results.leaderboard import rating_frames

        names = rating_rows.leaderboard_columns(
            self.event.tie_breaks,
            self.board_columns,
            self.board_role_columns,
            solved=bool(self.accuracy_sums),
            estimated=bool(self.regret_sums),
        )
        return rating_frames.leaderboard(names, self.leaderboard_rows())

    def rankings_rows(self, board: str | None = None, role: Role | None = None) -> "list[Row]":
        """Return the rows of `rankings`; pandas is not needed."""
        labels, roles = self._selection(board, role)
        rows = rating_rows.rankings(self.ratings, self.standings, self.boards, self.display_name)
        return [row for row in rows if row["board"] in labels and (role is None or row["role"] in roles)]

    def rankings(self, board: str | None = None, role: Role | None = None) -> "pd.DataFrame":
        """Return a row for each bot in each board role, and on each board over all its roles: its rank and strength.

        Over all roles of a board, where `role` is missing, only bots are ranked that played each role. `board` and
        `role` select rows as in `crosstable`.
        """
        from arena.results.leaderboard import rating_frames

        return rating_frames.rankings(self.rankings_rows(board, role))

    def strengths(self) -> "pd.DataFrame":
        """Return a row for each bot and each board role that it played: strength, low, high, in the rating's unit."""
        from arena.results.leaderboard import rating_frames

        return rating_frames.strengths(self.ratings)

    def advantages(self) -> "pd.DataFrame":
        """Return a row for each board role: its advantage between average bots; no rows where points are the rating."""
        from arena.results.leaderboard import rating_frames

        return rating_frames.advantages(self.ratings)

    def accuracy(self) -> "pd.DataFrame":
        """Return a row for each bot, solved board and role: graded moves, accuracy, blunders and turns lost a match."""
        from arena.results.leaderboard import rating_frames

        return rating_frames.accuracy(self.accuracy_sums)

    def regret(self) -> "pd.DataFrame":
        """Return a row for each bot, board with estimates and role: graded moves, regret and turns lost a match."""
        from arena.results.leaderboard import rating_frames

        return rating_frames.regret(self.regret_sums)

    def chance_better(self) -> "pd.DataFrame":
        """Return a row for each two bots, each way round: the chance, 0 to 1, that the bot is stronger."""
        from arena.results.leaderboard import rating_frames

        return rating_frames.chance_better(self.ratings)

    def versions(self) -> "pd.DataFrame":
        """Return a row for each version of each bot: its rank in its time and its rating; none if nobody has two."""
        from arena.results.anytext import pd
        from arena.results.leaderboard import version_frames

        spans = self._archive.spans()
        if len({span.bot for span in spans}) == len(spans):
            return pd.DataFrame(columns=columns.VERSIONS.names)
        archive = Archive.open(self.folder).by_version(lambda bot, digest: f"{bot} {digest}")
        every = Results(archive, all_versions=True, rating=self._rating)
        strengths = {rating.bot: rating.strength for rating in every.ratings.ratings}
        every.close()
        rated = {(span.bot, span.digest): strengths[f"{span.bot} {span.digest}"] for span in spans}
        return version_frames.versions(spans, rated)

    def head_to_head(self, bot: str, opponent: str) -> "pd.DataFrame":
        """Return a row for each board and role that both bots had: the score of each, against the other or alone.

        Where they met in unlike roles only, `opponent_role` differs from `role`. Raise ArenaError for an unknown bot.
        """
        from arena.results.anytext import pd
        from arena.results.leaderboard import rating_frames

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

    def matches(self) -> "pd.DataFrame":
        """Return a row a match: game, board, repeat, seed, reason, and bot, score and ending of each role of the event.

        The rows stand by board, repeat and bots.
        """
        from arena.results.leaderboard import match_frames

        stored = list(self._archive.reasons(all_versions=self._all_versions))
        ids, reasons = [match for match, _ in stored], [reason for _, reason in stored]
        return match_frames.matches(
            self.arrays, ids, reasons, dict.fromkeys(role for _, role in self.board_role_columns)
        )

    def crosstable(self, board: str | None = None, role: Role | None = None) -> "pd.DataFrame":
        """Return a row for each board, role, bot and opponent: matches, and the bot's mean score in that role.

        Teammates are no opponents. `board` is a `game/board` or a board's name. Raise ArenaError for an unknown
        board or role.
        """
        labels, roles = self._selection(board, role)
        frame = self._crosstable
        return frame[frame["board"].isin(labels) & frame["role"].isin(roles)].reset_index(drop=True)

    def _selection(self, board: str | None, role: Role | None) -> tuple[set[str], set[Role]]:
        """Return each `game/board` and each role that are meant; raise ArenaError for an unknown board or role."""
        labels, roles = {*self.boards}, {role for _, role in self.board_role_columns}
        if board is not None:
            labels = {label for label in labels if board in {label, label.partition("/")[2]}}
            _require("board", board, bool(labels), self.board_columns.values())
        if role is not None:
            _require("role", role, role in roles, roles)
            roles = {role}
        return labels, roles

    @cached_property
    def _crosstable(self) -> "pd.DataFrame":
        return meetings.crosstable(self.arrays)

    def seats(self) -> "pd.DataFrame":
        """Return a row for each match and role: the bot, its score and fault, seconds to `ready`, exit, CPU, memory."""
        from arena.results.leaderboard import record_frames

        return record_frames.seats(self._archive, all_versions=self._all_versions)

    def turns(self) -> "pd.DataFrame":
        """Return a row for each move: match, turn, role, bot, move, by, rejected text, three times, remarks."""
        from arena.results.leaderboard import record_frames

        return record_frames.turns(self._archive, all_versions=self._all_versions)

    def metrics(self, most: int | None = None) -> "pd.DataFrame":
        """Return a row for each match, turn, role and metric that a bot reported in a remark: bot and value.

        Of more than `most` matches only a fair share is read.
        """
        from arena.results.leaderboard import metrics

        return metrics.frame(self._archive, all_versions=self._all_versions, most=most)

    def timing(self) -> "pd.DataFrame":
        """Return a row for each bot, board and role: number of answers, quantiles of wall and CPU time in seconds."""
        from arena.results.leaderboard import record_frames

        return record_frames.timing(self._archive, all_versions=self._all_versions)

    def first_failings(self, most: int) -> tuple[list[Failing], int]:
        """Return at most `most` of `failings`, and how many there are: to find an example of each takes long."""
        every = {(tally.bot, tally.ending) for tally in self.tallies if tally.ending is not None}
        return list(islice(self._archive.failings(all_versions=self._all_versions), most)), len(every)

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

    def machines(self) -> Machines | None:
        """Return the table of the machines that played, with a test whether they played alike; None without a cluster.

        It compares the newest `MOST_SEATS` seats.
        """
        rows = list(self._archive.machines())
        compared = self._archive.block_seats(MOST_SEATS) if len(rows) > 1 else []
        return machine_table(rows, compared)

    def aborts(self) -> "pd.DataFrame":
        """Return a row for each time that arena itself failed a match: match, attempt, cause."""
        from arena.results.anytext import pd

        rows = [(abort.match, abort.attempt, abort.cause) for abort in self._archive.aborts()]
        return pd.DataFrame(rows, columns=columns.ABORTS.names)

    def close(self) -> None:
        """Close the file."""
        self._archive.close()


def write_csv(results: Results, folder: Path) -> tuple[Path, ...]:
    """Write the tables as CSV files, each whole or not at all."""
    from arena.results import tables

    frames = {
        "leaderboard": results.leaderboard(),
        "rankings": results.rankings(),
        "strengths": results.strengths(),
        "chance_better": results.chance_better(),
        "crosstable": results.crosstable(),
        "matches": results.matches(),
        "timing": results.timing(),
    }
    for name, graded in {"accuracy": results.accuracy_sums, "regret": results.regret_sums}.items():
        if graded:
            frames[name] = getattr(results, name)()
        else:
            whole_files.remove(folder / f"{name}.csv")
    return tuple(tables.write(frame, columns.FRAMES[name], folder / f"{name}.csv") for name, frame in frames.items())


def _require(kind: str, name: str, known: bool, names: Iterable[str]) -> None:
    if not known:
        raise ArenaError(f"{name!r} is no {kind} of this event; it has {', '.join(sorted(names))}")
