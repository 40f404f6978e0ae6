"""`Results`: which matches of an archive count, and everything that is made of them.

It has these results as values and as pandas frames. A league is the results of one game: `Results`
of its boards, bots and matches alone. Who has a rank there is decided in ranked.py; the cells of
the frames are made in frames.py and meetings.py, and columns.py declares their columns. Clock
readings are only in `seats`, `turns` and `timing`, so that the CSV files of all other frames are
the same bytes each time.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import TypeAdapter

from arena import extensions, whole_files
from arena.display_names import display_names
from arena.errors import ArenaError
from arena.game import Role
from arena.games import rulebook
from arena.identity import digest_of
from arena.results import arrays, columns, memo, ranked, ratings, tables
from arena.results.accuracy import (
    ACCURACY,
    REGRET,
    Figures,
    Measure,
    MoveSums,
    Rules,
    SumKey,
    load_or_assess,
    sums_of,
)
from arena.results.anytext import pd
from arena.results.archive import Archive
from arena.results.archive.records import event_text
from arena.results.arrays import Arrays, Ints
from arena.results.leaderboard import (
    best_words,
    frames,
    meetings,
    metrics,
    rank_changes,
    stop_words,
)
from arena.results.lessons import Lesson, find_exact
from arena.results.ratings import REFITS, Ratings, elo
from arena.results.standings import Standing, Tally, standings_of
from arena.values import Event, Failing, Played, Record

MISTAKEN_MATCHES = 10
"""Matches of a bot in which `Results.lessons` looks for lessons; each takes some 5 ms."""
ALL_MISTAKEN_MATCHES = 2000
"""The same for all bots together."""
MOST_LEAGUES = 300


@dataclass(frozen=True, kw_only=True)
class StoredFit:
    """A fit, as it is stored beside the archive."""

    of: str
    """The `Results.cache_version` of its matches."""
    matches: int
    ended: float
    """When it was made, in seconds since the epoch."""
    seconds: float
    """How long it took."""
    ratings: Ratings


STORED_FIT = TypeAdapter(StoredFit)


class Results:
    """The results of an event at one moment.

    Matches that a run stores after the first reading are not among them. `all_versions` counts
    matches of edited bots, boards and rules, too; `rating` replaces the event's rating. `rules`
    assess the moves on solved boards; by default they are found by a game's name. `all_games` are
    the results of the event to which those of one game belong.

    With `patience`, a stored fit of fewer matches serves for that many times as long as it took,
    if all bots of today are in it: a reader who looks while a run plays need not wait for another.
    """

    def __init__(
        self,
        archive: Archive,
        *,
        all_versions: bool = False,
        rating: str | None = None,
        rules: Rules = rulebook.game_of_record,
        all_games: "Results | None" = None,
        patience: float = 0.0,
    ) -> None:
        if all_versions:
            archive = archive.of_all_versions()
        self._archive = archive
        self._rules = rules
        self._all_versions = all_versions
        self._rating = rating
        self._all_games = all_games
        self._patience = patience
        self._measured: dict[Measure, list[tuple[Played, Figures]]] = {}

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        all_versions: bool = False,
        rating: str | None = None,
        rules: Rules = rulebook.game_of_record,
        patience: float = 0.0,
    ) -> "Results":
        """Open the results in a folder such as `results/demo`; raise ArenaError without any."""
        archive = Archive.open(Path(path))
        return cls(
            archive,
            all_versions=all_versions,
            rating=rating,
            rules=rules,
            patience=patience,
        )

    @classmethod
    def side_by_side(
        cls,
        path: str | Path,
        numbers: Mapping[str, int] | None = None,
        *,
        rating: str | None = None,
        rules: Rules = rulebook.game_of_record,
    ) -> "Results":
        """Open all matches that were ever played there, with each version of a bot as a bot.

        Versions are called `mine v2`, or `mine 3a9198` where the number is not known. `numbers` are
        the numbers of versions by digest.
        """
        archive = Archive.open(Path(path))
        versions = archive.versions()
        known = numbers or {}

        def name(bot: str, digest: str) -> str:
            if versions[bot] < 2:
                return bot
            if digest in known:
                return f"{bot} v{known[digest]}"
            return f"{bot} {digest[:6]}"

        by_version = archive.by_version(name)
        return cls(by_version, all_versions=True, rating=rating, rules=rules)

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
        """The event as it was played; in a league it has only the boards and bots of the game."""
        return self._archive.event()

    @cached_property
    def boards(self) -> dict[str, tuple[Role, ...]]:
        """The roles of each `game/board` of the event."""
        boards = {}
        for board in self.event.boards:
            boards[board.label] = tuple(board.roles)
        if self._all_versions:
            for label, roles in self._archive.boards().items():
                boards.setdefault(label, roles)
        return boards

    @cached_property
    def games(self) -> tuple[str, ...]:
        """The games, in the order of the boards."""
        current = {board.label for board in self.event.boards}
        games = dict.fromkeys(self.event.games)
        for label in self.boards:
            if label in current:
                continue
            game, _, _ = label.partition("/")
            games[game] = None
        return tuple(games)

    @property
    def game(self) -> str | None:
        """The game; None for the results of several games."""
        if len(self.games) == 1:
            return self.games[0]
        return None

    @cached_property
    def leagues(self) -> "tuple[Results, ...]":
        """The results of each game, which know its boards, bots and matches only.

        These results are the only league of an event of one game. An event of more than
        MOST_LEAGUES games has one table: a stranger may have made it.
        """
        if not 1 < len(self.games) <= MOST_LEAGUES:
            return (self,)
        leagues = []
        for game in self.games:
            league = Results(
                self._archive.of_game(game),
                all_versions=self._all_versions,
                rating=self._rating,
                rules=self._rules,
                all_games=self,
                patience=self._patience,
            )
            leagues.append(league)
        return tuple(leagues)

    @property
    def _of_all_games(self) -> "Results":
        """The results of the event, also for those of one game."""
        return self._all_games or self

    def league_of(self, label: str) -> "Results":
        """Return the results of the game of a `game/board`; these where games have one table."""
        for league in self.leagues:
            if label in league.boards:
                return league
        return self

    @cached_property
    def cache_version(self) -> str:
        """A cache key: what was computed from these results is valid until it changes.

        Aborts do not change it.
        """
        sums = []
        for tally in self.tallies:
            fields = vars(tally).values()
            sums.append(list(map(str, fields)))
        return digest_of(
            event_text(self.event),
            self.rating,
            self._all_versions,
            self._archive.cache_version(),
            sums,
        )

    @cached_property
    def made_of(self) -> str:
        """A key of all that frames, charts and pages of these results are made of.

        Beside the matches these are the rules that are known here, the code, how the event ended,
        and the ranks of an earlier run.
        """
        games = []
        unknown = []
        for label in self.boards:
            try:
                newest = self._archive.newest_on(label)
                if newest is not None:
                    games.append(self._rules(newest.match))
            except ArenaError as error:
                unknown.append(str(error))
        changes = [league.rank_changes for league in self.leagues]
        aborts = self._archive.aborts()
        return digest_of(
            memo.program_digest(),
            self.cache_version,
            changes,
            self.end_sentences,
            len(aborts),
            memo.rules_digest(games),
            unknown,
        )

    @cached_property
    def display_names(self) -> dict[str, str]:
        """The name to show for every bot of the event, all different.

        It is the bot's display name, or its own name if it has none.
        """
        return display_names(self._of_all_games.event.bots)

    def display_name(self, bot: str) -> str:
        """Return the name to show for a bot."""
        return self.display_names.get(bot, bot)

    def with_display_names(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the frame with the names to show for bots."""
        named = frame.copy()
        for column in ("bot", "opponent"):
            if column in frame:
                named[column] = frame[column].map(self.display_name)
        return named

    @cached_property
    def count(self) -> int:
        """The number of matches that count."""
        return self._archive.count()

    @cached_property
    def played(self) -> tuple[Played, ...]:
        """The matches that count, by id. For many matches `arrays` is quicker."""
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
            names.update(tally.bot for tally in self.tallies)
        bots = sorted(names)
        later_faults = self._archive.later_faults()
        return standings_of(bots, self.tallies, later_faults)

    @cached_property
    def ranked(self) -> frozenset[str]:
        """The bots that have a rank.

        In a league these are the bots that play all of its game, and otherwise those that play all
        games.
        """
        played = {}
        for standing in self._by_points:
            if standing.points is not None:
                played[standing.bot] = standing.roles
        return ranked.ranked_bots(self.event, played)

    @cached_property
    def absentees(self) -> frozenset[str]:
        """The bots that said `ready` in none of the games that they are entered for."""
        bots = set()
        faultless = set()
        entered = set()
        for tally in self.tallies:
            game, _, _ = tally.board.partition("/")
            bots.add(tally.bot)
            entered.add((game, tally.bot))
            if tally.ending is None:
                faultless.add(tally.bot)
        if faultless >= bots:
            return frozenset()  # every bot has played, so no pass over all seats is necessary
        ready = entered - self._archive.absentees()
        present = {bot for _, bot in ready}
        return frozenset(bots - present)

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """The standing of every bot, best first, as ranked.py orders them."""
        # Strengths over several games are fitted for the overall rank alone.
        fitted = None
        if self.ranked or self.game:
            fitted = self.ratings
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
        """The part, as a text, of each bot that has no rank because it plays only that."""
        parts = {}
        for standing in self.standings:
            if standing.rank is None and standing.points is not None:
                part = frames.part_text(standing.roles, self.boards, self.board_columns)
                parts[standing.bot] = part
        return parts

    @cached_property
    def rank_changes(self) -> dict[str, int | None]:
        """The ranks that each ranked bot rose since the last run with other bots.

        They are None for a new bot. There are none where no earlier run compares.
        """
        if self._all_versions or self._archive.renamed:
            return {}
        if self.rating != self.event.rating:
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
        return self.on_scale(self._stored_fit.ratings)

    @property
    def unrated_matches(self) -> int:
        """The number of matches that the ratings do not know; 0 without patience."""
        if self._stored_fit.of == self.cache_version:
            return 0
        unrated = self._archive.count() - self._stored_fit.matches
        return max(0, unrated)

    def on_scale(self, fitted: Ratings) -> Ratings:
        """Return a fit of some of these matches on the scale of these results."""
        if fitted.unit == "logits":
            return elo.shown(fitted)
        return fitted

    @cached_property
    def _stored_fit(self) -> StoredFit:
        rating = ratings.known(self.rating)
        path = self.folder / f".ratings-{rating}{self._archive.suffix}.json"
        folder_of_code = Path(ratings.__file__).parent
        code = [Path(arrays.__file__)]
        code += sorted(folder_of_code.rglob("*.py"))
        key = digest_of(
            memo.code_digest(code),
            REFITS,
            event_text(self.event),
            self.rating,
            self._all_versions,
        )
        stored = memo.recall(path, key, STORED_FIT)
        if stored is not None and self._serves(stored):
            return stored

        begun = time.monotonic()
        fitted = StoredFit(
            of=self.cache_version,
            matches=len(self.arrays.seed),
            ratings=self.fit(self.arrays),
            ended=time.time(),
            seconds=time.monotonic() - begun,
        )
        memo.store(path, key, fitted, STORED_FIT)
        return fitted

    def _serves(self, stored: StoredFit) -> bool:
        """Return whether a stored fit is shown, and no other one is made."""
        if stored.of == self.cache_version:
            return True
        age = time.time() - stored.ended
        if not 0 <= age < self._patience * stored.seconds:
            return False
        rated = {rating.bot for rating in stored.ratings.ratings}
        played = {tally.bot for tally in self.tallies}
        return rated == played

    def fit(self, arrays: Arrays) -> Ratings:
        """Return a fit of other matches by the same rating, for a frame of an extension."""
        rule = ratings.find(self.rating, prior=self.event.has_prior)
        return rule.rate(arrays, seed=self.event.resampling_seed, refits=REFITS)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for a reader of the ratings, a sentence each; no bot is named."""
        if len(self.leagues) == 1:
            return self.ratings.warnings
        warnings = []
        for league in self.leagues:
            for warning in league.ratings.warnings:
                warnings.append(f"{league.game}: {warning}")
        return tuple(warnings)

    @cached_property
    def accuracy_sums(self) -> dict[SumKey, MoveSums]:
        """The accuracy of each bot in each role on the solved boards.

        Each match is assessed once, and loaded later.
        """
        return sums_of(self._assessed(ACCURACY))

    @cached_property
    def regret_sums(self) -> dict[SumKey, MoveSums]:
        """The regret of each bot in each role on the boards whose moves a search estimates.

        Each match is assessed once, and loaded later.
        """
        return sums_of(self._assessed(REGRET))

    def _assessed(self, measure: Measure) -> list[tuple[Played, Figures]]:
        """Return the matches here that a measure applies to, with their figures."""
        event = self._of_all_games
        if measure not in event._measured:
            event._measured[measure] = load_or_assess(
                event._archive,
                list(event.boards),
                event._rules,
                measure,
            )
        assessed = []
        for match, figures in event._measured[measure]:
            if match.label in self.boards:
                assessed.append((match, figures))
        return assessed

    def lessons(self, bots: Collection[str], most: int) -> dict[str, tuple[Lesson, ...]]:
        """Return at most `most` lessons of each of these bots.

        Only boards are searched whose moves are assessed already, and only MISTAKEN_MATCHES matches
        with a blunder of each bot; fewer where there are many bots, so that a report does not take
        long.
        """
        matches: defaultdict[str, list[str]] = defaultdict(list)  # by bot: those with its blunders
        for match, figures in self._assessed(ACCURACY):
            blunderers = set()
            for role, (_, blunders, _) in figures.items():
                if blunders:
                    bot = match.seats.get(role, "")
                    blunderers.add(bot)
            for bot in blunderers.intersection(bots):
                matches[bot].append(match.id)

        blundering_bots = max(1, len(matches))
        share = ALL_MISTAKEN_MATCHES // blundering_bots
        matches_a_bot = min(MISTAKEN_MATCHES, share)
        matches_a_bot = max(1, matches_a_bot)
        ids: set[str] = set()
        for mistaken in matches.values():
            ids.update(mistaken[:matches_a_bot])
        return find_exact(self._archive, matches, ids, self._rules, most=most)

    @cached_property
    def end_sentences(self) -> tuple[str, ...]:
        """Sentences on why the event ended and which ranks are open.

        There are none if the event goes on, or has no rule to stop.
        """
        stop = self._archive.stop()
        if stop is None:
            return ()
        return stop_words.sentences(stop, self.event, self.display_name)

    def failings(self, most: int) -> tuple[list[Failing], int]:
        """Return faults of bots, by bot and ending, each with an example match, and their number.

        At most `most` are returned, because to find an example of each takes long.
        """
        kinds = sum(len(standing.endings) for standing in self._by_points)
        first = islice(self._archive.failings(), most)
        return list(first), kinds

    @cached_property
    def board_columns(self) -> dict[str, str]:
        """For each `game/board` of the event: the name of its column, such as `duel`."""
        return frames.board_columns(self.boards)

    @cached_property
    def board_role_columns(self) -> dict[tuple[str, Role], str]:
        """For each (`game/board`, role) of the event: its column, such as `duel_explorer`."""
        return frames.board_role_columns(self.boards)

    @cached_property
    def added_cells(self) -> dict[str, dict[str, Any]]:
        """The columns that extensions add to the leaderboard, each with its cells by bot."""
        cells: dict[str, dict[str, Any]] = {}
        for name, added in extensions.frames().items():
            if not added.leaderboard:
                continue
            has_rows = extensions.load(added.file_if)
            if not has_rows(self):
                continue
            make_frame = getattr(self, name)
            frame = make_frame().set_index("bot")
            for column in added.leaderboard:
                cells[column] = frame[column].to_dict()
        return cells

    def _repr_html_(self) -> str:
        """Return the leaderboard of each game, for a notebook."""
        tables = []
        for league in self.leagues:
            frame = league.leaderboard()
            frame = frame.drop(columns=list(columns.LOGITS), errors="ignore")
            narrow = frame.loc[:, :"forfeits"]  # what fits a screen
            table = narrow.to_html(
                index=False,
                float_format="{:.1f}".format,
                na_rep="",
            )
            tables.append(table)
        return "\n".join(tables)

    def leaderboard(self, *, by_game: bool = True) -> pd.DataFrame:
        """Return a row for each bot in each game, best first.

        Rank, rating and points of a bot that never played are missing. A bot that plays only a part
        of a game has no rank there. Behind the rows of several games stand those of
        `overall_leaderboard`, without a game. Without `by_game` there is one row for each bot, over
        all games, in the order of `standings`.
        """
        if len(self.leagues) == 1 or not by_game:
            return frames.leaderboard(self, self.standings)

        tables = []
        for league in self.leagues:
            # Two games may have boards of one name: here the names are those of all games.
            names = {}
            for label, name in league.board_columns.items():
                names[name] = self.board_columns[label]
            for board_role, name in league.board_role_columns.items():
                names[name] = self.board_role_columns[board_role]
            table = league.leaderboard()
            tables.append(table.rename(columns=names))
        tables.append(self.overall_leaderboard())
        joined = frames.joined(tables)

        empty = frames.leaderboard(self, ())
        in_order = [name for name in empty.columns if name in joined]
        return joined[in_order].copy()

    def overall_leaderboard(self) -> pd.DataFrame:
        """Return a row for each bot that plays all of several games, best first.

        The frame is empty where these bots are fewer than three, or fewer than half of all; then
        `who_plays_what` says which bots play which games.
        """
        ranked_overall: list[Standing] = []
        if self._has_overall_ranks:
            for standing in self.standings:
                if standing.rank is not None:
                    ranked_overall.append(standing)
        return frames.leaderboard(self, ranked_overall)

    @property
    def who_plays_what(self) -> str:
        """Which bots play which games, in a line.

        It is empty for one game, and where all games have a table.
        """
        if len(self.leagues) == 1 or self._has_overall_ranks or not self.count:
            return ""
        games_of = {}
        for standing in self.standings:
            if standing.points is None:
                continue
            games = set()
            for board, _ in standing.roles:
                game, _, _ = board.partition("/")
                games.add(game)
            name = self.display_name(standing.bot)
            games_of[name] = games
        return ranked.who_plays_what(games_of, self.event.games)

    @property
    def best_on_boards(self) -> str:
        """Which bots may be the best on each board of a game, and how sure that is, in a sentence.

        It is empty for many boards, and where the table ranks nobody. A bot that never started is
        no candidate.
        """
        if not self.ranked:
            return ""
        frame = self.rankings()
        rows = []
        for row in tables.rows_of(frame, columns.RANKINGS):
            if row["bot"] not in self.absentees:
                rows.append(row)
        return best_words.best_on_boards(rows, self.board_columns)

    @property
    def _has_overall_ranks(self) -> bool:
        if len(self.leagues) == 1:
            return False
        played = []
        for standing in self._by_points:
            if standing.points is not None:
                played.append(standing.bot)
        return ranked.are_most(self.ranked, played)

    def rankings(self, board: str | None = None, role: Role | None = None) -> pd.DataFrame:
        """Return a row for each bot in each board role, and on each board over all its roles.

        It has the bot's rank and strength there. Over all roles of a board, where `role` is
        missing, only bots are ranked that played each role. `board` and `role` select rows as in
        `crosstable`.
        """
        labels, roles = self._selection(board, role)
        tables = [frames.rankings(league) for league in self.leagues]
        rows = frames.joined(tables)
        is_selected = rows["board"].isin(labels)
        if role is not None:
            is_selected &= rows["role"].isin(roles)
        selected = rows[is_selected]
        return selected.reset_index(drop=True)

    def strengths(self) -> pd.DataFrame:
        """Return a row for each bot and each board role that it played.

        It has the bot's strength there and the interval, in the rating's unit.
        """
        tables = [frames.strengths(league.ratings) for league in self.leagues]
        return frames.joined(tables)

    def advantages(self) -> pd.DataFrame:
        """Return a row for each board role: its advantage between average bots.

        There are no rows where points are the rating.
        """
        tables = [frames.advantages(league.ratings) for league in self.leagues]
        return frames.joined(tables)

    def chance_better(self) -> pd.DataFrame:
        """Return a row for each two bots of a game, each way round.

        It has the chance, 0 to 1, that the bot is stronger than the opponent.
        """
        tables = []
        for league in self.leagues:
            table = frames.chance_better(league.game, league.ratings)
            tables.append(table)
        return frames.joined(tables)

    if not TYPE_CHECKING:  # mypy would believe in any attribute

        def __getattr__(self, name: str) -> "Callable[[], pd.DataFrame]":
            """Return the method that makes a frame of an extension, such as `cycles()`."""
            unknown = AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            if name.startswith("_"):
                raise unknown
            added = extensions.frames()
            if name not in added:
                raise unknown
            make_frame = extensions.load(added[name].path)
            return partial(make_frame, self)

    def accuracy(self) -> pd.DataFrame:
        """Return a row for each bot, solved board and role.

        It has the bot's moves, accuracy, and blunders and turns lost a match.
        """
        return frames.assessed(self.accuracy_sums, columns.ACCURACY)

    def regret(self) -> pd.DataFrame:
        """Return a row for each bot, board with estimates and role.

        It has the bot's moves, and regret and turns lost a match.
        """
        return frames.assessed(self.regret_sums, columns.REGRET)

    def versions(self) -> pd.DataFrame:
        """Return a row for each version of each bot: its rank in its time and its rating.

        There are no rows if no bot has two versions.
        """
        spans = self._archive.spans()
        bots = {span.bot for span in spans}
        if len(bots) == len(spans):
            return pd.DataFrame(columns=columns.VERSIONS.names)

        def name_of_version(bot: str, digest: str) -> str:
            return f"{bot} {digest}"

        archive = Archive.open(self.folder)
        archive = archive.by_version(name_of_version)
        if self._all_games is not None:
            archive = archive.of_game(self.games[0])
        by_version = Results(
            archive,
            all_versions=True,
            rating=self._rating,
            patience=self._patience,
        )
        strengths = {rating.bot: rating.strength for rating in by_version.ratings.ratings}
        by_version.close()

        rated = {}
        for span in spans:
            name = name_of_version(span.bot, span.digest)
            rated[span.bot, span.digest] = strengths[name]
        return frames.versions(spans, rated, by_version.unit)

    def head_to_head(self, bot: str, opponent: str) -> pd.DataFrame:
        """Return a row for each board and role that both bots had: the score of each.

        It is the score against the other, or alone. Where they met only in different roles,
        `opponent_role` differs from `role`. Raise ArenaError for an unknown bot.
        """
        names = [standing.bot for standing in self._by_points]
        for name in (bot, opponent):
            _require("bot", name, name in names, names)

        sides = self._archive.sides()
        rows = []
        for tally in self.tallies:
            if tally.bot not in {bot, opponent}:
                continue
            if len(sides[tally.board]) != 1:
                continue
            cells = (
                tally.board,
                tally.role,
                tally.bot,
                tally.seats,
                tally.score,
            )
            rows.append(cells)
        frame = pd.DataFrame(rows, columns=frames.BOARD_SEATS)
        by_role = frame.groupby(["board", "role", "bot"], as_index=False)
        sums = by_role.sum()
        mean_scores = sums["score"] / sums["matches"]
        alone = sums.assign(score=mean_scores)
        return frames.head_to_head(self._crosstable, alone, bot, opponent)

    def matches(self) -> pd.DataFrame:
        """Return a row for each match: game, board, repeat, seed and reason.

        For each role of the event it has the bot, its score and its ending. The rows stand by
        board, repeat and bots.
        """
        ids = []
        reasons = []
        for match, reason in self._archive.reasons():
            ids.append(match)
            reasons.append(reason)
        roles = dict.fromkeys(role for _, role in self.board_role_columns)
        return frames.matches(self.arrays, ids, reasons, roles)

    def match(self, prefix: str) -> Record:
        """Return the record of the match whose id begins so; a notebook shows it as a replay."""
        return self._archive.record(prefix)

    def crosstable(self, board: str | None = None, role: Role | None = None) -> pd.DataFrame:
        """Return a row for each board, role, bot and opponent: matches, and the bot's mean score.

        Teammates are no opponents. `board` is a `game/board`, a board's name, or a game. Raise
        ArenaError for a board or a role that is unknown.
        """
        labels, roles = self._selection(board, role)
        frame = self._crosstable
        on_board = frame["board"].isin(labels)
        in_role = frame["role"].isin(roles)
        selected = frame[on_board & in_role]
        return selected.reset_index(drop=True)

    def _selection(self, board: str | None, role: Role | None) -> tuple[set[str], set[Role]]:
        """Return each `game/board` and each role that are meant.

        Raise ArenaError for an unknown board or role.
        """
        labels = set(self.boards)
        roles = {role for _, role in self.board_role_columns}
        if board is not None:
            for label in self.boards:
                game, _, name = label.partition("/")
                if board not in {label, game, name}:
                    labels.remove(label)
            is_known = bool(labels)
            names = self.board_columns.values()
            _require("board", board, is_known, names)
        if role is not None:
            is_known = role in roles
            _require("role", role, is_known, roles)
            roles = {role}
        return labels, roles

    @cached_property
    def _crosstable(self) -> pd.DataFrame:
        return meetings.crosstable(self.arrays)

    def seats(self) -> pd.DataFrame:
        """Return a row for each match and role.

        It has the bot, its score and fault, seconds to `ready`, exit, CPU time and memory.
        """
        rows = self._archive.seats()
        return pd.DataFrame(rows, columns=columns.SEATS.names)

    def turns(self) -> pd.DataFrame:
        """Return a row for each move.

        It has match, turn, role, bot, move, by, rejected text, three times and remarks.
        """
        return frames.turns(self._archive)

    def metrics(self, most: int | None = None) -> pd.DataFrame:
        """Return a row for each match, turn, role and metric that a bot reported in a remark.

        It has the bot and the value. Of more than `most` matches only a fair sample is read.
        """
        return metrics.frame(self._archive, most)

    def timing(self) -> pd.DataFrame:
        """Return a row for each bot, board and role.

        It has the number of answers and quantiles of wall and CPU time in seconds.
        """
        return frames.timing(self._archive)

    def lengths(self, board: str) -> Ints:
        """Return the number of turns of each match on a `game/board`."""
        arrays = self.arrays
        is_on_board = [entry.label == board for entry in arrays.entries]
        by_entry = np.array(is_on_board, dtype=np.bool_)
        is_first = arrays.position == 0  # by seat
        first = arrays.entry[is_first]  # by match
        on_board = by_entry[first]  # by match
        lengths: Ints = arrays.turns[on_board]
        return lengths

    def aborts(self) -> pd.DataFrame:
        """Return a row for each time that arena itself failed a match: match, attempt, cause."""
        rows = []
        for abort in self._archive.aborts():
            cells = (abort.match, abort.attempt, abort.cause)
            rows.append(cells)
        return pd.DataFrame(rows, columns=columns.ABORTS.names)

    def drop_matches(self) -> None:
        """Free the memory of `arrays` and `played`, which are read again where they are needed."""
        for results in {self, *self.leagues}:
            for name in ("arrays", "played"):
                results.__dict__.pop(name, None)

    def close(self) -> None:
        """Close the file; the next reading opens it again."""
        self._archive.close()


CSV_FRAMES = (
    "leaderboard",
    "rankings",
    "strengths",
    "chance_better",
    "crosstable",
    "matches",
    "timing",
)
"""The frames that every event has as a CSV file."""


def write_csv(results: Results, folder: Path) -> tuple[Path, ...]:
    """Write the tables as CSV files, each whole or not at all."""
    declared = {name: columns.FRAMES[name] for name in CSV_FRAMES}
    optional = {
        "accuracy": bool(results.accuracy_sums),
        "regret": bool(results.regret_sums),
    }
    known = dict(columns.FRAMES)
    for name, added in extensions.frames().items():
        if added.file_if:
            has_rows = extensions.load(added.file_if)
            optional[name] = has_rows(results)
            known[name] = extensions.load(added.columns)
    for name, is_filled in optional.items():
        if is_filled:
            declared[name] = known[name]
        else:
            whole_files.remove(folder / f"{name}.csv")

    paths = []
    for name, frame_columns in declared.items():
        make_frame = getattr(results, name)
        path = folder / f"{name}.csv"
        written = tables.write(make_frame(), frame_columns, path)
        paths.append(written)
    return tuple(paths)


def _require(
    kind: str,
    name: str,
    is_known: bool,
    names: Iterable[str],
) -> None:
    if not is_known:
        all_names = ", ".join(sorted(names))
        raise ArenaError(f"{name!r} is no {kind} of this event; it has {all_names}")
