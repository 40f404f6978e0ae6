"""`Results`: which matches of an archive count, and everything that is made of them, as values and as pandas frames.

A league is the results of one game: `Results` of its boards, bots and matches alone. Who has a rank there is decided in
ranked.py; the cells of the frames are made in frames.py and meetings.py, and columns.py declares their columns. Clock
readings are only in `seats`, `turns` and `timing`, so that the CSV files of all other frames are the same bytes each
time.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from pydantic import TypeAdapter

from arena import extensions, whole_files
from arena.display_names import display_names
from arena.errors import ArenaError
from arena.game import Role
from arena.games import rulebook
from arena.identity import digest_of
from arena.results import arrays, columns, disguise, memo, ranked, ratings, tables
from arena.results.accuracy import (
    ACCURACY,
    REGRET,
    Figures,
    Measure,
    MoveSums,
    Rules,
    SumKey,
    by_bot,
    load_or_assess,
    sums_of,
)
from arena.results.anytext import pd
from arena.results.archive import Archive
from arena.results.archive.records import event_text
from arena.results.arrays import Arrays, Ints
from arena.results.leaderboard import frames, meetings, metrics, rank_changes, stop_words
from arena.results.lessons import Lesson, find_exact
from arena.results.ratings import REFITS, Ratings, elo
from arena.results.standings import Standing, Tally, standings_of
from arena.values import DISGUISED, Event, Failing, Played, Record

MISTAKEN_MATCHES, ALL_MISTAKEN_MATCHES = 10, 2000
"""Matches of a bot, and of all bots, in which `Results.lessons` looks for lessons; each takes some 5 ms."""
MOST_LEAGUES = 300
RATINGS = TypeAdapter(Ratings)


class Results:
    """The results of an event at one moment: matches that a run stores after the first reading are not among them.

    `all_versions` counts matches of edited bots, boards and rules too; `rating` replaces the event's rating. `rules`
    are those that the moves on solved boards are assessed by; by default the rules that are found by a game's name.
    `whole` are the results of all games, for those of one.
    """

    def __init__(
        self,
        archive: Archive,
        *,
        all_versions: bool = False,
        rating: str | None = None,
        rules: Rules = rulebook.game_of_record,
        whole: "Results | None" = None,
    ) -> None:
        self._archive = archive.of_all_versions() if all_versions else archive
        self._rules = rules
        self._all_versions = all_versions
        self._rating = rating
        self._whole = whole
        self._measured: dict[Measure, list[tuple[Played, Figures]]] = {}

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

        def name(bot: str, digest: str) -> str:
            number = (numbers or {}).get(digest)
            return (
                bot
                if versions[bot] < 2
                else f"{bot} {digest[:6] if number is None else f'v{number}'}"
            )

        return cls(archive.by_version(name), all_versions=True, rating=rating, rules=rules)

    @property
    def folder(self) -> Path:
        """The folder of the results."""
        return self._archive.folder

    @property
    def archive(self) -> Archive:
        """The archive that is read, for a frame of an extension."""
        return self._archive

    @cached_property
    def event(self) -> Event:
        """The event as it was played; of a league its boards and its bots only."""
        return self._archive.event()

    @cached_property
    def boards(self) -> dict[str, tuple[Role, ...]]:
        """The roles of each `game/board` of the event."""
        boards = {board.label: tuple(board.roles) for board in self.event.boards}
        if self._all_versions:
            boards |= {
                label: roles
                for label, roles in self._archive.boards().items()
                if label not in boards
            }
        return boards

    @cached_property
    def games(self) -> tuple[str, ...]:
        """The games, in the order of the boards."""
        current = {board.label for board in self.event.boards}
        earlier = (label.partition("/")[0] for label in self.boards if label not in current)
        return tuple(dict.fromkeys([*self.event.games, *earlier]))

    @property
    def game(self) -> str | None:
        """The game; None for the results of several games."""
        return self.games[0] if len(self.games) == 1 else None

    @cached_property
    def leagues(self) -> "tuple[Results, ...]":
        """The results of each game, which know its boards, bots and matches only; these results where it is one.

        An event of more than MOST_LEAGUES games has one table: a stranger may have made it.
        """
        if not 1 < len(self.games) <= MOST_LEAGUES:
            return (self,)
        return tuple(
            Results(
                self._archive.of_game(game),
                all_versions=self._all_versions,
                rating=self._rating,
                rules=self._rules,
                whole=self,
            )
            for game in self.games
        )

    def league_of(self, label: str) -> "Results":
        """Return the results of the game of a `game/board`; these results where games have one table."""
        return next((league for league in self.leagues if label in league.boards), self)

    @cached_property
    def cache_version(self) -> str:
        """A cache key: what was computed from these results is valid until it changes. Aborts do not change it."""
        sums = [[str(value) for value in vars(tally).values()] for tally in self.tallies]
        return digest_of(
            event_text(self.event),
            self.rating,
            self._all_versions,
            self._archive.cache_version(),
            sums,
        )

    @cached_property
    def display_names(self) -> dict[str, str]:
        """The name to show for every bot of the event, all different: its display name, or else its own name."""
        return display_names((self._whole or self).event.bots)

    def display_name(self, bot: str) -> str:
        """Return the name to show for a bot."""
        return self.display_names.get(bot, bot)

    def with_display_names(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the frame with the names to show for bots."""
        names = [name for name in ("bot", "opponent") if name in frame]
        return frame.assign(**{name: frame[name].map(self.display_name) for name in names})

    @cached_property
    def count(self) -> int:
        """The number of matches that count."""
        return self._archive.count()

    @cached_property
    def played(self) -> tuple[Played, ...]:
        """The matches that count, by id. A Python object each: for many matches `arrays` is quicker."""
        return self._archive.played()

    @cached_property
    def arrays(self) -> Arrays:
        """The matches that count, and their seats, as numpy arrays."""
        figures = self._archive.figures()
        return Arrays.decode(figures, self._archive.entries())

    @cached_property
    def tallies(self) -> tuple[Tally, ...]:
        """The sums of the matches that count, by board, role, bot, result and ending."""
        return self._archive.tallies()

    @cached_property
    def _by_points(self) -> tuple[Standing, ...]:
        names = {bot.name for bot in self.event.bots}
        if self._all_versions:
            names |= {tally.bot for tally in self.tallies}
        return standings_of(sorted(names), self.tallies, self._archive.later_faults())

    @cached_property
    def ranked(self) -> frozenset[str]:
        """The bots that have a rank: in a league those that play all of its game, else those that play all games."""
        played = {
            standing.bot: standing.roles
            for standing in self._by_points
            if standing.points is not None
        }
        return ranked.ranked_bots(self.event, played)

    @cached_property
    def absentees(self) -> frozenset[str]:
        """The bots that never said `ready`, in none of the games that they are entered for."""
        faultless = {tally.bot for tally in self.tallies if tally.ending is None}
        if faultless >= {tally.bot for tally in self.tallies}:
            return frozenset()  # all have shown themselves, so nobody has to look at all seats
        entered = {(tally.board.partition("/")[0], tally.bot) for tally in self.tallies}
        present = entered - self._archive.absentees()
        return frozenset({bot for _, bot in entered} - {bot for _, bot in present})

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """The standing of every bot, best first, as ranked.py orders them."""
        # Strengths over several games are fitted for the overall rank alone.
        fitted = self.ratings if self.ranked or self.game else None
        return ranked.in_order(
            self._by_points,
            fitted,
            lambda: meetings.encounters(self.arrays),
            self.event.tie_breaks,
            self.ranked,
            self.absentees,
        )

    @cached_property
    def specialists(self) -> dict[str, str]:
        """The boards and roles, as a text, of each bot without a rank, because it plays only these."""
        return {
            standing.bot: frames.part_text(standing.roles, self.boards, self.board_columns)
            for standing in self.standings
            if standing.rank is None and standing.points is not None
        }

    @cached_property
    def rank_changes(self) -> dict[str, int | None]:
        """The ranks that each ranked bot rose since the last run with other bots, None for a new one; or empty."""
        if self._all_versions or self._archive.renamed or self.rating != self.event.rating:
            return {}
        return rank_changes.changes(self._ranks_file, self.event, self._ranks)

    def store_ranks(self) -> None:
        """Store the ranks, at the end of a run, for `rank_changes` after later runs."""
        for results in {self, *self.leagues}:
            rank_changes.store(results._ranks_file, results.event, results._ranks)

    @property
    def _ranks_file(self) -> Path:
        return self.folder / f".ranks{self._archive.suffix}.json"

    @property
    def _ranks(self) -> dict[str, int | None]:
        return {standing.bot: standing.rank for standing in self.standings}

    @property
    def rating(self) -> str:
        """The name of the rating that decides the rank."""
        return self._rating or self.event.rating

    @property
    def unit(self) -> str:
        """The unit of all strengths: `Elo`, the average bot at 1500, or `points`, or `%`."""
        return self.leagues[0].ratings.unit

    @cached_property
    def ratings(self) -> Ratings:
        """The strengths of the bots and their uncertainty, in one fit of all matches."""
        return self.on_scale(self._fitted)

    def on_scale(self, fitted: Ratings) -> Ratings:
        """Return a fit of some of these matches on the scale of these results."""
        return elo.shown(fitted) if fitted.unit == "logits" else fitted

    @cached_property
    def _fitted(self) -> Ratings:
        path = self.folder / f".ratings-{ratings.known(self.rating)}{self._archive.suffix}.json"
        parts = Path(arrays.__file__), *sorted(Path(ratings.__file__).parent.rglob("*.py"))
        key = digest_of(memo.code_digest(parts), REFITS, self.cache_version)
        if (fitted := memo.recall(path, key, RATINGS)) is None:
            fitted = ratings.find(self.rating).rate(
                self.arrays, seed=self.event.resampling_seed, refits=REFITS
            )
            memo.store(path, key, fitted, RATINGS)
        return fitted

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for a reader of the ratings, a sentence each; no bot is named."""
        if len(self.leagues) == 1:
            return self.ratings.warnings
        return tuple(
            f"{league.game}: {warning}"
            for league in self.leagues
            for warning in league.ratings.warnings
        )

    @cached_property
    def accuracy_sums(self) -> dict[SumKey, MoveSums]:
        """The accuracy of each bot in each role on the solved boards; each match is assessed once, then loaded."""
        return sums_of(self._assessed(ACCURACY))

    @cached_property
    def regret_sums(self) -> dict[SumKey, MoveSums]:
        """The regret of each bot in each role on the boards whose moves a search estimates; each is stored, too."""
        return sums_of(self._assessed(REGRET))

    def _assessed(self, measure: Measure) -> list[tuple[Played, Figures]]:
        """Return the matches here that a measure applies to, with their figures."""
        whole = self._whole or self
        if measure not in whole._measured:
            whole._measured[measure] = load_or_assess(
                whole._archive, list(whole.boards), whole._rules, measure
            )
        return [
            (match, figures)
            for match, figures in whole._measured[measure]
            if match.label in self.boards
        ]

    def lessons(self, bots: Collection[str], most: int) -> dict[str, tuple[Lesson, ...]]:
        """Return at most so many lessons of each of these bots, where its moves on solved boards are assessed already.

        Of each bot only MISTAKEN_MATCHES matches with a blunder are looked at, and fewer where there are many bots, so
        that a report does not take long; `arena lessons` looks at more.
        """
        matches: defaultdict[str, list[str]] = defaultdict(list)
        for match, figures in self._assessed(ACCURACY):
            blunderers = {
                match.seats.get(role, "") for role, (_, blunders, _) in figures.items() if blunders
            }
            for bot in blunderers.intersection(bots):
                matches[bot].append(match.id)
        matches_a_bot = max(1, min(MISTAKEN_MATCHES, ALL_MISTAKEN_MATCHES // max(1, len(matches))))
        ids = {match for of_bot in matches.values() for match in of_bot[:matches_a_bot]}
        return find_exact(self._archive, matches, ids, self._rules, most=most)

    @cached_property
    def end_sentences(self) -> tuple[str, ...]:
        """Sentences on why the event ended and which ranks are open; none if it goes on, or has no rule to stop."""
        stop = self._archive.stop()
        return () if stop is None else stop_words.sentences(stop, self.event, self.display_name)

    def failings(self, most: int) -> tuple[list[Failing], int]:
        """Return faults of bots, by bot and ending, each with an example match, and how many there are.

        At most `most` are returned, because to find an example of each takes long.
        """
        kinds = sum(len(standing.endings) for standing in self._by_points)
        return list(islice(self._archive.failings(), most)), kinds

    @cached_property
    def board_columns(self) -> dict[str, str]:
        """For each `game/board` of the event: the name of its column, such as `duel`."""
        return frames.board_columns(self.boards)

    @cached_property
    def board_role_columns(self) -> dict[tuple[str, Role], str]:
        """For each (`game/board`, role) of the event: the name of its column, such as `duel_explorer`."""
        return frames.board_role_columns(self.boards)

    def _repr_html_(self) -> str:
        """Return the leaderboard of each game, for a notebook."""
        narrow = (
            league.leaderboard().drop(columns=[*columns.LOGITS], errors="ignore")
            for league in self.leagues
        )
        tables = (table.loc[:, :"forfeits"] for table in narrow)  # what fits a screen
        return "\n".join(
            table.to_html(index=False, float_format="{:.1f}".format, na_rep="") for table in tables
        )

    def leaderboard(self, *, by_game: bool = True) -> pd.DataFrame:
        """Return a row a bot for each game, best first; of a bot that never played rank, rating and points are missing.

        Behind the rows of several games stand those of `overall_leaderboard`, without a game. A bot that plays a part
        of a game only has no rank there. Without `by_game` there is one row a bot, over all games, in the order of
        `standings`.
        """
        if len(self.leagues) == 1 or not by_game:
            return self._leaderboard(self.standings)
        rows = [self.overall_leaderboard()]
        for league in reversed(self.leagues):
            # The name of a board may be another game's board, too: here the names are those of the whole event.
            names = {
                name: self.board_columns[label] for label, name in league.board_columns.items()
            }
            names |= {
                name: self.board_role_columns[key]
                for key, name in league.board_role_columns.items()
            }
            rows.insert(0, league.leaderboard().rename(columns=names))
        every = pd.concat([frame for frame in rows if len(frame)] or rows[:1], ignore_index=True)
        return every[[name for name in self._leaderboard(()).columns if name in every]].copy()

    def overall_leaderboard(self) -> pd.DataFrame:
        """Return a row for each bot that plays all of several games, best first.

        The frame is empty where these bots are fewer than three, or fewer than half of all; then `who_plays_what` says
        who plays which games.
        """
        standings: list[Standing] = []
        if self._has_overall_ranks:
            standings = [standing for standing in self.standings if standing.rank is not None]
        return self._leaderboard(standings)

    @property
    def who_plays_what(self) -> str:
        """Which bots play which games, in a line; empty for one game, and where all games have a table."""
        if len(self.leagues) == 1 or self._has_overall_ranks or not self.count:
            return ""
        games_of = {}
        for standing in self.standings:
            if standing.points is not None:
                name = self.display_name(standing.bot)
                games_of[name] = {board.partition("/")[0] for board, _ in standing.roles}
        return ranked.who_plays_what(games_of, self.event.games)

    @property
    def _has_overall_ranks(self) -> bool:
        played = [standing.bot for standing in self._by_points if standing.points is not None]
        return len(self.leagues) > 1 and ranked.are_most(self.ranked, played)

    def _leaderboard(self, standings: Sequence[Standing]) -> pd.DataFrame:
        return frames.leaderboard(
            self.game,
            standings,
            self.ratings if standings else None,
            self.event.tie_breaks,
            self.board_columns,
            self.board_role_columns,
            by_bot(self.accuracy_sums),
            by_bot(self.regret_sums),
            self.display_name,
        )

    def rankings(self, board: str | None = None, role: Role | None = None) -> pd.DataFrame:
        """Return a row for each bot in each board role, and on each board over all its roles: its rank and strength.

        Over all roles of a board, where `role` is missing, only bots are ranked that played each role. `board` and
        `role` select rows as in `crosstable`.
        """
        labels, roles = self._selection(board, role)
        rows = self._of_leagues(
            lambda league: frames.rankings(
                league.ratings,
                league.standings,
                league.boards,
                league.display_name,
                league.absentees,
            )
        )
        return rows[
            rows["board"].isin(labels) & (role is None or rows["role"].isin(roles))
        ].reset_index(drop=True)

    def strengths(self) -> pd.DataFrame:
        """Return a row for each bot and each board role that it played: strength, low, high, in the rating's unit."""
        return self._of_leagues(lambda league: frames.strengths(league.ratings))

    def advantages(self) -> pd.DataFrame:
        """Return a row for each board role: its advantage between average bots; no rows where points are the rating."""
        return self._of_leagues(lambda league: frames.advantages(league.ratings))

    def chance_better(self) -> pd.DataFrame:
        """Return a row for each two bots of a game, each way round: the chance, 0 to 1, that the bot is stronger."""
        return self._of_leagues(lambda league: frames.chance_better(league.game, league.ratings))

    if not TYPE_CHECKING:  # mypy would believe in any attribute

        def __getattr__(self, name: str) -> "Callable[[], pd.DataFrame]":
            """Return the method that makes a frame of an extension, such as `cycles()`."""
            if name.startswith("_") or name not in (frames_added := extensions.frames()):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            return partial(extensions.load(frames_added[name].path), self)

    def _of_leagues(self, frame_of: "Callable[[Results], pd.DataFrame]") -> pd.DataFrame:
        rows = [frame_of(league) for league in self.leagues]
        return pd.concat([frame for frame in rows if len(frame)] or rows[:1], ignore_index=True)

    def accuracy(self) -> pd.DataFrame:
        """Return a row for each bot, solved board and role: its moves, accuracy, blunders and turns lost a match."""
        return frames.assessed(self.accuracy_sums, columns.ACCURACY)

    def regret(self) -> pd.DataFrame:
        """Return a row for each bot, board with estimates and role: its moves, regret and turns lost a match."""
        return frames.assessed(self.regret_sums, columns.REGRET)

    def versions(self) -> pd.DataFrame:
        """Return a row for each version of each bot: its rank in its time and its rating; none if nobody has two."""
        spans = self._archive.spans()
        if len({span.bot for span in spans}) == len(spans):
            return pd.DataFrame(columns=columns.VERSIONS.names)
        archive = Archive.open(self.folder).by_version(lambda bot, digest: f"{bot} {digest}")
        if self._whole is not None:
            archive = archive.of_game(self.games[0])
        every = Results(archive, all_versions=True, rating=self._rating)
        strengths = {rating.bot: rating.strength for rating in every.ratings.ratings}
        every.close()
        rated = {(span.bot, span.digest): strengths[f"{span.bot} {span.digest}"] for span in spans}
        return frames.versions(spans, rated, every.unit)

    def head_to_head(self, bot: str, opponent: str) -> pd.DataFrame:
        """Return a row for each board and role that both bots had: the score of each, against the other or alone.

        Where they met in unlike roles only, `opponent_role` differs from `role`. Raise ArenaError for an unknown bot.
        """
        names = [standing.bot for standing in self._by_points]
        for name in (bot, opponent):
            _require("bot", name, name in names, names)
        sides = self._archive.sides()
        rows = [
            (tally.board, tally.role, tally.bot, tally.seats, tally.score)
            for tally in self.tallies
            if tally.bot in {bot, opponent} and len(sides[tally.board]) == 1
        ]
        sums = (
            pd.DataFrame(rows, columns=frames.SEATED)
            .groupby(frames.SEATED[:3], as_index=False)
            .sum()
        )
        alone = sums.assign(score=sums["score"] / sums["matches"])
        return frames.head_to_head(self._crosstable, alone, bot, opponent)

    def matches(self) -> pd.DataFrame:
        """Return a row a match: game, board, repeat, seed, reason, and bot, score and ending of each role of the event.

        The rows stand by board, repeat and bots.
        """
        stored = list(self._archive.reasons())
        ids, reasons = [match for match, _ in stored], [reason for _, reason in stored]
        return frames.matches(
            self.arrays, ids, reasons, dict.fromkeys(role for _, role in self.board_role_columns)
        )

    def match(self, prefix: str) -> Record:
        """Return the record of the match whose id begins so; in a notebook it shows itself as a replay."""
        return self._archive.record(prefix)

    def crosstable(self, board: str | None = None, role: Role | None = None) -> pd.DataFrame:
        """Return a row for each board, role, bot and opponent: matches, and the bot's mean score in that role.

        Teammates are no opponents. `board` is a `game/board`, a board's name, or a game. Raise ArenaError for a board
        or a role that is unknown.
        """
        labels, roles = self._selection(board, role)
        frame = self._crosstable
        return frame[frame["board"].isin(labels) & frame["role"].isin(roles)].reset_index(drop=True)

    def _selection(self, board: str | None, role: Role | None) -> tuple[set[str], set[Role]]:
        """Return each `game/board` and each role that are meant; raise ArenaError for an unknown board or role."""
        labels, roles = {*self.boards}, {role for _, role in self.board_role_columns}
        if board is not None:
            labels = {label for label in labels if board in {label, *label.split("/", 1)}}
            _require("board", board, bool(labels), self.board_columns.values())
        if role is not None:
            _require("role", role, role in roles, roles)
            roles = {role}
        return labels, roles

    @cached_property
    def _crosstable(self) -> pd.DataFrame:
        return meetings.crosstable(self.arrays)

    def seats(self) -> pd.DataFrame:
        """Return a row for each match and role: the bot, its score and fault, seconds to `ready`, exit, CPU, memory."""
        return pd.DataFrame(self._archive.seats(), columns=columns.SEATS.names)

    def turns(self) -> pd.DataFrame:
        """Return a row for each move: match, turn, role, bot, move, by, rejected text, three times, remarks."""
        return frames.turns(self._archive)

    def metrics(self, most: int | None = None) -> pd.DataFrame:
        """Return a row for each match, turn, role and metric that a bot reported in a remark: bot and value.

        Of more than `most` matches only a fair share is read.
        """
        return metrics.frame(self._archive, most)

    def timing(self) -> pd.DataFrame:
        """Return a row for each bot, board and role: number of answers, quantiles of wall and CPU time in seconds."""
        return frames.timing(self._archive)

    def models(self) -> pd.DataFrame:
        """Return a row for each bot that asks a language model: calls, tokens, cost, and cost of a point of rating."""
        strengths = {rating.bot: rating.strength.value for rating in self.ratings.ratings}
        matches = {standing.bot: standing.matches for standing in self.standings}
        return frames.models(self._archive, matches, strengths)

    def disguise(self) -> pd.DataFrame:
        """Return a row for each bot that also played in disguise: rating plain, in disguise, and the difference."""
        apart = disguise.told_apart(self.arrays, {bot.name for bot in self.event.bots if bot.model})
        rows = []
        if len(apart.seed):
            fitted = ratings.find(self.rating).rate(
                apart, seed=self.event.resampling_seed, refits=REFITS
            )
            for bot, plain, disguised, difference in disguise.memories(self.on_scale(fitted)):
                rows.append((bot, plain.value, disguised.value, *(difference or (np.nan,) * 3)))
        return pd.DataFrame(rows, columns=columns.DISGUISE.names)

    @property
    def is_disguised(self) -> bool:
        """True in an event with boards in disguise."""
        return any(board.name.endswith(DISGUISED) for board in self.event.boards)

    def lengths(self, board: str) -> Ints:
        """Return the number of turns of each match on a `game/board`."""
        on_board = np.array([entry.label == board for entry in self.arrays.entries], dtype=np.bool_)
        lengths: Ints = self.arrays.turns[on_board[self.arrays.entry[self.arrays.position == 0]]]
        return lengths

    def aborts(self) -> pd.DataFrame:
        """Return a row for each time that arena itself failed a match: match, attempt, cause."""
        rows = [(abort.match, abort.attempt, abort.cause) for abort in self._archive.aborts()]
        return pd.DataFrame(rows, columns=columns.ABORTS.names)

    def close(self) -> None:
        """Close the file; the next reading opens it again."""
        self._archive.close()


def write_csv(results: Results, folder: Path) -> tuple[Path, ...]:
    """Write the tables as CSV files, each whole or not at all."""
    names = [
        "leaderboard",
        "rankings",
        "strengths",
        "chance_better",
        "crosstable",
        "matches",
        "timing",
    ]
    for name, has_rows in {
        "accuracy": bool(results.accuracy_sums),
        "regret": bool(results.regret_sums),
        "models": results.event.conditions.model is not None,
        "disguise": results.is_disguised,
    }.items():
        if has_rows:
            names.append(name)
        else:
            whole_files.remove(folder / f"{name}.csv")
    return tuple(
        tables.write(getattr(results, name)(), columns.FRAMES[name], folder / f"{name}.csv")
        for name in names
    )


def _require(kind: str, name: str, known: bool, names: Iterable[str]) -> None:
    if not known:
        raise ArenaError(f"{name!r} is no {kind} of this event; it has {', '.join(sorted(names))}")
